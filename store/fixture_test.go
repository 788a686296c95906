package store

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/tenant"
)

// tenancy is one workspace with a row in every table that belongs to one.
// Every text in it that a stranger must not see holds secret.
type tenancy struct {
	id, user, invitation, chatbot, token, document string

	secret       string
	conversation int64
	answer       int64
	passage      int64
}

// fill makes a workspace whose identifiers end with name.
func (b *bundle) fill(name string) tenancy {
	b.Helper()
	ctx := b.Context()
	w := tenancy{
		id: "ws_" + name, user: "usr_" + name, invitation: "inv_" + name, chatbot: "cb_" + name,
		token: "tok_" + name, document: "doc_" + name, secret: "secret-of-" + name,
	}
	b.must(b.CreateUser(ctx, tenant.User{ID: w.user, Email: w.secret + "@example.com", PasswordHash: "hash", CreatedAt: epoch}))
	b.must(b.CreateWorkspace(ctx, tenant.Workspace{ID: w.id, Name: w.secret, Plan: plan.Standard, CreatedAt: epoch}))
	b.must(b.AddMember(ctx, w.id, tenant.Member{UserID: w.user, Role: tenant.RoleOwner, CreatedAt: epoch}))
	b.must(b.CreateInvitation(ctx, w.id, tenant.Invitation{
		ID: w.invitation, Email: "guest@" + w.secret + ".example", Role: tenant.RoleMember, CreatedAt: epoch, ExpiresAt: epoch,
	}, "code of "+name))
	b.must(b.CreateChatbot(ctx, w.id, chatbot.Chatbot{ID: w.chatbot, Name: w.secret, CreatedAt: epoch}))
	b.must(b.CreateToken(ctx, w.id, chatbot.Token{
		ID: w.token, ChatbotID: w.chatbot, Name: w.secret, Hint: w.secret, Scopes: chatbot.AllScopes(), CreatedAt: epoch,
	}, "hash of "+name))
	w.fillKnowledge(b)
	w.fillChat(b)
	return w
}

func (w *tenancy) fillKnowledge(b *bundle) {
	b.Helper()
	ctx := b.Context()
	b.must(b.CreateDocument(ctx, w.id, w.newDocument(w.document), w.newPassages(3)))
	b.must(b.SetDocumentState(ctx, w.id, w.document, knowledge.Ready, ""))
	passages, err := b.Passages(ctx, w.id, w.document)
	b.must(err)
	w.passage = passages[0].ID
}

func (w *tenancy) newDocument(id string) knowledge.Document {
	return knowledge.Document{
		ID: id, WorkspaceID: w.id, ChatbotID: w.chatbot, Title: w.secret, Kind: knowledge.Markdown, State: knowledge.Pending,
		Content: w.secret, ContentHash: "content of " + id, Chars: 17, CreatedAt: epoch,
	}
}

func (w *tenancy) newPassages(n int) []knowledge.Passage {
	passages := make([]knowledge.Passage, n)
	for i := range passages {
		passages[i] = knowledge.Passage{Ordinal: i, Title: w.secret, HeadingPath: []string{w.secret}, Text: fmt.Sprint(w.secret, " ", i)}
	}
	return passages
}

func (w *tenancy) fillChat(b *bundle) {
	b.Helper()
	ctx := b.Context()
	conversation, err := b.CreateConversation(ctx, w.id, chat.Conversation{ChatbotID: w.chatbot, Status: chat.Active, CreatedAt: epoch})
	b.must(err)
	w.conversation = conversation.ID
	w.answer, err = b.BeginTurn(ctx, w.id, w.newTurn())
	b.must(err)
}

func (w *tenancy) newTurn() chat.NewTurn {
	return chat.NewTurn{ConversationID: w.conversation, Question: w.secret, At: epoch, LeaseUntil: epoch}
}

// tables are the tables whose rows belong to a workspace, with the column that
// says to which.
var tables = map[string]string{
	"workspaces": "id", "members": "workspace_id", "invitations": "workspace_id", "chatbots": "workspace_id",
	"tokens": "workspace_id", "documents": "workspace_id", "passages": "workspace_id",
	"conversations": "workspace_id", "messages": "workspace_id",
}

// rows are all rows of a workspace, as text.
func (b *bundle) rows(workspaceID string) string {
	b.Helper()
	var out strings.Builder
	for table, column := range tables {
		fmt.Fprintf(&out, "%s: %s\n", table, b.dump(table, column, workspaceID))
	}
	return sortedLines(out.String())
}

func (b *bundle) dump(table, column, workspaceID string) string {
	b.Helper()
	found, err := b.reads.QueryContext(b.Context(),
		fmt.Sprintf("SELECT * FROM %s WHERE %s = '%s' ORDER BY id", table, column, workspaceID))
	b.must(err)
	defer found.Close()
	columns, err := found.Columns()
	b.must(err)
	var rows []string
	for found.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		b.must(found.Scan(into...))
		rows = append(rows, fmt.Sprint(values))
	}
	b.must(found.Err())
	return strings.Join(rows, "; ")
}

func sortedLines(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}
