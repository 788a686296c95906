package e2e

import (
	"cmp"
	"net/url"
	"strings"

	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/insight/testrun"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/sso"
	"parley/core/tenant"
	"parley/core/webhook"
)

// fullWorkspace is a workspace with one of everything that has an id.
type fullWorkspace struct {
	tenantOf
	name    string
	owner   string
	ids     ids
	revoked string
	sibling siblingOf
	bot     chatbot.Chatbot
}

// siblingOf is another chatbot of the same workspace.
type siblingOf struct {
	token string
	ids   ids
}

func (w *instance) newFullWorkspace(name string) *fullWorkspace {
	w.Helper()
	ctx, p := w.Context(), w.server.Program
	e := &fullWorkspace{name: name, tenantOf: w.newTenant(name, plan.Standard, "# About "+name+"\n\nThe shop of "+name+" opens at ten.\n")}
	e.tokenID, e.token = w.newToken(e.workspace, e.chatbot, name+"'s program")
	owner, err := p.Tenants.Users.ByEmail(ctx, e.email)
	w.must(err)
	e.owner = owner.ID
	member, err := p.Tenants.SignUps.CreateUser(ctx, "helper@"+name+".example", "a long enough password")
	w.must(err)
	w.must(p.Tenants.Members.Add(ctx, e.workspace, member, tenant.RoleMember))
	_, err = p.Tenants.Invitations.Invite(ctx, e.workspace, e.owner, "invited@"+name+".example", tenant.RoleMember)
	w.must(err)
	invitations, err := p.Tenants.Invitations.List(ctx, e.workspace)
	w.must(err)
	gone, secret := w.newToken(e.workspace, e.chatbot, name+" gone")
	w.must(p.Chatbots.Tokens.Revoke(ctx, e.workspace, e.chatbot, gone))
	e.revoked = secret
	e.bot, err = p.Chatbots.Get(ctx, e.workspace, e.chatbot)
	w.must(err)
	e.ids = w.thingsOf(e.bot, name, e.owner)
	e.ids["workspace"], e.ids["user"], e.ids["invitation"] = e.workspace, member.ID, invitations[0].ID
	e.ids["provider"] = w.newProvider(e.workspace, name+"'s provider")
	_, err = p.SSO.Connections.Save(ctx, e.workspace, sso.Settings{Issuer: "https://login.example.com", ClientID: name, Secret: "a-secret-of-" + sso.Secret(name), Domain: name + ".example"})
	w.must(err)
	e.ids["webhook"], e.ids["delivery"] = w.newWebhook(e.workspace, name)
	e.ids["entry"] = w.anEntry(e.workspace, audit.ChatbotCreated)
	other, err := p.Chatbots.Create(ctx, e.workspace, chatbot.Settings{Name: name + "'s other chatbot"})
	w.must(err)
	e.sibling.ids = w.thingsOf(other, name+" other", e.owner)
	_, e.sibling.token = w.newToken(e.workspace, other.ID, name+" other")
	return e
}

// thingsOf gives a chatbot what can be named below it. What only its member can
// use is the owner's.
func (w *instance) thingsOf(bot chatbot.Chatbot, name, owner string) ids {
	w.Helper()
	ctx, p := w.Context(), w.server.Program
	things := ids{"chatbot": bot.ID, "id": bot.ID}
	things["token_id"], _ = w.newToken(bot.WorkspaceID, bot.ID, name+" spare")
	for _, kind := range []string{"document", "document_id"} {
		document, err := p.Knowledge.Documents.Add(ctx, bot.WorkspaceID, bot.ID, knowledge.NewDocument{Title: name + " " + kind, Content: "On " + kind + " of " + name})
		w.must(err)
		things[kind] = document.ID
	}
	gone, err := p.Knowledge.Documents.Add(ctx, bot.WorkspaceID, bot.ID, knowledge.NewDocument{Title: name + " gone", Content: "It was " + name})
	w.must(err)
	receipt, err := p.Knowledge.Catalog.Remove(ctx, bot.WorkspaceID, bot.ID, gone.ID)
	w.must(err)
	things["removal_id"] = receipt.ID
	for _, kind := range []string{"given", "external_id"} {
		externalID := kind + "-of-" + strings.ReplaceAll(name, " ", "-")
		given, _, err := p.Knowledge.Catalog.Put(ctx, bot.WorkspaceID, bot.ID, knowledge.Given{NewDocument: knowledge.NewDocument{Content: "Given by " + name, ExternalID: externalID}})
		w.must(err)
		things["given"], things["external_id"] = cmp.Or(things["given"], given.ID), externalID
	}
	for _, kind := range []string{"source", "source_id"} {
		source, err := p.Knowledge.Sources.Add(ctx, bot.WorkspaceID, bot.ID, knowledge.NewSource{URL: "http://127.0.0.1/" + strings.ReplaceAll(name, " ", "-") + "/" + kind})
		w.must(err)
		things[kind] = source.ID
	}
	for _, document := range w.settled(tenantOf{workspace: bot.WorkspaceID, chatbot: bot.ID}) {
		if document.SourceID == things["source"] { // its address is private
			things["failed"] = document.ID
		}
	}
	conversation, err := p.Chat.CreateConversation(ctx, &chatbot.Principal{Chatbot: bot}, chat.Start{})
	w.must(err)
	things["conversation_id"] = written(p.IDs.Conversation(conversation.ID))
	deleted, err := p.Chat.CreateConversation(ctx, &chatbot.Principal{Chatbot: bot}, chat.Start{})
	w.must(err)
	things["deleted"] = written(p.IDs.Conversation(deleted.ID))
	answered := w.answeredIn(bot, "When does "+name+" open?")
	things["message"], things["message_id"] = written(p.IDs.Message(answered.MessageID)), written(p.IDs.Message(answered.MessageID))
	things["conversation"] = written(p.IDs.Conversation(answered.ConversationID))
	things["response_id"] = "resp_" + things["conversation"] + "_" + things["message"]
	test, err := p.Insight.Tests.Add(ctx, bot.WorkspaceID, bot.ID, testrun.Wanted{Question: "When does " + name + " open?", Expects: testrun.AnAnswer}, "")
	w.must(err)
	things["question"] = test.ID
	test, err = p.Insight.Tests.Add(ctx, bot.WorkspaceID, bot.ID, testrun.Wanted{Question: "Does " + name + " open?", Expects: testrun.AnAnswer}, "")
	w.must(err)
	things["other_question"] = test.ID
	run, err := p.Insight.Tests.Start(ctx, bot.WorkspaceID, bot.ID, "")
	w.must(err)
	if err := p.Insight.Tests.Cancel(ctx, bot.WorkspaceID, bot.ID, run.ID); !fault.Is(err, fault.Conflict) { // it has ended
		w.must(err)
	}
	things["run"] = run.ID
	tried, err := p.Chat.CreateConversation(ctx, &chatbot.Principal{Chatbot: bot, MemberID: owner}, chat.Start{})
	w.must(err)
	things["tried"] = written(p.IDs.Conversation(tried.ID))
	return things
}

