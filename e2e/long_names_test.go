package e2e

import (
	"fmt"
	"strings"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/insight/testrun"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/tenant"
)

// longName is a hostile name of so many characters, in which no line can break.
func longName(length int) string {
	return (`<b>"&'` + strings.Repeat("Donaudampfschifffahrtsgesellschaft", length/34+1))[:length]
}

// longEmail is about the longest address that is one.
func longEmail(name string) string {
	return strings.Repeat(name, 60/len(name)) + "@" + strings.Repeat("example", 8) + "." + strings.Repeat("example", 8) + ".com"
}

// newLongNames is a workspace with some of everything, all of which has names as long
// as names can be. Its ids are those of one thing each.
func (w *instance) newLongNames() *fullWorkspace {
	w.Helper()
	ctx, p := w.Context(), w.server.Program
	e := &fullWorkspace{name: longName(100)}
	e.email, e.password = longEmail("owner"), staffPassword
	owner, workspace, err := p.Tenants.SignUps.Create(ctx, account.Account{Email: e.email, Password: e.password, Workspace: e.name})
	w.must(err)
	e.owner, e.workspace = owner.ID, workspace
	w.must(p.Tenants.Profiles.Change(ctx, e.owner, account.Profile{Name: longName(100), Appearance: account.System}))
	w.must(p.Tenants.Grants.SetPlan(ctx, workspace, plan.Standard))
	provider, err := p.Chatbots.Providers.Create(ctx, workspace, chatbot.ProviderSettings{
		Name: longName(100), Kind: chatbot.OpenAI, BaseURL: "https://127.0.0.1/" + strings.Repeat("path", 100), Key: "a-key",
	})
	w.must(err)
	e.bot, err = p.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: longName(100), NoAnswer: longName(300), Greeting: chatbot.Greeting{Welcome: longName(300), SuggestedQuestions: []string{longName(200), "When are you open?"}}})
	w.must(err)
	e.chatbot = e.bot.ID
	e.ids = w.thingsOf(e.bot, longName(80), e.owner)
	w.manyOf(e)
	_, err = p.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: longName(99), Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: provider.ID, Name: longName(200)}}})
	w.must(err)
	_, err = p.Tenants.Workspaces.Create(ctx, owner, longName(98)) // for the switcher
	w.must(err)
	helper, err := p.Tenants.SignUps.CreateUser(ctx, longEmail("helper"), staffPassword)
	w.must(err)
	w.must(p.Tenants.Members.Add(ctx, workspace, helper, tenant.RoleMember))
	_, err = p.Tenants.Invitations.Invite(ctx, workspace, e.owner, longEmail("guest"), tenant.RoleAdmin)
	w.must(err)
	e.ids["workspace"], e.ids["user"], e.ids["provider"] = workspace, helper.ID, provider.ID
	e.ids["webhook"], e.ids["delivery"] = w.newWebhook(workspace, longName(200))
	e.ids["entry"] = w.anEntry(workspace, audit.WebhookCreated)
	return e
}

// manyOf fills lists: more documents than a page has, conversations with all that can
// be said of them, tokens in every state, and tests that have been run.
func (w *instance) manyOf(e *fullWorkspace) {
	w.Helper()
	ctx, p := w.Context(), w.server.Program
	for i := range 55 {
		_, err := p.Knowledge.Documents.Add(ctx, e.workspace, e.chatbot, knowledge.NewDocument{
			Title: string(rune('A'+i%26)) + longName(199), Content: "# " + longName(200) + "\n\n" + longName(400) + "\n\n| a | b |\n|---|---|\n| " + longName(90) + " | 2 |\n",
		})
		w.must(err)
	}
	soon := now().Add(48 * time.Hour)
	_, secret, err := p.Chatbots.Tokens.Issue(ctx, e.workspace, e.chatbot, chatbot.NewToken{Name: longName(100), ExpiresAt: &soon, CreatedBy: e.email})
	w.must(err)
	e.token = secret
	rolled, _, err := p.Chatbots.Tokens.Issue(ctx, e.workspace, e.chatbot, chatbot.NewToken{Name: longName(99), CreatedBy: e.email})
	w.must(err)
	_, _, err = p.Chatbots.Tokens.Roll(ctx, e.workspace, e.chatbot, rolled.ID, 7, e.email)
	w.must(err)
	gone, _ := w.newToken(e.workspace, e.chatbot, longName(98))
	w.must(p.Chatbots.Tokens.Revoke(ctx, e.workspace, e.chatbot, gone))
	for range 32 {
		message, conversation := w.askedFor(secret, longName(255), longName(300)+"?")
		e.ids["message"], e.ids["conversation"] = message, conversation
	}
	pair, err := p.Insight.Gaps.Answer(ctx, e.workspace, e.chatbot, longName(300), longName(400))
	w.must(err)
	e.ids["pair"] = pair.ID
	w.expect(w.call("POST", "/api/v1/messages/"+e.ids["message"]+"/feedback", fmt.Sprintf(`{"rating":"down","comment":%q}`, longName(1000)), bearer(secret)), 200)
	_, err = p.Insight.Tests.Add(ctx, e.workspace, e.chatbot, testrun.Wanted{Question: longName(1000), Expects: testrun.AText, Expected: longName(500), Reference: longName(2000), Document: longName(300)}, longName(100)+"@example.com")
	w.must(err)
	_, err = p.Insight.Tests.Start(ctx, e.workspace, e.chatbot, longName(100)+"@example.com")
	w.must(err)
	w.settled(e.tenantOf)
	w.must(p.Insight.Tests.Work(ctx))
	w.must(p.Insight.Roller.Roll(ctx))
}
