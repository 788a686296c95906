package workspace_test

import (
	"net/url"
	"strings"
	"testing"

	"parley/core/account"
	"parley/core/chatbot"
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
	s.WantPage(s.Post("/workspaces", url.Values{"name": {" "}}), 422, "Give a name.")
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

func TestAuditPage(t *testing.T) {
	s := shoptest.Open(t, nil)
	for range 60 {
		bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "<i>Guide</i>"})
		webtest.Must(t, err)
		webtest.Must(t, s.Chatbots.Delete(t.Context(), s.Home.ID, bot.ID))
	}
	s.WantGone(s.Post(s.Url("/settings"), url.Values{"name": {"Renamed"}}), s.Url("/settings"))
	got := s.Get(s.Url("/audit"))
	s.WantPage(got, 200, "Renamed the workspace", "name: Acme → Renamed", "ada@example.com", "Deleted the chatbot", "&lt;i&gt;Guide&lt;/i&gt;", "before=")
	if n := strings.Count(got.Body, "<tr data-action"); n != 50 {
		t.Errorf("the page has %d entries", n)
	}
	for path, want := range map[string]string{
		"?kind=workspace":                  "Renamed the workspace",
		"?kind=token":                      "Nothing matches",
		"?kind=%27%3B--":                   "Nothing matches",
		"?actor=ada%40example.com":         "Renamed the workspace",
		"?actor=nobody%40example.com":      "Nothing matches",
		"?from=2026-11-31":                 "Choose a day to begin with",
		"?to=soon":                         "Choose a last day",
		"?to=2020-01-01":                   "Nothing matches",
		"?before=-5":                       "Renamed the workspace",
		"?before=99999999999999999999":     "Renamed the workspace",
		"?actor=%3Cscript%3Ealert%28%29":   "&lt;script&gt;alert()",
		"?from=2026-01-01&to=2099-01-01":   "Renamed the workspace",
		"?kind=workspace&from=2026-01-01":  "Clear",
		"?kind=chatbot&before=3&from=2020": "Choose a day",
	} {
		s.WantPage(s.Get(s.Url("/audit"+path)), 200, want)
	}
	t.Run("chatbots and providers are named, and lead to their pages", func(t *testing.T) {
		s := s.Within(t)
		provider := s.NewProvider("House & Co")
		bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Porter"})
		webtest.Must(t, err)
		webtest.Must(t, s.Chatbots.Update(t.Context(), s.Home.ID, bot.ID, chatbot.Settings{Name: "Porter", Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: provider.ID, Name: "small"}}}))
		named := s.Get(s.Url("/audit"))
		s.WantPage(named, 200, `<a href="/chatbots/`+bot.ID+`">Porter</a>`, `<a href="`+s.Url("/models/"+provider.ID)+`">House &amp; Co</a>`)
		if strings.Contains(named.Body, ">"+bot.ID) || strings.Contains(named.Body, " "+provider.ID) {
			t.Error("the page has an identifier")
		}
	})
	t.Run("members who manage nobody do not read it", func(t *testing.T) {
		s := s.Within(t)
		webtest.Must(t, s.Tenants.Grants.SetPlan(t.Context(), s.Home.ID, plan.Standard))
		ben, _, err := s.Tenants.SignUps.Create(t.Context(), account.Account{Email: "ben@example.com", Password: shoptest.Password, Workspace: "Ben's"})
		webtest.Must(t, err)
		webtest.Must(t, s.Tenants.Members.Add(t.Context(), s.Home.ID, ben, tenant.RoleMember))
		s.SignIn(ben)
		s.WantPage(s.Get(s.Url("/audit")), 403)
	})
}
