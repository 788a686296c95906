package harness

import (
	"cmp"
	"database/sql"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

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

// FullWorkspace is a workspace with one of everything that has an id.
type FullWorkspace struct {
	Tenant
	Name    string
	Owner   string
	IDs     IDs
	Revoked string
	Sibling siblingOf
	Bot     chatbot.Chatbot
}

// siblingOf is another chatbot of the same workspace.
type siblingOf struct {
	Token string
	IDs   IDs
}

// NewFullWorkspace makes a workspace with one of everything.
func (w *Instance) NewFullWorkspace(name string) *FullWorkspace {
	w.Helper()
	ctx, p := w.Context(), w.Server.Program
	e := &FullWorkspace{Name: name, Tenant: w.NewTenant(name, plan.Standard, "# About "+name+"\n\nThe shop of "+name+" opens at ten.\n")}
	e.TokenID, e.Token = w.NewToken(e.Workspace, e.Chatbot, name+"'s program")
	owner, err := p.Tenants.Users.ByEmail(ctx, e.Email)
	w.Must(err)
	e.Owner = owner.ID
	member, err := p.Tenants.SignUps.CreateUser(ctx, "helper@"+name+".example", "a long enough password")
	w.Must(err)
	w.Must(p.Tenants.Members.Add(ctx, e.Workspace, member, tenant.RoleMember))
	_, err = p.Tenants.Invitations.Invite(ctx, e.Workspace, e.Owner, "invited@"+name+".example", tenant.RoleMember)
	w.Must(err)
	invitations, err := p.Tenants.Invitations.List(ctx, e.Workspace)
	w.Must(err)
	gone, secret := w.NewToken(e.Workspace, e.Chatbot, name+" gone")
	w.Must(p.Chatbots.Tokens.Revoke(ctx, e.Workspace, e.Chatbot, gone))
	e.Revoked = secret
	e.Bot, err = p.Chatbots.Get(ctx, e.Workspace, e.Chatbot)
	w.Must(err)
	e.IDs = w.ThingsOf(e.Bot, name, e.Owner)
	e.IDs["workspace"], e.IDs["user"], e.IDs["invitation"] = e.Workspace, member.ID, invitations[0].ID
	e.IDs["provider"] = w.NewProvider(e.Workspace, name+"'s provider")
	_, err = p.SSO.Connections.Save(ctx, e.Workspace, sso.Settings{Issuer: "https://login.example.com", ClientID: name, Secret: "a-secret-of-" + sso.Secret(name), Domain: name + ".example"})
	w.Must(err)
	e.IDs["webhook"], e.IDs["delivery"] = w.NewWebhook(e.Workspace, name)
	e.IDs["entry"] = w.NewEntry(e.Workspace, audit.ChatbotCreated)
	other, err := p.Chatbots.Create(ctx, e.Workspace, chatbot.Settings{Name: name + "'s other chatbot"})
	w.Must(err)
	e.Sibling.IDs = w.ThingsOf(other, name+" other", e.Owner)
	_, e.Sibling.Token = w.NewToken(e.Workspace, other.ID, name+" other")
	return e
}

// ThingsOf gives a chatbot what can be named below it. What only its member can
// use is the owner's.
func (w *Instance) ThingsOf(bot chatbot.Chatbot, name, owner string) IDs {
	w.Helper()
	ctx, p := w.Context(), w.Server.Program
	things := IDs{"chatbot": bot.ID, "id": bot.ID}
	things["token_id"], _ = w.NewToken(bot.WorkspaceID, bot.ID, name+" spare")
	for _, kind := range []string{"document", "document_id"} {
		document, err := p.Knowledge.Documents.Add(ctx, bot.WorkspaceID, bot.ID, knowledge.NewDocument{Title: name + " " + kind, Content: "On " + kind + " of " + name})
		w.Must(err)
		things[kind] = document.ID
	}
	gone, err := p.Knowledge.Documents.Add(ctx, bot.WorkspaceID, bot.ID, knowledge.NewDocument{Title: name + " gone", Content: "It was " + name})
	w.Must(err)
	receipt, err := p.Knowledge.Catalog.Remove(ctx, bot.WorkspaceID, bot.ID, gone.ID)
	w.Must(err)
	things["removal_id"] = receipt.ID
	for _, kind := range []string{"given", "external_id"} {
		externalID := kind + "-of-" + strings.ReplaceAll(name, " ", "-")
		given, _, err := p.Knowledge.Catalog.Put(ctx, bot.WorkspaceID, bot.ID, knowledge.PutRequest{NewDocument: knowledge.NewDocument{Content: "Given by " + name, ExternalID: externalID}})
		w.Must(err)
		things["given"], things["external_id"] = cmp.Or(things["given"], given.ID), externalID
	}
	for _, kind := range []string{"source", "source_id"} {
		source, err := p.Knowledge.Sources.Add(ctx, bot.WorkspaceID, bot.ID, knowledge.NewSource{URL: "http://127.0.0.1/" + strings.ReplaceAll(name, " ", "-") + "/" + kind})
		w.Must(err)
		things[kind] = source.ID
	}
	for _, document := range w.Settled(Tenant{Workspace: bot.WorkspaceID, Chatbot: bot.ID}) {
		if document.SourceID == things["source"] { // its address is private
			things["failed"] = document.ID
		}
	}
	conversation, err := p.Chat.CreateConversation(ctx, &chatbot.Principal{Chatbot: bot}, chat.Start{})
	w.Must(err)
	things["conversation_id"] = Written(p.IDs.Conversation(conversation.ID))
	deleted, err := p.Chat.CreateConversation(ctx, &chatbot.Principal{Chatbot: bot}, chat.Start{})
	w.Must(err)
	things["deleted"] = Written(p.IDs.Conversation(deleted.ID))
	answered := w.AnsweredIn(bot, "When does "+name+" open?")
	things["message"], things["message_id"] = Written(p.IDs.Message(answered.MessageID)), Written(p.IDs.Message(answered.MessageID))
	things["conversation"] = Written(p.IDs.Conversation(answered.ConversationID))
	things["response_id"] = "resp_" + things["conversation"] + "_" + things["message"]
	test, err := p.Insight.Tests.Add(ctx, bot.WorkspaceID, bot.ID, testrun.Wanted{Question: "When does " + name + " open?", Expects: testrun.AnAnswer}, "")
	w.Must(err)
	things["question"] = test.ID
	test, err = p.Insight.Tests.Add(ctx, bot.WorkspaceID, bot.ID, testrun.Wanted{Question: "Does " + name + " open?", Expects: testrun.AnAnswer}, "")
	w.Must(err)
	things["other_question"] = test.ID
	run, err := p.Insight.Tests.Start(ctx, bot.WorkspaceID, bot.ID, "")
	w.Must(err)
	if err := p.Insight.Tests.Cancel(ctx, bot.WorkspaceID, bot.ID, run.ID); !fault.Is(err, fault.Conflict) { // it has ended
		w.Must(err)
	}
	things["run"] = run.ID
	tried, err := p.Chat.CreateConversation(ctx, &chatbot.Principal{Chatbot: bot, MemberID: owner}, chat.Start{})
	w.Must(err)
	things["tried"] = Written(p.IDs.Conversation(tried.ID))
	return things
}

// AnsweredIn asks a chatbot a question in a conversation of its own, and returns the
// answer.
func (w *Instance) AnsweredIn(bot chatbot.Chatbot, question string) turn.Answer {
	w.Helper()
	plans, err := w.Server.Program.Tenants.Plans.All(w.Context())
	w.Must(err)
	begun, err := w.Server.Turns.Begin(w.Context(), &chatbot.Principal{Chatbot: bot, Plan: plans[len(plans)-1]}, turn.Ask{Message: question})
	w.Must(err)
	answer, err := begun.Run(w.Context(), nil)
	w.Must(err)
	return answer
}

// NewEntry is the latest entry of the workspace's audit log about an action.
func (w *Instance) NewEntry(workspace string, action audit.Action) string {
	w.Helper()
	page, _, err := w.Server.Program.Tenants.Audit.Of(w.Context(), workspace, audit.Filter{Actions: []audit.Action{action}, Limit: 1})
	w.Must(err)
	if len(page) == 0 {
		w.Fatalf("the audit log of %s has no %s", workspace, action)
	}
	return Written(w.Server.Program.IDs.Entry(page[0].ID))
}

// NewProvider makes a provider of models without a key.
func (w *Instance) NewProvider(workspace, name string) string {
	w.Helper()
	made, err := w.Server.Program.Chatbots.Providers.Create(w.Context(), workspace, chatbot.ProviderSettings{Name: name, Kind: chatbot.OpenAI})
	w.Must(err)
	return made.ID
}

// NobodyListens is an address that workspaces may send webhooks to, and that refuses
// them.
const NobodyListens = "127.0.0.1:9"

// NewWebhook makes a webhook with a delivery that was canceled, so that it changes only
// when it is sent again.
func (w *Instance) NewWebhook(workspace, name string) (webhookID, deliveryID string) {
	w.Helper()
	ctx, hooks := w.Context(), w.Server.Program.Webhooks
	made, _, err := hooks.Endpoints.Create(ctx, workspace, webhook.Settings{
		URL: "http://" + NobodyListens + "/?of=" + url.QueryEscape(name), Kinds: []webhook.Kind{webhook.QuotaNear}, Description: name,
	})
	w.Must(err)
	w.Must(hooks.Deliveries.SendTest(ctx, workspace, made.ID))
	w.Must(hooks.Endpoints.Pause(ctx, workspace, made.ID))
	w.Must(hooks.Endpoints.Resume(ctx, workspace, made.ID))
	deliveries, err := hooks.Deliveries.List(ctx, workspace, made.ID, 0, 1)
	w.Must(err)
	return made.ID, Written(w.Server.Program.IDs.Delivery(deliveries[0].ID))
}

// NewToken issues a token with all scopes.
func (w *Instance) NewToken(workspace, bot, name string) (id, secret string) {
	w.Helper()
	token, secret, err := w.Server.Program.Chatbots.Tokens.Issue(w.Context(), workspace, bot, chatbot.NewToken{Name: name, CreatedBy: "a test", Scopes: chatbot.AllScopes()})
	w.Must(err)
	return token.ID, secret
}

// Session is the cookie of a new session of a user.
func (w *Instance) Session(user string) Header {
	w.Helper()
	keys, err := w.Server.Program.Tenants.Sessions.Start(w.Context(), user, signin.Proof{Method: signin.ByPassword}, account.Client{})
	w.Must(err)
	return Header{"Cookie", "parley_session=" + keys.Session}
}

// Employ makes a new member of the workspace and returns their id.
func (w *Instance) Employ(e *FullWorkspace, role tenant.Role) string {
	w.Helper()
	user, err := w.Server.Program.Tenants.SignUps.CreateUser(w.Context(), string(role)+"@"+e.Name+".example", StaffPassword)
	w.Must(err)
	w.Must(w.Server.Program.Tenants.Members.Add(w.Context(), e.Workspace, user, role))
	return user.ID
}

// StaffPassword is the password of the members that Employ makes.
const StaffPassword = "a long enough password"

// Private are texts that nobody outside may read.
func (e *FullWorkspace) Private() []string {
	texts := []string{e.Name, e.Chatbot, e.Owner, e.Token, e.TokenID}
	for _, id := range []IDs{e.IDs, e.Sibling.IDs} {
		for _, value := range id {
			texts = append(texts, value)
		}
	}
	return texts
}

// QueryRows returns each row as text.
func (w *Instance) QueryRows(t *testing.T, db *sql.DB, statement string, with ...any) (all []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), statement, with...)
	w.Must(err)
	defer rows.Close()
	columns, err := rows.Columns()
	w.Must(err)
	row := make([]sql.NullString, len(columns))
	into := make([]any, len(columns))
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		w.Must(rows.Scan(into...))
		written := make([]string, len(row))
		for i, value := range row {
			written[i] = value.String
		}
		all = append(all, strings.Join(written, "|"))
	}
	w.Must(rows.Err())
	return all
}

