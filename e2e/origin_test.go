package e2e

import (
	"net/http"
	"slices"
	"testing"

	"parley/app"
	"parley/core/rate"
	"parley/core/tenant"
)

// foreignPages are how browsers mark a request that another site's page has
// started.
var foreignPages = [][]header{
	{{"Sec-Fetch-Site", "cross-site"}},
	{{"Sec-Fetch-Site", "same-site"}},
	{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://evil.example"}},
	{{"Origin", "https://evil.example"}},
	{{"Origin", "null"}},
}

func TestOtherSitesChangeNothing(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		w.server.Pace.Limits = rate.Limits{Person: [2]int{1e6, 1e6}, Workspace: [2]int{1e6, 1e6}, Stranger: [1]int{1e6}} // one person asks for every route many times
		mine := w.newFullWorkspace("quillon")
		w.employ(mine, tenant.RoleOwner) // the first may delete their account
		before := w.all(mine)
		ownPages := [][]header{
			{{"Sec-Fetch-Site", "same-origin"}, {"Origin", w.base}},
			{{"Sec-Fetch-Site", "none"}},
			{{"Origin", w.base}},
			{}, // not a browser, or one of long ago
		}
		for _, r := range rows {
			if !r.isUnsafe() || r.takesTokens() {
				continue
			}
			t.Run("another site's page is refused at "+r.name(), func(t *testing.T) {
				w := w.within(t)
				for _, headers := range foreignPages {
					answer := w.try(r, mine.ids, append(headers, w.session(mine.owner))...)
					if answer.StatusCode != http.StatusForbidden || len(answer.Cookies()) != 0 {
						t.Errorf("with %v it answers %d and sets %v", headers, answer.StatusCode, answer.Cookies())
					}
				}
			})
			t.Run("a page of the server itself is admitted at "+r.name(), func(t *testing.T) {
				w := w.within(t)
				want := r.gets.own
				if !r.isPublic() {
					want = http.StatusNotFound // of the ids, which nothing has
				}
				for _, headers := range ownPages {
					if answer := w.try(r, unknownIDs, append(headers, w.session(mine.owner))...); answer.StatusCode != want {
						t.Errorf("with %v it answers %d, want %d", headers, answer.StatusCode, want)
					}
				}
			})
		}
		t.Run("nothing was changed", func(t *testing.T) {
			if w.within(t).all(mine) != before {
				t.Error("something is different now")
			}
		})
		t.Run("the refused sign-out left the session", func(t *testing.T) {
			w := w.within(t)
			session := w.session(mine.owner)
			w.expect(w.call("POST", "/sign-out", "", session, header{"Sec-Fetch-Site", "cross-site"}), http.StatusForbidden)
			w.expect(w.call("GET", "/workspaces/"+mine.workspace, "", session), http.StatusOK)
		})
		t.Run("a token is no cookie: a page that has a secret one is told to have a publishable one", func(t *testing.T) {
			w := w.within(t)
			for _, headers := range foreignPages {
				want := http.StatusOK
				if slices.ContainsFunc(headers, func(h header) bool { return h.name == "Origin" }) {
					want = http.StatusForbidden
				}
				w.expect(w.call("POST", "/api/v1/chat", `{"message":"When does it open?"}`, append(headers, bearer(mine.token))...), want)
			}
		})
	})
}
