package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/core/plan"
	"parley/core/tenant"
)

func TestLeavingInTheBrowser(t *testing.T) {
	w := start(t)
	baker := w.newTenant("baker", plan.Standard)
	helper, err := w.server.Program.Tenants.SignUps.CreateUser(t.Context(), "helper@example.com", staffPassword)
	w.must(err)
	w.must(w.server.Program.Tenants.Members.Add(t.Context(), baker.workspace, helper, tenant.RoleAdmin))
	as := baker
	as.email, as.password = helper.Email, staffPassword
	b := w.window()
	members := "/workspaces/" + baker.workspace + "/members"

	t.Run("an invitation names who made it", func(t *testing.T) {
		b.signIn(t, as)
		b.do(t, chromedp.Navigate(w.base+members), chromedp.SendKeys(chromedp.ID("email"), "guest@example.com"))
		b.follow(t, "#invite")
		if got := b.text(t, "#invitation-list tbody"); !strings.Contains(got, "guest@example.com") || !strings.Contains(got, "helper@example.com") {
			t.Errorf("the invitations are %q", got)
		}
	})
	t.Run("a member can leave on the page of the workspace, after confirming", func(t *testing.T) {
		b.do(t, chromedp.Navigate(w.base+"/workspaces/"+baker.workspace+"/settings"), chromedp.Click(chromedp.ID("leave-workspace")))
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
		v := w.within(t).signedIn(baker.email, baker.password)
		if got := text(v.page(v.get(members))); !strings.Contains(got, "You're its only owner.") || strings.Contains(got, "guest@example.com") {
			t.Errorf("the page says %q", got)
		}
		v.expect(v.post("/workspaces/"+baker.workspace+"/leave", pairs{"leave", "on"}), 409)
	})
}
