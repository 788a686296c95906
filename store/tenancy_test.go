package store

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/tenant"
)

// acrossWorkspaces are the methods that take no workspace; the package comment
// gives the reasons.
var acrossWorkspaces = map[string]bool{
	"InTx": true, "Close": true, "Check": true, "IsSQLite": true,
	"PrincipalByTokenHash": true, "InvitationByCode": true,
	"CreateUser": true, "User": true, "UserByEmail": true, "Users": true, "CountUsers": true, "SetPassword": true,
	"Memberships": true, "CreateSession": true, "Session": true, "TouchSession": true, "DeleteSession": true,
	"DeleteSessions": true, "DeleteExpired": true, "CountAttempt": true, "ForgiveAttempt": true,
	"AllDocuments": true, "UnsettledDocuments": true, "RenewLeases": true, "InterruptLapsed": true,
	"CreateWorkspace": true, "Workspaces": true, "WorkspaceOf": true, "Plans": true, "Plan": true,
}

// confined calls a method on things of a, as workspace as.
type confined struct {
	method string
	call   func(ctx context.Context, s *Store, as string, a tenancy) (any, error)
}

// workspaceMethods has a row for every method that takes a workspace, in an
// order in which all of them do something when the workspace is the right one.
var workspaceMethods = []confined{
	{"Workspace", func(ctx context.Context, s *Store, as string, _ tenancy) (any, error) { return s.Workspace(ctx, as) }},
	{"LockWorkspace", func(ctx context.Context, s *Store, as string, _ tenancy) (got any, err error) {
		err = s.InTx(ctx, func(ctx context.Context) (err error) { got, err = s.LockWorkspace(ctx, as); return err })
		return got, err
	}},
	{"Members", func(ctx context.Context, s *Store, as string, _ tenancy) (any, error) { return s.Members(ctx, as) }},
	{"Invitations", func(ctx context.Context, s *Store, as string, _ tenancy) (any, error) { return s.Invitations(ctx, as) }},
	{"Chatbots", func(ctx context.Context, s *Store, as string, _ tenancy) (any, error) { return s.Chatbots(ctx, as) }},
	{"Chatbot", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.Chatbot(ctx, as, a.chatbot)
	}},
	{"Tokens", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.Tokens(ctx, as, a.chatbot)
	}},
	{"Document", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.Document(ctx, as, a.chatbot, a.document)
	}},
	{"Documents", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.Documents(ctx, as, a.chatbot)
	}},
	{"DocumentByHash", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.DocumentByHash(ctx, as, a.chatbot, "content of "+a.document)
	}},
	{"KnowledgeChars", func(ctx context.Context, s *Store, as string, _ tenancy) (any, error) {
		n, err := s.KnowledgeChars(ctx, as)
		return strings.Repeat("secret-of-a ", n), err // b has none of its own
	}},
	{"Passages", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.Passages(ctx, as, a.document)
	}},
	{"ReadyPassages", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.ReadyPassages(ctx, as, a.chatbot, []int64{a.passage})
	}},
	{"Messages", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.Messages(ctx, as, a.conversation, 0, 0)
	}},
	{"LastMessages", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.LastMessages(ctx, as, a.conversation, 10)
	}},

	{"SetExternalUser", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return nil, s.SetExternalUser(ctx, as, a.conversation, a.secret)
	}},
	{"Conversation", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.Conversation(ctx, as, a.chatbot, a.conversation)
	}},
	{"FinishTurn", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return nil, s.FinishTurn(ctx, as, chat.Answer{MessageID: a.answer, Text: "mine", Status: chat.Complete})
	}},
	{"SetPlan", func(ctx context.Context, s *Store, as string, _ tenancy) (any, error) {
		return nil, s.SetPlan(ctx, as, plan.Premium)
	}},
	{"SetRole", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return nil, s.SetRole(ctx, as, a.user, tenant.RoleMember)
	}},
	{"UpdateChatbot", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return nil, s.UpdateChatbot(ctx, as, a.chatbot, chatbot.Settings{Name: "mine"})
	}},
	{"TouchToken", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return nil, s.TouchToken(ctx, as, a.token, epoch)
	}},
	{"RevokeToken", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.RevokeToken(ctx, as, a.chatbot, a.token, epoch)
	}},
	{"SetDocumentState", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return nil, s.SetDocumentState(ctx, as, a.document, knowledge.Failed, "mine")
	}},
	{"ReplacePassages", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		document := a.newDocument(a.document)
		document.WorkspaceID = as
		return nil, s.ReplacePassages(ctx, as, document, a.newPassages(1))
	}},

	// These add to what is named, which is a's: a room has looked it up before.
	{"AddMember", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return nil, s.AddMember(ctx, as, tenant.Member{UserID: "usr_c", Role: tenant.RoleMember, CreatedAt: epoch})
	}},
	{"CreateInvitation", func(ctx context.Context, s *Store, as string, _ tenancy) (any, error) {
		return nil, s.CreateInvitation(ctx, as, tenant.Invitation{ID: "inv_" + as, Email: "x@example.com", Role: tenant.RoleMember}, as)
	}},
	{"CreateChatbot", func(ctx context.Context, s *Store, as string, _ tenancy) (any, error) {
		return nil, s.CreateChatbot(ctx, as, chatbot.Chatbot{ID: "cb_new_" + as, CreatedAt: epoch})
	}},
	{"CreateToken", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return nil, s.CreateToken(ctx, as, chatbot.Token{ID: "tok_" + as, ChatbotID: a.chatbot, CreatedAt: epoch}, as)
	}},
	{"CreateDocument", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		document := a.newDocument("doc_" + as)
		document.WorkspaceID = as
		return nil, s.CreateDocument(ctx, as, document, a.newPassages(1))
	}},
	{"CreateConversation", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.CreateConversation(ctx, as, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, CreatedAt: epoch})
	}},
	{"BeginConversation", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		_, answer, err := s.BeginConversation(ctx, as, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, CreatedAt: epoch}, a.newTurn())
		return answer, err
	}},
	{"BeginTurn", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return s.BeginTurn(ctx, as, a.newTurn())
	}},

	{"DeleteDocument", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return nil, s.DeleteDocument(ctx, as, a.document)
	}},
	{"DeleteInvitation", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return nil, s.DeleteInvitation(ctx, as, a.invitation)
	}},
	{"RemoveMember", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return nil, s.RemoveMember(ctx, as, a.user)
	}},
	{"DeleteChatbot", func(ctx context.Context, s *Store, as string, a tenancy) (any, error) {
		return nil, s.DeleteChatbot(ctx, as, a.chatbot)
	}},
}

