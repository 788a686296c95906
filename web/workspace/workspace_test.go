package workspace_test

import (
	"net/url"
	"strings"
	"testing"

	"parley/core/plan"
	"parley/core/tenant"
	"parley/web/shoptest"
	"parley/web/webtest"
)

// settingsForm is the form that renames, as a tab has it.
func settingsForm(s *shoptest.Shop) url.Values {
	return webtest.Filled(s.T, s.Get(s.Url("/settings")).Body, s.Url("/settings"))
}

func TestRenamingAWorkspace(t *testing.T) {
	s := shoptest.Open(t, nil)
	first, second := settingsForm(s), settingsForm(s)
	first.Set("name", "<b>Bakery</b>")
	s.WantGone(s.Post(s.Url("/settings"), first), s.Url("/settings"))
	s.WantPage(s.Get(s.Url("/settings")), 200, `value="&lt;b&gt;Bakery&lt;/b&gt;"`)

	second.Set("name", "Mine")
	got := s.Post(s.Url("/settings"), second)
	s.WantPage(got, 409, "Somebody renamed the workspace", `value="Mine"`)
	s.WantGone(s.Post(s.Url("/settings"), webtest.Filled(t, got.Body, s.Url("/settings"))), s.Url("/settings"))
	for _, name := range []string{"", strings.Repeat("x", 101), "\x01"} {
		s.WantPage(s.Post(s.Url("/settings"), url.Values{"name": {name}}), 422, `id="name-error"`)
	}
}

func TestAnotherWorkspace(t *testing.T) {
	s := shoptest.Open(t, nil)
	s.WantPage(s.Get("/workspaces/new"), 200, `action="/workspaces"`)
	s.WantPage(s.Post("/workspaces", url.Values{"name": {" "}}), 422, "Enter a name.")
	for range tenant.MaxFree - 1 {
		got := s.Post("/workspaces", url.Values{"name": {"Second"}})
		if to := got.Header.Get("Location"); got.Status != 303 || !strings.HasPrefix(to, "/workspaces/ws_") {
			t.Fatalf("status %d to %q", got.Status, to)
		}
	}
	s.WantPage(s.Post("/workspaces", url.Values{"name": {"One too many"}}), 403, "You own 3 workspaces on the free plan", `value="One too many"`)
}

func TestMembersOfAFullPlan(t *testing.T) {
	s := shoptest.Open(t, nil)
	got := s.Get(s.Url("/members"))
	s.WantPage(got, 200, "Your plan is full", "The Starter plan includes 1 member.", `href="`+s.Url("/billing")+`"`)
	if strings.Contains(got.Body, `id="invite"`) {
		t.Error("it offers a form that refuses")
	}
	webtest.Must(t, s.Tenants.Grants.SetPlan(t.Context(), s.Home.ID, plan.Basic))
	s.WantPage(s.Get(s.Url("/members")), 200, `id="invite"`)
}