// lastUse is what changes by being asked: when a token was used last, how many
// questions of the month are used up, what the answers cost, and which first
// steps are done.
var lastUse = regexp.MustCompile(`"last_used_(at|ip|agent)":("[^"]*"|null)|(?s:<div class="meter[^"]*" id="usage-messages.*?</div>)|(?s:<section [^>]*id="checklist".*?</section>)|(?s:<span id="tokens-last-used".*?</span>)|(?s:<section id="spent".*?</section>)`)

// grows has the pages on which what is asked appears, as theirs is when a stranger
// asks the own chatbot.
var grows = map[string]bool{
	"/chatbots/:chatbot/conversations": true, "/chatbots/:chatbot/conversations/export": true, "/chatbots/:chatbot/conversations/:conversation": true,
	"/chatbots/:chatbot": true, "/chatbots/:chatbot/deploy": true,
	"/workspaces/:workspace/audit/export": true, // which the log records
	"/chatbots/:chatbot/improve":          true, "/chatbots/:chatbot/analytics": true,
}

// SeenByOwner is everything that the owner sees, but for the last use of tokens.
func (w *Instance) SeenByOwner(e *FullWorkspace) string {
	w.Helper()
	var seen strings.Builder
	for _, r := range Routes {
		if r.Shows() && !grows[r.Pattern] {
			answer := w.Try(r, e.IDs, w.Session(e.Owner))
			w.Expect(answer, 200)
			seen.WriteString(lastUse.ReplaceAllString(answer.Text, ""))
		}
	}
	conversationID, err := w.Server.ConversationID(e.IDs["conversation_id"])
	w.Must(err)
	messages, _, err := w.Server.Chat.Messages(w.Context(), &chatbot.Principal{Chatbot: e.Bot}, chat.Ref{ConversationID: conversationID}, chat.Page{})
	w.Must(err)
	fmt.Fprintf(&seen, "%v", messages)
	return seen.String()
}