func TestEveryMethodKeepsWorkspacesApart(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		b.must(b.CreateWorkspace(b.Context(), tenant.Workspace{ID: "ws_b", Name: "b", Plan: plan.Starter, CreatedAt: epoch}))
		b.must(b.CreateUser(b.Context(), tenant.User{ID: "usr_c", Email: "c@example.com", CreatedAt: epoch}))

		b.Run("as another workspace", func(t *testing.T) {
			before := b.rows(a.id)
			for _, m := range workspaceMethods {
				got, err := m.call(t.Context(), b.Store, "ws_b", a)
				if shown := fmt.Sprintf("%+v", got); err == nil && strings.Contains(shown, a.secret) {
					t.Errorf("%s sees %s", m.method, shown)
				}
				if after := b.rows(a.id); after != before {
					t.Fatalf("%s changed\n%s\nto\n%s", m.method, before, after)
				}
			}
		})

		// Otherwise a row above could name what nobody has.
		b.Run("as the workspace itself", func(t *testing.T) {
			b.must(b.wipe("ws_b"))
			for _, m := range workspaceMethods {
				before := b.rows(a.id)
				got, err := m.call(t.Context(), b.Store, a.id, a)
				if err != nil {
					t.Errorf("%s: %v", m.method, err)
				}
				if shown := fmt.Sprintf("%+v", got); !strings.Contains(shown, a.secret) && b.rows(a.id) == before {
					t.Errorf("%s neither shows nor changes anything: %s", m.method, shown)
				}
			}
		})
	})
}

// wipe takes away what the first half of the test has added.
func (b *bundle) wipe(workspaceID string) error {
	return b.begin.inTx(b.Context(), func(ctx context.Context, tx entsql.ExecQuerier) error {
		for _, table := range []string{"messages", "conversations", "passages", "documents", "tokens", "chatbots", "invitations", "members"} {
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE workspace_id = '"+workspaceID+"'"); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestEveryMethodIsInOneList(t *testing.T) {
	takes := takingWorkspace(t)
	listed := map[string]bool{}
	for _, m := range workspaceMethods {
		listed[m.method] = true
	}
	store := reflect.TypeFor[*Store]()
	for i := range store.NumMethod() {
		name := store.Method(i).Name
		switch {
		case listed[name] == acrossWorkspaces[name]:
			t.Errorf("%s must be in one of workspaceMethods and acrossWorkspaces", name)
		case listed[name] != takes[name]:
			t.Errorf("%s: whether it is in workspaceMethods (%v) must say whether it takes a workspaceID (%v)", name, listed[name], takes[name])
		}
	}
}

// takingWorkspace reads, from the source, which methods have workspaceID as
// the parameter after the context.
func takingWorkspace(t *testing.T) map[string]bool {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	takes := map[string]bool{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range file.Decls {
			if method, is := declared.(*ast.FuncDecl); is && method.Recv != nil {
				takes[method.Name.Name] = takes[method.Name.Name] || secondIsWorkspace(method.Type.Params.List)
			}
		}
	}
	return takes
}

func secondIsWorkspace(params []*ast.Field) bool {
	return len(params) > 1 && len(params[1].Names) > 0 && params[1].Names[0].Name == "workspaceID"
}
