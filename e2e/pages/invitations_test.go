package pages

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"parley/app"
	"parley/core/account"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/e2e/harness"
)

// invite makes an invitation on the page and returns its code.
func invite(v *harness.Visitor, workspace, email, role string) string {
	v.Helper()
	r := v.Post("/workspaces/"+workspace+"/invitations", harness.Pairs{"email", email, "role", role})
	v.Expect(r, http.StatusOK)
	link := harness.TextOf(v.Page(r), "id", "invitation-link")
	code, ok := strings.CutPrefix(link, v.Server.BaseURL()+"/join#")
	if !ok || len(code) != 43 {
		v.Fatalf("the link is %q", link)
	}
	return code
}

func join(v *harness.Visitor, code, password string) harness.Reply {
	v.Helper()
	return v.Post("/join", harness.Pairs{"code", code, "password", password})
}

// refusedCode fails the test unless the page says that a code does not work.
func refusedCode(v *harness.Visitor, r harness.Reply) {
	v.Helper()
	v.Expect(r, http.StatusUnprocessableEntity)
	if got := harness.TextOf(v.Page(r), "id", "code-error"); !strings.Contains(got, "Ask for a new one") {
		v.Errorf("the page says %q", got)
	}
	if len(v.Cookies) != 0 {
		v.Errorf("there are cookies: %v", v.Cookies)
	}
}

const guestPassword = "a password of a guest"

func TestInvitations(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker, smith := w.NewTenant("baker", plan.Standard), w.NewTenant("smith", plan.Standard)
		owner := w.SignedIn(baker.Email, baker.Password)
		home := "/workspaces/" + baker.Workspace
		used := invite(owner, baker.Workspace, "guest@example.com", "member")

		t.Run("the page shows the link once", func(t *testing.T) {
			v := owner.In(t)
			page := v.Get(home + "/members")
			if !strings.Contains(page.Text, "guest@example.com") || strings.Contains(page.Text, used) {
				t.Error("the invitation is not listed, or with its code")
			}
		})
		t.Run("a person without an account gets one, with the password they choose", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			v.GoesTo(join(v, used, guestPassword), "/")
			v.GoesTo(v.Get("/"), home)
			v.Expect(v.Get(home), http.StatusOK)
			w.Within(t).SignedIn("guest@example.com", guestPassword)
		})
		t.Run("a code works once", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			refusedCode(v, join(v, used, guestPassword))
		})
		t.Run("a password that is too short does not use up the code", func(t *testing.T) {
			code := invite(owner.In(t), baker.Workspace, "hasty@example.com", "member")
			v := w.Within(t).NewVisitor()
			v.Expect(join(v, code, "short"), http.StatusUnprocessableEntity)
			v.GoesTo(join(v, code, guestPassword), "/")
		})
		t.Run("a person with an account joins with its password, and keeps what they had", func(t *testing.T) {
			code := invite(owner.In(t), baker.Workspace, smith.Email, "admin")
			v := w.Within(t).NewVisitor()
			r := join(v, code, guestPassword)
			v.Expect(r, http.StatusUnprocessableEntity)
			if got := harness.TextOf(v.Page(r), "id", "password-error"); !strings.Contains(got, "Enter its password") {
				t.Errorf("the page says %q", got)
			}
			v.GoesTo(join(v, code, smith.Password), "/")
			v.Expect(v.Get(home), http.StatusOK)
			v.Expect(v.Get("/workspaces/"+smith.Workspace), http.StatusOK)
		})
		t.Run("a canceled invitation does not work", func(t *testing.T) {
			code := invite(owner.In(t), baker.Workspace, "unwanted@example.com", "member")
			owner := owner.In(t)
			open, err := w.Server.Program.Tenants.Invitations.List(t.Context(), baker.Workspace)
			if err != nil || len(open) != 1 {
				t.Fatalf("%d are open, %v", len(open), err)
			}
			owner.Expect(owner.Post(home+"/invitations/"+open[0].ID+"/cancel", nil), http.StatusSeeOther)
			v := w.Within(t).NewVisitor()
			refusedCode(v, join(v, code, guestPassword))
		})
		t.Run("a code that was never made does not work", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			refusedCode(v, join(v, strings.Repeat("A", 43), guestPassword))
		})
		t.Run("guessing is throttled", func(t *testing.T) {
			v := w.Within(t).NewVisitor()
			for range 10 {
				join(v, "one guess", guestPassword)
			}
			r := join(v, "one guess", guestPassword)
			v.Expect(r, http.StatusTooManyRequests)
			if r.Header.Get("Retry-After") == "" {
				t.Error("there is no Retry-After")
			}
		})
		t.Run("two people who use one code at once become one member", func(t *testing.T) {
			code := invite(owner.In(t), baker.Workspace, "double@example.com", "member")
			var joins sync.WaitGroup
			for range 4 {
				joins.Go(func() {
					_, err := w.Server.Program.Tenants.Invitations.Join(t.Context(), code, guestPassword, account.Client{})
					_ = err // one succeeds, which the members show
				})
			}
			joins.Wait()
			members, err := w.Server.Program.Tenants.Members.List(t.Context(), baker.Workspace)
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
			v := owner.In(t)
			r := v.Post(home+"/invitations", harness.Pairs{"email", "Guest@example.com", "role", "member"})
			v.Expect(r, http.StatusConflict)
		})
		t.Run("open invitations count as members of a plan", func(t *testing.T) {
			nail := w.NewTenant("nail", plan.Basic)
			v := w.Within(t).SignedIn(nail.Email, nail.Password)
			invite(v, nail.Workspace, "one@example.com", "member")
			invite(v, nail.Workspace, "two@example.com", "member")
			r := v.Post("/workspaces/"+nail.Workspace+"/invitations", harness.Pairs{"email", "three@example.com", "role", "member"})
			v.Expect(r, http.StatusForbidden)
			if !strings.Contains(harness.Text(v.Page(r)), "The Basic plan includes 3 members") {
				t.Errorf("the page says %q", harness.Text(v.Page(r)))
			}
		})
		t.Run("the log has no code and no password", func(t *testing.T) {
			w.Within(t).NotLogged(used, guestPassword, baker.Password)
		})
	})
}