// UnknownIDs are identifiers that nothing has.
var UnknownIDs = IDs{
	"workspace": "ws_0123456789abcdefghjkmnpq", "chatbot": "cb_0123456789abcdefghjkmnpq", "id": "cb_0123456789abcdefghjkmnpq",
	"token_id": "tok_0123456789abcdefghjkmnpq", "document": "doc_0123456789abcdefghjkmnpq", "document_id": "doc_0123456789abcdefghjkmnpq",
	"failed": "doc_0123456789abcdefghjkmnpq", "source": "src_0123456789abcdefghjkmnpq", "source_id": "src_0123456789abcdefghjkmnpq",
	"invitation": "inv_0123456789abcdefghjkmnpq", "user": "usr_0123456789abcdefghjkmnpq", "provider": "mp_0123456789abcdefghjkmnpq", "conversation_id": "9007199254740990", "deleted": "9007199254740990", "tried": "9007199254740990",
	"given": "doc_0123456789abcdefghjkmnpq", "removal_id": "rm_0123456789abcdefghjkmnpq", "external_id": "nothing-has-this-name",
	"webhook": "we_0123456789abcdefghjkmnpq", "delivery": "9007199254740990", "entry": "9007199254740990",
	"message": "9007199254740990", "conversation": "9007199254740990", "question": "tq_0123456789abcdefghjkmnpq", "other_question": "tq_0123456789abcdefghjkmnpq", "run": "tr_0123456789abcdefghjkmnpq", "message_id": "9007199254740990", "response_id": "resp_9007199254740990_9007199254740990",
}
