package e2e

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"parley/app"
	"parley/core/account"
	"parley/core/plan"
	"parley/core/tenant"
)

// invite makes an invitation on the page and returns its code.
func (v *visitor) invite(workspace, email, role string) string {
	v.Helper()
	r := v.post("/workspaces/"+workspace+"/invitations", pairs{"email", email, "role", role})
	v.expect(r, http.StatusOK)
	link := textOf(v.page(r), "id", "invitation-link")
	code, ok := strings.CutPrefix(link, v.server.BaseURL()+"/join#")
	if !ok || len(code) != 43 {
		v.Fatalf("the link is %q", link)
	}
	return code
}

func (v *visitor) join(code, password string) reply {
	v.Helper()
	return v.post("/join", pairs{"code", code, "password", password})
}

// refusedCode fails the test unless the page says that a code does not work.
func (v *visitor) refusedCode(r reply) {
	v.Helper()
	v.expect(r, http.StatusUnprocessableEntity)
	if got := textOf(v.page(r), "id", "code-error"); !strings.Contains(got, "Ask for a new one") {
		v.Errorf("the page says %q", got)
	}
	if len(v.cookies) != 0 {
		v.Errorf("there are cookies: %v", v.cookies)
	}
}

const guestPassword = "a password of a guest"

func TestInvitations(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker, smith := w.newTenant("baker", plan.Standard), w.newTenant("smith", plan.Standard)
		owner := w.signedIn(baker.email, baker.password)
		home := "/workspaces/" + baker.workspace
		used := owner.invite(baker.workspace, "guest@example.com", "member")

		t.Run("the page shows the link once", func(t *testing.T) {
			v := owner.in(t)
			page := v.get(home + "/members")
			if !strings.Contains(page.body, "guest@example.com") || strings.Contains(page.body, used) {
				t.Error("the invitation is not listed, or with its code")
			}
		})
		t.Run("a person without an account gets one, with the password they choose", func(t *testing.T) {
			v := w.within(t).visitor()
			v.goesTo(v.join(used, guestPassword), "/")
			v.goesTo(v.get("/"), home)
			v.expect(v.get(home), http.StatusOK)
			w.within(t).signedIn("guest@example.com", guestPassword)
		})
		t.Run("a code works once", func(t *testing.T) {
			v := w.within(t).visitor()
			v.refusedCode(v.join(used, guestPassword))
		})
		t.Run("a password that is too short does not use up the code", func(t *testing.T) {
			code := owner.in(t).invite(baker.workspace, "hasty@example.com", "member")
			v := w.within(t).visitor()
			v.expect(v.join(code, "short"), http.StatusUnprocessableEntity)
			v.goesTo(v.join(code, guestPassword), "/")
		})
		t.Run("a person with an account joins with its password, and keeps what they had", func(t *testing.T) {
			code := owner.in(t).invite(baker.workspace, smith.email, "admin")
			v := w.within(t).visitor()
			r := v.join(code, guestPassword)
			v.expect(r, http.StatusUnprocessableEntity)
			if got := textOf(v.page(r), "id", "password-error"); !strings.Contains(got, "Enter its password") {
				t.Errorf("the page says %q", got)
			}
			v.goesTo(v.join(code, smith.password), "/")
			v.expect(v.get(home), http.StatusOK)
			v.expect(v.get("/workspaces/"+smith.workspace), http.StatusOK)
		})
		t.Run("a canceled invitation does not work", func(t *testing.T) {
			code := owner.in(t).invite(baker.workspace, "unwanted@example.com", "member")
			owner := owner.in(t)
			open, err := w.server.Program.Tenants.Invitations.List(t.Context(), baker.workspace)
			if err != nil || len(open) != 1 {
				t.Fatalf("%d are open, %v", len(open), err)
			}
			owner.expect(owner.post(home+"/invitations/"+open[0].ID+"/cancel", nil), http.StatusSeeOther)
			v := w.within(t).visitor()
			v.refusedCode(v.join(code, guestPassword))
		})
		t.Run("a code that was never made does not work", func(t *testing.T) {
			v := w.within(t).visitor()
			v.refusedCode(v.join(strings.Repeat("A", 43), guestPassword))
		})
		t.Run("guessing is throttled", func(t *testing.T) {
			v := w.within(t).visitor()
			for range 10 {
				v.join("one guess", guestPassword)
			}
			r := v.join("one guess", guestPassword)
			v.expect(r, http.StatusTooManyRequests)
			if r.Header.Get("Retry-After") == "" {
				t.Error("there is no Retry-After")
			}
		})
		t.Run("two people who use one code at once become one member", func(t *testing.T) {
			code := owner.in(t).invite(baker.workspace, "double@example.com", "member")
			var joins sync.WaitGroup
			for range 4 {
				joins.Go(func() {
					_, err := w.server.Program.Tenants.Invitations.Join(t.Context(), code, guestPassword, account.Client{})
					_ = err // one succeeds, which the members show
				})
			}
			joins.Wait()
			members, err := w.server.Program.Tenants.Members.List(t.Context(), baker.workspace)
			count := 0
			for _, m := range members {
				if m.Email == "double@example.com" && m.Role == tenant.RoleMember {
					count++
				}
			}
			if err != nil || count != 1 {
				t.Errorf("there are %d, %v", count, err)
			}
		})
		t.Run("a member is not invited again", func(t *testing.T) {
			v := owner.in(t)
			r := v.post(home+"/invitations", pairs{"email", "Guest@example.com", "role", "member"})
			v.expect(r, http.StatusConflict)
		})
		t.Run("open invitations count as members of a plan", func(t *testing.T) {
			nail := w.newTenant("nail", plan.Basic)
			v := w.within(t).signedIn(nail.email, nail.password)
			v.invite(nail.workspace, "one@example.com", "member")
			v.invite(nail.workspace, "two@example.com", "member")
			r := v.post("/workspaces/"+nail.workspace+"/invitations", pairs{"email", "three@example.com", "role", "member"})
			v.expect(r, http.StatusForbidden)
			if !strings.Contains(text(v.page(r)), "The Basic plan includes 3 members") {
				t.Errorf("the page says %q", text(v.page(r)))
			}
		})
		t.Run("the log has no code and no password", func(t *testing.T) {
			w.within(t).notLogged(used, guestPassword, baker.password)
		})
	})
}
