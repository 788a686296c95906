package pages

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/core/plan"
	"parley/core/tenant"
	"parley/e2e/harness"
)

func TestLeavingInTheBrowser(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard)
	helper, err := w.Server.Program.Tenants.SignUps.CreateUser(t.Context(), "helper@example.com", harness.StaffPassword)
	w.Must(err)
	w.Must(w.Server.Program.Tenants.Members.Add(t.Context(), baker.Workspace, helper, tenant.RoleAdmin))
	as := baker
	as.Email, as.Password = helper.Email, harness.StaffPassword
	b := openWindow(w)
	members := "/workspaces/" + baker.Workspace + "/members"

	t.Run("an invitation names who made it", func(t *testing.T) {
		b.signIn(t, as)
		b.do(t, chromedp.Navigate(w.Base+members), chromedp.SendKeys(chromedp.ID("email"), "guest@example.com"))
		b.follow(t, "#invite")
		if got := b.text(t, "#invitation-list tbody"); !strings.Contains(got, "guest@example.com") || !strings.Contains(got, "helper@example.com") {
			t.Errorf("the invitations are %q", got)
		}
	})
	t.Run("a member can leave on the page of the workspace, after confirming", func(t *testing.T) {
		b.do(t, chromedp.Navigate(w.Base+"/workspaces/"+baker.Workspace+"/settings"), chromedp.Click(chromedp.ID("leave-workspace")))
		if valid := get(t, b, chromedp.Evaluate[bool](`document.getElementById("leave").checkValidity()`)); valid {
			t.Error("nothing asks for a confirmation")
		}
		b.do(t, chromedp.Click(chromedp.ID("leave")))
		b.follow(t, "#leave-workspace")
		if got := b.text(t, "main"); !strings.Contains(got, "You're not in a workspace yet") {
			t.Errorf("the page says %q", got)
		}
		b.quiet(t)
	})
	t.Run("the only owner is told what to do first", func(t *testing.T) {
		v := w.Within(t).SignedIn(baker.Email, baker.Password)
		if got := harness.Text(v.Page(v.Get(members))); !strings.Contains(got, "You're its only owner.") || strings.Contains(got, "guest@example.com") {
			t.Errorf("the page says %q", got)
		}
		v.Expect(v.Post("/workspaces/"+baker.Workspace+"/leave", harness.Pairs{"leave", "on"}), 409)
	})
}