// answeredIn asks a chatbot a question in a conversation of its own, and returns the
// answer.
func (w *instance) answeredIn(bot chatbot.Chatbot, question string) turn.Answer {
	w.Helper()
	plans, err := w.server.Program.Tenants.Plans.All(w.Context())
	w.must(err)
	begun, err := w.server.Turns.Begin(w.Context(), &chatbot.Principal{Chatbot: bot, Plan: plans[len(plans)-1]}, turn.Ask{Message: question})
	w.must(err)
	answer, err := begun.Run(w.Context(), nil)
	w.must(err)
	return answer
}

// anEntry is the latest entry of the workspace's audit log about an action.
func (w *instance) anEntry(workspace string, action audit.Action) string {
	w.Helper()
	page, _, err := w.server.Program.Tenants.Audit.Of(w.Context(), workspace, audit.Filter{Actions: []audit.Action{action}, Limit: 1})
	w.must(err)
	if len(page) == 0 {
		w.Fatalf("the audit log of %s has no %s", workspace, action)
	}
	return written(w.server.Program.IDs.Entry(page[0].ID))
}

// newProvider makes a provider of models without a key.
func (w *instance) newProvider(workspace, name string) string {
	w.Helper()
	made, err := w.server.Program.Chatbots.Providers.Create(w.Context(), workspace, chatbot.ProviderSettings{Name: name, Kind: chatbot.OpenAI})
	w.must(err)
	return made.ID
}

// nobodyListens is an address that workspaces may send webhooks to, and that refuses
// them.
const nobodyListens = "127.0.0.1:9"

// newWebhook makes a webhook with a delivery that was canceled, so that it changes only
// when it is sent again.
func (w *instance) newWebhook(workspace, name string) (webhookID, deliveryID string) {
	w.Helper()
	ctx, hooks := w.Context(), w.server.Program.Webhooks
	made, _, err := hooks.Endpoints.Create(ctx, workspace, webhook.Settings{
		URL: "http://" + nobodyListens + "/?of=" + url.QueryEscape(name), Kinds: []webhook.Kind{webhook.QuotaNear}, Description: name,
	})
	w.must(err)
	w.must(hooks.Deliveries.SendTest(ctx, workspace, made.ID))
	w.must(hooks.Endpoints.Pause(ctx, workspace, made.ID))
	w.must(hooks.Endpoints.Resume(ctx, workspace, made.ID))
	deliveries, err := hooks.Deliveries.List(ctx, workspace, made.ID, 0, 1)
	w.must(err)
	return made.ID, written(w.server.Program.IDs.Delivery(deliveries[0].ID))
}

func (w *instance) newToken(workspace, bot, name string) (id, secret string) {
	w.Helper()
	token, secret, err := w.server.Program.Chatbots.Tokens.Issue(w.Context(), workspace, bot, chatbot.NewToken{Name: name, CreatedBy: "a test", Scopes: chatbot.AllScopes()})
	w.must(err)
	return token.ID, secret
}

// session is the cookie of a new session of a user.
func (w *instance) session(user string) header {
	w.Helper()
	keys, err := w.server.Program.Tenants.Sessions.Start(w.Context(), user, signin.Proof{Method: signin.ByPassword}, account.Client{})
	w.must(err)
	return header{"Cookie", "parley_session=" + keys.Session}
}

// employ makes a new member of the workspace and returns their id.
func (w *instance) employ(e *fullWorkspace, role tenant.Role) string {
	w.Helper()
	user, err := w.server.Program.Tenants.SignUps.CreateUser(w.Context(), string(role)+"@"+e.name+".example", staffPassword)
	w.must(err)
	w.must(w.server.Program.Tenants.Members.Add(w.Context(), e.workspace, user, role))
	return user.ID
}

const staffPassword = "a long enough password"

// credential is what the row asks for, of this workspace.
func (w *instance) credential(e *fullWorkspace, r row) header {
	if r.takesTokens() {
		return bearer(e.token)
	}
	return w.session(e.owner)
}

// private are texts that nobody outside may read.
func (e *fullWorkspace) private() []string {
	texts := []string{e.name, e.chatbot, e.owner, e.token, e.tokenID}
	for _, id := range []ids{e.ids, e.sibling.ids} {
		for _, value := range id {
			texts = append(texts, value)
		}
	}
	return texts
}
