package e2e

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
)

func TestDeletionWaits(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard, opening, "The canarydocument says that rolls are warm.")
		gone := w.newTenant("gone", plan.Standard, opening)
		w.settled(baker)
		w.askedFor(baker.token, "alice", "Are rolls warm, canaryquestion?")
		home := "/workspaces/" + baker.workspace
		v := w.visitor()
		v.signIn(baker.email, baker.password)
		ask := func(w *instance, tn tenantOf) reply {
			return w.call("POST", chatPath, `{"message":"When does the bakery open?"}`, bearer(tn.token), header{"X-Request-Id", "the-same"})
		}
		same := func(t *testing.T, got, want reply) {
			t.Helper()
			if got.StatusCode != want.StatusCode || got.body != want.body {
				t.Errorf("%d %s, want %d %s", got.StatusCode, got.body, want.StatusCode, want.body)
			}
		}
		_, err := w.server.Privacy.Workspaces.DeleteNow(t.Context(), gone.workspace)
		w.must(err)

		t.Run("its programs and people get what those of a deleted one get", func(t *testing.T) {
			v := v.in(t)
			v.expect(v.post(home+"/delete", pairs{"confirm_name", "baker"}), http.StatusSeeOther)
			same(t, ask(v.instance, baker), ask(v.instance, gone))
			session := header{"X-Request-Id", "the-same"}
			same(t, v.ask("GET", "/api/chatbots/"+baker.chatbot+"/documents", "", session), v.ask("GET", "/api/chatbots/"+gone.chatbot+"/documents", "", session))
			same(t, v.ask("GET", "/api/workspaces/"+baker.workspace+"/find?q=a", "", session), v.ask("GET", "/api/workspaces/"+gone.workspace+"/find?q=a", "", session))
			page := v.get(home + "/deletion")
			v.expect(page, http.StatusOK)
			if !strings.Contains(page.body, "restore-workspace") {
				t.Error("the owner cannot restore it")
			}
		})
		t.Run("before its time nothing is erased", func(t *testing.T) {
			w := w.within(t)
			w.later(6*24*time.Hour, func(p *app.Program) { w.must(p.Privacy.Work(t.Context())) })
			if _, err := w.server.Tenants.Workspaces.Workspace(t.Context(), baker.workspace); err != nil {
				t.Errorf("the workspace is gone: %v", err)
			}
		})
		t.Run("restored, it answers again at once", func(t *testing.T) {
			v := v.in(t)
			v.expect(v.post(home+"/restore", nil), http.StatusSeeOther)
			v.checkAnswer(ask(v.instance, baker), 200, 0)
			v.expect(v.get(home), http.StatusOK)
		})
		t.Run("after seven days all is erased, with a receipt that stays", func(t *testing.T) {
			v := v.in(t)
			v.expect(v.post(home+"/delete", pairs{"confirm_name", "baker"}), http.StatusSeeOther)
			v.later(7*24*time.Hour+time.Minute, func(p *app.Program) { v.must(p.Privacy.Work(t.Context())) })
			if _, err := v.server.Tenants.Workspaces.Workspace(t.Context(), baker.workspace); !fault.Is(err, fault.NotFound) {
				t.Errorf("the workspace gives %v", err)
			}
			receipts, err := v.server.Privacy.Receipts.Find(t.Context(), privacy.WorkspaceHash(baker.workspace))
			v.must(err)
			if len(receipts) != 1 || receipts[0].DoneAt == nil {
				t.Fatalf("the receipts are %+v", receipts)
			}
			r := receipts[0]
			for _, kind := range []string{"workspaces", "members", "chatbots", "tokens", "documents", "passages", "conversations", "messages", "receipts", privacy.IndexEntries} {
				if r.Erased[kind] < 1 {
					t.Errorf("no %s were erased: %v", kind, r.Erased)
				}
			}
			for _, table := range privacy.Erased() {
				if n, counted := r.Remaining[table.Name]; n != 0 || !counted {
					t.Errorf("%s: %d remain (counted: %v)", table.Name, n, counted)
				}
			}
			same(t, ask(v.instance, baker), ask(v.instance, gone))
			v.notInFiles("canarydocument", "canaryquestion")
		})
	})
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard, opening)
		user, err := w.server.Tenants.Users.ByEmail(t.Context(), baker.email)
		w.must(err)
		alone, err := w.server.Tenants.Workspaces.Create(t.Context(), user, "Alone")
		w.must(err)
		w.colleague(baker, "colleague", tenant.RoleAdmin)
		v := w.visitor()
		v.signIn(baker.email, baker.password)
		w.tries(baker, w.ownerOf(baker), `{"message":"A trial, canarytrial"}`)

		t.Run("the only owner of a workspace with others is told what to do", func(t *testing.T) {
			v := v.in(t)
			page := v.get("/account/privacy")
			if !strings.Contains(page.body, "only owner of “baker”") || strings.Contains(page.body, "delete-account\"") {
				t.Errorf("the page says %s", text(v.page(page)))
			}
			v.expect(v.post("/account/privacy/delete", pairs{"password", baker.password}), http.StatusConflict)
		})
		next := account.User{}
		for _, m := range members(w, baker.workspace) {
			if m.Email != baker.email {
				next.ID = m.UserID
			}
		}
		w.must(w.server.Tenants.Members.ChangeRole(t.Context(), baker.workspace, user.ID, next.ID, tenant.RoleOwner))
		t.Run("a copy of the account has no secret", func(t *testing.T) {
			v := v.in(t)
			files := v.unpacked(v.post("/account/privacy/export", nil))
			if !strings.Contains(files["profile.jsonl"], baker.email) || !strings.Contains(files["memberships.jsonl"], `"owner"`) ||
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
			v := v.in(t)
			page := v.get("/account/privacy")
			if !strings.Contains(page.body, "“Alone”") {
				t.Error("the page does not say which workspace goes with the account")
			}
			v.expect(v.post("/account/privacy/delete", pairs{"password", "a wrong guess"}), http.StatusUnprocessableEntity)
		})
		t.Run("with the password the account is erased, and what others use stays", func(t *testing.T) {
			v := v.in(t)
			v.expect(v.post("/account/privacy/delete", pairs{"password", baker.password}), http.StatusSeeOther)
			v.expect(v.get("/account"), http.StatusSeeOther)
			v.expect(v.signIn(baker.email, baker.password), http.StatusUnauthorized)
			receipts, err := v.server.Privacy.Receipts.Find(t.Context(), privacy.AccountHash(baker.email))
			v.must(err)
			if len(receipts) != 1 || receipts[0].DoneAt == nil || receipts[0].Erased["users"] != 1 || receipts[0].Erased["sessions"] < 1 || receipts[0].Remaining.Total() != 0 {
				t.Errorf("the receipts are %+v", receipts)
			}
			tokens, err := v.server.Chatbots.Tokens.List(t.Context(), baker.workspace, baker.chatbot)
			v.must(err)
			if len(tokens) != 1 || tokens[0].CreatedBy != "deleted account" {
				t.Errorf("the tokens are %+v", tokens)
			}
			v.checkAnswer(v.call("POST", chatPath, `{"message":"When does the bakery open?"}`, bearer(baker.token)), 200, 0)
			ending, err := v.server.Tenants.Workspaces.Workspace(t.Context(), alone.ID)
			v.must(err)
			if !ending.Ending() {
				t.Error("the workspace in which nobody else is stays")
			}
			v.notInFiles("canarytrial")
		})
	})
}

func members(w *instance, workspaceID string) []tenant.Member {
	w.Helper()
	all, err := w.server.Tenants.Members.List(w.Context(), workspaceID)
	w.must(err)
	return all
}
