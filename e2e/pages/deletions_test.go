package pages

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/account"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/privacy"
	"parley/core/tenant"
	"parley/e2e/harness"
)

func TestDeletionWaits(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard, harness.Opening, "The canarydocument says that rolls are warm.")
		gone := w.NewTenant("gone", plan.Standard, harness.Opening)
		w.Settled(baker)
		w.AskedFor(baker.Token, "alice", "Are rolls warm, canaryquestion?")
		home := "/workspaces/" + baker.Workspace
		v := w.NewVisitor()
		v.SignIn(baker.Email, baker.Password)
		ask := func(w *harness.Instance, tn harness.Tenant) harness.Reply {
			return w.Call("POST", harness.ChatPath, `{"message":"When does the bakery open?"}`, harness.Bearer(tn.Token), harness.Header{Name: "X-Request-Id", Value: "the-same"})
		}
		same := func(t *testing.T, got, want harness.Reply) {
			t.Helper()
			if got.StatusCode != want.StatusCode || got.Text != want.Text {
				t.Errorf("%d %s, want %d %s", got.StatusCode, got.Text, want.StatusCode, want.Text)
			}
		}
		_, err := w.Server.Privacy.Workspaces.DeleteNow(t.Context(), gone.Workspace)
		w.Must(err)

		t.Run("its programs and people get what those of a deleted one get", func(t *testing.T) {
			v := v.In(t)
			v.Expect(v.Post(home+"/delete", harness.Pairs{"confirm_name", "baker"}), http.StatusSeeOther)
			same(t, ask(v.Instance, baker), ask(v.Instance, gone))
			session := harness.Header{Name: "X-Request-Id", Value: "the-same"}
			same(t, v.Ask("GET", "/api/chatbots/"+baker.Chatbot+"/documents", "", session), v.Ask("GET", "/api/chatbots/"+gone.Chatbot+"/documents", "", session))
			same(t, v.Ask("GET", "/api/workspaces/"+baker.Workspace+"/find?q=a", "", session), v.Ask("GET", "/api/workspaces/"+gone.Workspace+"/find?q=a", "", session))
			page := v.Get(home + "/deletion")
			v.Expect(page, http.StatusOK)
			if !strings.Contains(page.Text, "restore-workspace") {
				t.Error("the owner cannot restore it")
			}
		})
		t.Run("before its time nothing is erased", func(t *testing.T) {
			w := w.Within(t)
			w.Later(6*24*time.Hour, func(p *app.Program) { w.Must(p.Privacy.Work(t.Context())) })
			if _, err := w.Server.Tenants.Workspaces.Workspace(t.Context(), baker.Workspace); err != nil {
				t.Errorf("the workspace is gone: %v", err)
			}
		})
		t.Run("restored, it answers again at once", func(t *testing.T) {
			v := v.In(t)
			v.Expect(v.Post(home+"/restore", nil), http.StatusSeeOther)
			v.CheckAnswer(ask(v.Instance, baker), 200, 0)
			v.Expect(v.Get(home), http.StatusOK)
		})
		t.Run("after seven days all is erased, with a receipt that stays", func(t *testing.T) {
			v := v.In(t)
			v.Expect(v.Post(home+"/delete", harness.Pairs{"confirm_name", "baker"}), http.StatusSeeOther)
			v.Later(7*24*time.Hour+time.Minute, func(p *app.Program) { v.Must(p.Privacy.Work(t.Context())) })
			if _, err := v.Server.Tenants.Workspaces.Workspace(t.Context(), baker.Workspace); !fault.Is(err, fault.NotFound) {
				t.Errorf("the workspace gives %v", err)
			}
			receipts, err := v.Server.Privacy.Receipts.Find(t.Context(), privacy.WorkspaceHash(baker.Workspace))
			v.Must(err)
			if len(receipts) != 1 || receipts[0].DoneAt == nil {
				t.Fatalf("the receipts are %+v", receipts)
			}
			r := receipts[0]
			for _, kind := range []string{"workspaces", "members", "chatbots", "tokens", "documents", "passages", "conversations", "messages", "usage_records", privacy.IndexEntries} {
				if r.Erased[kind] < 1 {
					t.Errorf("no %s were erased: %v", kind, r.Erased)
				}
			}
			for _, table := range privacy.Erased() {
				if n, counted := r.Remaining[table.Name]; n != 0 || !counted {
					t.Errorf("%s: %d remain (counted: %v)", table.Name, n, counted)
				}
			}
			same(t, ask(v.Instance, baker), ask(v.Instance, gone))
			v.NotInFiles("canarydocument", "canaryquestion")
		})
	})
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		user, err := w.Server.Tenants.Users.ByEmail(t.Context(), baker.Email)
		w.Must(err)
		alone, err := w.Server.Tenants.Workspaces.Create(t.Context(), user, "Alone")
		w.Must(err)
		colleague(w, baker, "colleague", tenant.RoleAdmin)
		v := w.NewVisitor()
		v.SignIn(baker.Email, baker.Password)
		tryPlayground(w, baker, w.OwnerOf(baker), `{"message":"A trial, canarytrial"}`)

		t.Run("the only owner of a workspace with others is told what to do", func(t *testing.T) {
			v := v.In(t)
			page := v.Get("/account/privacy")
			if !strings.Contains(page.Text, "only owner of “baker”") || strings.Contains(page.Text, "delete-account\"") {
				t.Errorf("the page says %s", harness.Text(v.Page(page)))
			}
			v.Expect(v.Post("/account/privacy/delete", harness.Pairs{"password", baker.Password}), http.StatusConflict)
		})
		next := account.User{}
		for _, m := range members(w, baker.Workspace) {
			if m.Email != baker.Email {
				next.ID = m.UserID
			}
		}
		w.Must(w.Server.Tenants.Members.ChangeRole(t.Context(), baker.Workspace, user.ID, next.ID, tenant.RoleOwner))
		t.Run("a copy of the account has no secret", func(t *testing.T) {
			v := v.In(t)
			files := v.Unpacked(v.Post("/account/privacy/export", nil))
			if !strings.Contains(files["profile.jsonl"], baker.Email) || !strings.Contains(files["memberships.jsonl"], `"owner"`) ||
				!strings.Contains(files["sessions.jsonl"], "second_factor") || !strings.Contains(files["audit_log.jsonl"], "sign_in.succeeded") {
				t.Errorf("the export is %v", files)
			}
			for name, content := range files {
				if strings.Contains(content, "$argon2") {
					t.Errorf("%s has the hash of the password", name)
				}
			}
		})
		t.Run("a wrong password deletes nothing", func(t *testing.T) {
			v := v.In(t)
			page := v.Get("/account/privacy")
			if !strings.Contains(page.Text, "“Alone”") {
				t.Error("the page does not say which workspace goes with the account")
			}
			v.Expect(v.Post("/account/privacy/delete", harness.Pairs{"password", "a wrong guess"}), http.StatusUnprocessableEntity)
		})
		t.Run("with the password the account is erased, and what others use stays", func(t *testing.T) {
			v := v.In(t)
			v.Expect(v.Post("/account/privacy/delete", harness.Pairs{"password", baker.Password}), http.StatusSeeOther)
			v.Expect(v.Get("/account"), http.StatusSeeOther)
			v.Expect(v.SignIn(baker.Email, baker.Password), http.StatusUnauthorized)
			receipts, err := v.Server.Privacy.Receipts.Find(t.Context(), privacy.AccountHash(baker.Email))
			v.Must(err)
			if len(receipts) != 1 || receipts[0].DoneAt == nil || receipts[0].Erased["users"] != 1 || receipts[0].Erased["sessions"] < 1 || receipts[0].Remaining.Total() != 0 {
				t.Errorf("the receipts are %+v", receipts)
			}
			tokens, err := v.Server.Chatbots.Tokens.List(t.Context(), baker.Workspace, baker.Chatbot)
			v.Must(err)
			if len(tokens) != 1 || tokens[0].CreatedBy != "deleted account" {
				t.Errorf("the tokens are %+v", tokens)
			}
			v.CheckAnswer(v.Call("POST", harness.ChatPath, `{"message":"When does the bakery open?"}`, harness.Bearer(baker.Token)), 200, 0)
			ending, err := v.Server.Tenants.Workspaces.Workspace(t.Context(), alone.ID)
			v.Must(err)
			if !ending.Ending() {
				t.Error("the workspace in which nobody else is stays")
			}
			v.NotInFiles("canarytrial")
		})
	})
}

func members(w *harness.Instance, workspaceID string) []tenant.Member {
	w.Helper()
	all, err := w.Server.Tenants.Members.List(w.Context(), workspaceID)
	w.Must(err)
	return all
}
