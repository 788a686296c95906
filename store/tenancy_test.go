package store_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/core/account"
	"parley/core/plan"
	"parley/core/tenant"
)

// confined calls a method on things of a, as workspace as.
type confined struct {
	method string
	call   func(ctx context.Context, s *everything, as string, a tenancy) (any, error)
}

// shownIf stands for numbers of things of a, in which no secret shows.
func shownIf(a tenancy, n int) string {
	if n == 0 {
		return ""
	}
	return a.secret
}

// workspaceMethods has a row for every method that takes a workspace, in an order
// in which all of them do something when the workspace is the right one.
var workspaceMethods = slices.Concat(methodsThatRead, methodsThatCopy, methodsThatChange, methodsThatAdd, methodsOfInsight, methodsOfWebhooks, methodsOfSSO, methodsOfPrivacy, methodsThatDelete)

// secretIf is the secret if something was seen that does not name it.
func secretIf(a tenancy, seen bool) string {
	if seen {
		return a.secret
	}
	return ""
}

func TestEveryMethodKeepsWorkspacesApart(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		b.must(b.CreateWorkspace(b.Context(), tenant.Workspace{ID: "ws_b", Name: "b", Plan: plan.Starter, CreatedAt: epoch}))
		b.must(b.CreateUser(b.Context(), account.User{ID: "usr_c", Email: "c@example.com", CreatedAt: epoch}))

		b.Run("as another workspace", func(t *testing.T) {
			before := b.rows(a.id)
			for _, m := range workspaceMethods {
				got, err := m.call(t.Context(), b.everything, "ws_b", a)
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
				got, err := m.call(t.Context(), b.everything, a.id, a)
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
	b.unguard()
	return b.InTx(b.Context(), func(ctx context.Context) error {
		for _, table := range []string{
			"webhook_deliveries", "webhook_messages", "webhook_endpoints", "usage_records", "idempotency_keys", "cached_answers", "providers",
			"test_results", "test_runs", "test_questions", "feedbacks", "gaps", "daily_stats", "daily_counts", "messages", "conversations", "passages", "uploads", "originals", "documents", "sources", "removals", "embeddings",
			"tokens", "chatbots", "invitations", "sso_connections", "erasures", "members", "subscriptions", "audit_entries", "mails", "usages", "reversals",
			"message_holds", "request_minutes", "index_changes",
		} {
			on := b.Raw(ctx)
			if !b.IsSQLite() {
				on = b.beside() // the server may not delete everything
			}
			if _, err := on.ExecContext(ctx, "DELETE FROM "+table+" WHERE workspace_id = '"+workspaceID+"'"); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestEveryMethodThatTakesAWorkspaceIsTried(t *testing.T) {
	takes, tried := takingWorkspace(t), map[string]bool{}
	for _, m := range workspaceMethods {
		tried[m.method] = true
	}
	store := reflect.TypeFor[*everything]()
	for i := range store.NumMethod() {
		if name := store.Method(i).Name; tried[name] != takes[name] {
			t.Errorf("%s: whether it is in workspaceMethods (%v) must say whether it takes a workspaceID (%v)", name, tried[name], takes[name])
		}
	}
}

// takingWorkspace reads, from the source, which methods have workspaceID as
// the parameter after the context.
func takingWorkspace(t *testing.T) map[string]bool {
	t.Helper()
	var names []string
	for _, folder := range rooms(t) {
		found, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
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
