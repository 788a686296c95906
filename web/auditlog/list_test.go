package auditlog_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/web/shoptest"
	"parley/web/webtest"
)

func TestPages(t *testing.T) {
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
		"?kind=workspace":                       "Renamed the workspace",
		"?kind=token":                           "Nothing matches",
		"?kind=%27%3B--":                        "Nothing matches",
		"?actor=ada%40example.com":              "Renamed the workspace",
		"?actor=nobody%40example.com":           "Nothing matches",
		"?from=2026-11-31":                      "Choose a day to begin with",
		"?to=soon":                              "Choose a last day",
		"?to=2020-01-01":                        "Nothing matches",
		"?before=-5":                            "Renamed the workspace",
		"?before=99999999999999999999":          "Renamed the workspace",
		"?actor=%3Cscript%3Ealert%28%29":        "&lt;script&gt;alert()",
		"?from=2026-01-01&to=2099-01-01":        "Renamed the workspace",
		"?kind=workspace&from=2026-01-01":       "Clear",
		"?kind=chatbot&before=3&from=2020":      "Choose a day",
		"?object=workspace":                     "Renamed the workspace",
		"?object=token":                         "Nothing matches",
		"?id=" + s.Home.ID:                      "Renamed the workspace",
		"?object=chatbot&id=" + s.Home.ID:       "Nothing matches",
		"?address=198.51.100.1":                 "Nothing matches",
		"?request=%00":                          "Renamed the workspace", // nothing is left of it
		"?request=%ff":                          "Nothing matches",
		"?id=%27%3B--&object=%3Cb%3E":           "Nothing matches",
		"?request=" + strings.Repeat("x", 2000): "Nothing matches",
	} {
		s.WantPage(s.Get(s.Url("/audit"+path)), 200, want)
	}
	t.Run("an entry opens, with all that it says", func(t *testing.T) {
		s := s.Within(t)
		entry := regexp.MustCompile(`href="(/workspaces/[^"]*/audit/[0-9]+)">Renamed the workspace<`).FindStringSubmatch(got.Body)
		if entry == nil {
			t.Fatal("nothing leads to it")
		}
		page := s.Get(entry[1])
		s.WantPage(page, 200, "<h1>Renamed the workspace</h1>", "workspace.renamed", "Settings before and after", "Acme", "Renamed", `id="entry-hash"`, "request=", "actor=ada%40example.com", "object=workspace")
		of := regexp.MustCompile(`href="([^"]*\?request=[^"]*)"`).FindStringSubmatch(page.Body)
		if of == nil {
			t.Fatal("nothing leads to the rest of its request")
		}
		s.WantPage(s.Get(html.UnescapeString(of[1])), 200, "Renamed the workspace")
		for _, unknown := range []string{"0", "-1", "1", "9007199254740990", "99999999999999999999", "no-such"} {
			s.WantPage(s.Get(s.Url("/audit/"+unknown)), 404)
		}
	})
	t.Run("what is older than the plan shows opens no more, and is not exported", func(t *testing.T) {
		s := s.Within(t)
		last, _, err := s.Tenants.Audit.Of(t.Context(), s.Home.ID, audit.Filter{Limit: 1})
		webtest.Must(t, err)
		s.Records(audit.Entry{Actor: audit.Operator, Action: audit.MemberRemoved, Object: audit.Object{Kind: "member", Name: "long ago"}, At: last[0].At.AddDate(0, 0, -31)})
		if body := s.Get(s.Url("/audit?kind=member")).Body + s.Get(s.Url("/audit/export?format=csv")).Body; strings.Contains(body, "long ago") {
			t.Error("it is shown")
		}
	})
	t.Run("an export has what was chosen, in both formats, and is recorded", func(t *testing.T) {
		s := s.Within(t)
		lines := s.Get(s.Url("/audit/export?kind=chatbot&format=jsonl"))
		if n := strings.Count(lines.Body, "\n"); lines.Status != 200 || n != 120 || !strings.Contains(lines.Body, `"name":"<i>Guide</i>"`) || strings.Contains(lines.Body, "workspace.renamed") {
			t.Errorf("%d: it has %d lines: %s", lines.Status, n, lines.Body[:min(500, len(lines.Body))])
		}
		rows := s.Get(s.Url("/audit/export?kind=workspace&address=&format=csv"))
		if rows.Status != 200 || !strings.HasPrefix(rows.Body, "id,at,workspace_id,actor,") || !strings.Contains(rows.Header.Get("Content-Disposition"), `.csv"`) {
			t.Errorf("%d: %v", rows.Status, rows.Header)
		}
		s.WantPage(s.Get(s.Url("/audit?kind=audit")), 200, "Exported entries of the audit log", "entries: 120", "format: jsonl", "ada@example.com")
		s.WantPage(s.Get(s.Url("/audit/export?from=soon")), 422)
	})
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
		s.WantPage(s.Get(s.Url("/audit/export?format=csv")), 403)
		s.WantPage(s.Get(s.Url("/audit/1")), 403)
	})
}
