package pages

import (
	"net/http"
	"slices"
	"testing"

	"parley/app"
	"parley/core/rate"
	"parley/core/tenant"
	"parley/e2e/harness"
)

// foreignPages are how browsers mark a request that another site's page has
// started.
var foreignPages = [][]harness.Header{
	{{Name: "Sec-Fetch-Site", Value: "cross-site"}},
	{{Name: "Sec-Fetch-Site", Value: "same-site"}},
	{{Name: "Sec-Fetch-Site", Value: "cross-site"}, {Name: "Origin", Value: "https://evil.example"}},
	{{Name: "Origin", Value: "https://evil.example"}},
	{{Name: "Origin", Value: "null"}},
}

func TestOtherSitesChangeNothing(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		w.Server.Pace.Limits = rate.Limits{Person: [2]int{1e6, 1e6}, Workspace: [2]int{1e6, 1e6}, Stranger: [1]int{1e6}} // one person asks for every route many times
		mine := w.NewFullWorkspace("quillon")
		w.Employ(mine, tenant.RoleOwner) // the first may delete their account
		before := w.SeenByOwner(mine)
		ownPages := [][]harness.Header{
			{{Name: "Sec-Fetch-Site", Value: "same-origin"}, {Name: "Origin", Value: w.Base}},
			{{Name: "Sec-Fetch-Site", Value: "none"}},
			{{Name: "Origin", Value: w.Base}},
			{}, // not a browser, or one of long ago
		}
		for _, r := range harness.Routes {
			if !r.IsUnsafe() || r.TakesTokens() {
				continue
			}
			t.Run("another site's page is refused at "+r.Name(), func(t *testing.T) {
				w := w.Within(t)
				for _, headers := range foreignPages {
					answer := w.Try(r, mine.IDs, append(headers, w.Session(mine.Owner))...)
					if answer.StatusCode != http.StatusForbidden || len(answer.Cookies()) != 0 {
						t.Errorf("with %v it answers %d and sets %v", headers, answer.StatusCode, answer.Cookies())
					}
				}
			})
			t.Run("a page of the server itself is admitted at "+r.Name(), func(t *testing.T) {
				w := w.Within(t)
				want := r.Gets.Own
				if !r.IsPublic() {
					want = http.StatusNotFound // of the ids, which nothing has
				}
				for _, headers := range ownPages {
					if answer := w.Try(r, harness.UnknownIDs, append(headers, w.Session(mine.Owner))...); answer.StatusCode != want {
						t.Errorf("with %v it answers %d, want %d", headers, answer.StatusCode, want)
					}
				}
			})
		}
		t.Run("nothing was changed", func(t *testing.T) {
			if w.Within(t).SeenByOwner(mine) != before {
				t.Error("something is different now")
			}
		})
		t.Run("the refused sign-out left the session", func(t *testing.T) {
			w := w.Within(t)
			session := w.Session(mine.Owner)
			w.Expect(w.Call("POST", "/sign-out", "", session, harness.Header{Name: "Sec-Fetch-Site", Value: "cross-site"}), http.StatusForbidden)
			w.Expect(w.Call("GET", "/workspaces/"+mine.Workspace, "", session), http.StatusOK)
		})
		t.Run("a token is no cookie: a page that has a secret one is told to have a publishable one", func(t *testing.T) {
			w := w.Within(t)
			for _, headers := range foreignPages {
				want := http.StatusOK
				if slices.ContainsFunc(headers, func(h harness.Header) bool { return h.Name == "Origin" }) {
					want = http.StatusForbidden
				}
				w.Expect(w.Call("POST", "/api/v1/chat", `{"message":"When does it open?"}`, append(headers, harness.Bearer(mine.Token))...), want)
			}
		})
	})
}
