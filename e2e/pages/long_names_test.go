package pages

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
	"parley/e2e/harness"
)

// longName is a hostile name of so many characters, in which no line can break.
func longName(length int) string {
	return (`<b>"&'` + strings.Repeat("Donaudampfschifffahrtsgesellschaft", length/34+1))[:length]
}

// longEmail is about the longest address that is one.
func longEmail(name string) string {
	return strings.Repeat(name, 60/len(name)) + "@" + strings.Repeat("example", 8) + "." + strings.Repeat("example", 8) + ".com"
}

// newLongNames is a workspace with some of everything, all of which has names as long as
// names can be. Its IDs name one thing of each kind.
func newLongNames(w *harness.Instance) *harness.FullWorkspace {
	w.Helper()
	ctx, p := w.Context(), w.Server.Program
	e := &harness.FullWorkspace{Name: longName(100)}
	e.Email, e.Password = longEmail("owner"), harness.StaffPassword
	owner, workspace, err := p.Tenants.SignUps.Create(ctx, account.Account{Email: e.Email, Password: e.Password, Workspace: e.Name})
	w.Must(err)
	e.Owner, e.Workspace = owner.ID, workspace
	w.Must(p.Tenants.Profiles.Change(ctx, e.Owner, account.Profile{Name: longName(100), Appearance: account.System}))
	w.Must(p.Tenants.Grants.SetPlan(ctx, workspace, plan.Standard))
	provider, err := p.Chatbots.Providers.Create(ctx, workspace, chatbot.ProviderSettings{
		Name: longName(100), Kind: chatbot.OpenAI, BaseURL: "https://127.0.0.1/" + strings.Repeat("path", 100), Key: "a-key",
	})
	w.Must(err)
	e.Bot, err = p.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: longName(100), NoAnswer: longName(300), Greeting: chatbot.Greeting{Welcome: longName(300), SuggestedQuestions: []string{longName(200), "When are you open?"}}})
	w.Must(err)
	e.Chatbot = e.Bot.ID
	e.IDs = w.ThingsOf(e.Bot, longName(80), e.Owner)
	manyOf(w, e)
	_, err = p.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: longName(99), Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: provider.ID, Name: longName(200)}}})
	w.Must(err)
	_, err = p.Tenants.Workspaces.Create(ctx, owner, longName(98)) // for the switcher
	w.Must(err)
	helper, err := p.Tenants.SignUps.CreateUser(ctx, longEmail("helper"), harness.StaffPassword)
	w.Must(err)
	w.Must(p.Tenants.Members.Add(ctx, workspace, helper, tenant.RoleMember))
	_, err = p.Tenants.Invitations.Invite(ctx, workspace, e.Owner, longEmail("guest"), tenant.RoleAdmin)
	w.Must(err)
	e.IDs["workspace"], e.IDs["user"], e.IDs["provider"] = workspace, helper.ID, provider.ID
	e.IDs["webhook"], e.IDs["delivery"] = w.NewWebhook(workspace, longName(200))
	e.IDs["entry"] = w.NewEntry(workspace, audit.WebhookCreated)
	return e
}

// manyOf fills lists: more documents than a page has, conversations with all that can
// be said of them, tokens in every state, and tests that have been run.
func manyOf(w *harness.Instance, e *harness.FullWorkspace) {
	w.Helper()
	ctx, p := w.Context(), w.Server.Program
	for i := range 55 {
		_, err := p.Knowledge.Documents.Add(ctx, e.Workspace, e.Chatbot, knowledge.NewDocument{
			Title: string(rune('A'+i%26)) + longName(199), Content: "# " + longName(200) + "\n\n" + longName(400) + "\n\n| a | b |\n|---|---|\n| " + longName(90) + " | 2 |\n",
		})
		w.Must(err)
	}
	soon := harness.Now().Add(48 * time.Hour)
	_, secret, err := p.Chatbots.Tokens.Issue(ctx, e.Workspace, e.Chatbot, chatbot.NewToken{Name: longName(100), ExpiresAt: &soon, CreatedBy: e.Email})
	w.Must(err)
	e.Token = secret
	rolled, _, err := p.Chatbots.Tokens.Issue(ctx, e.Workspace, e.Chatbot, chatbot.NewToken{Name: longName(99), CreatedBy: e.Email})
	w.Must(err)
	_, _, err = p.Chatbots.Tokens.Roll(ctx, e.Workspace, e.Chatbot, rolled.ID, 7, e.Email)
	w.Must(err)
	gone, _ := w.NewToken(e.Workspace, e.Chatbot, longName(98))
	w.Must(p.Chatbots.Tokens.Revoke(ctx, e.Workspace, e.Chatbot, gone))
	for range 32 {
		message, conversation := w.AskedFor(secret, longName(255), longName(300)+"?")
		e.IDs["message"], e.IDs["conversation"] = message, conversation
	}
	pair, err := p.Insight.Gaps.Answer(ctx, e.Workspace, e.Chatbot, longName(300), longName(400))
	w.Must(err)
	e.IDs["pair"] = pair.ID
	w.Expect(w.Call("POST", "/api/v1/messages/"+e.IDs["message"]+"/feedback", fmt.Sprintf(`{"rating":"down","comment":%q}`, longName(1000)), harness.Bearer(secret)), 200)
	_, err = p.Insight.Tests.Add(ctx, e.Workspace, e.Chatbot, testrun.Wanted{Question: longName(1000), Expects: testrun.AText, Expected: longName(500), Reference: longName(2000), Document: longName(300)}, longName(100)+"@example.com")
	w.Must(err)
	_, err = p.Insight.Tests.Start(ctx, e.Workspace, e.Chatbot, longName(100)+"@example.com")
	w.Must(err)
	w.Settled(e.Tenant)
	w.Must(p.Insight.Tests.Work(ctx))
	w.Must(p.Insight.Roller.Roll(ctx))
}
