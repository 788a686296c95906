package pages

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/app"
	"parley/core/plan"
	"parley/core/seal"
	"parley/e2e/harness"
)

// notPages are routes that answer with something that no window shows.
var notPages = []string{
	"/workspaces/:workspace/plan", "/workspaces/:workspace/plan/return", "/workspaces/:workspace/usage", // they have moved
	"/healthz", "/readyz", "/static/*", "/.well-known/security.txt", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/api/v1/mcp", "/chatbots/:chatbot/conversations/export", "/chatbots/:chatbot/improve/tests/export", "/workspaces/:workspace/audit/export",
}

// isPage says whether a route is for windows.
func isPage(route string) bool {
	path, get := strings.CutPrefix(route, "GET ")
	return get && !strings.HasPrefix(path, harness.APIPrefix) && !slices.Contains(notPages, path)
}

// examples are addresses of pages that show nothing without a question.
var examples = map[string]string{
	"/chatbots/:chatbot/improve/check/:document": "/chatbots/:chatbot/improve/check/:pair?question=Do+you+sell+kayaks%3F",
}

// fills has what is there once a script has filled a page.
var fills = map[string]string{
	"/chatbots/:chatbot/tokens":                  "#token-list tr, #token-empty:not([hidden]), #upgrade",
	"/chatbots/:chatbot/playground":              "parley-playground .composer",
	"/chatbots/:chatbot/improve/check/:document": "#reply",
}

// walk looks at one page after the other in one window.
type walk struct {
	*window
	// opened are the dialogs and menus that have been looked at.
	opened map[string]bool
}

// visit fails the test unless the page answers so, fits, is accessible, and has
// nothing to complain about in the console.
func (k *walk) visit(t *testing.T, r harness.Route, with harness.IDs, status int) {
	path := k.Within(t).Fill(cmp.Or(examples[r.Pattern], r.Target()), with)
	k.size(t, 1280)
	k.theme(t, "light")
	response, err := chromedp.RunResponse(k.ctx, chromedp.Navigate(k.Base+path))
	if err != nil {
		t.Fatal(err)
	}
	if response.Status != int64(status) {
		t.Fatalf("%s answers %d, want %d", path, response.Status, status)
	}
	if there := fills[r.Pattern]; there != "" && status == http.StatusOK {
		k.do(t, chromedp.WaitReady(chromedp.CSS(there)))
	}
	k.look(t)
	k.silent(t, status)
}

// look checks the page as it is, then with all that it can unfold, and last what it
// opens above itself.
func (k *walk) look(t *testing.T) {
	known := map[string]bool{}
	k.fitting(t, "the page", known)
	if get(t, k.window, chromedp.Evaluate[int](`[...document.querySelectorAll("details:not([open])")].map((d) => d.open = true).length`)) > 0 {
		k.fitting(t, "the page, unfolded", known)
	}
	k.accessible(t, "the page", "html")
	k.above(t)
}

// openable are the ids of what opens above the page.
const openable = `[...document.querySelectorAll("dialog[id], [popover][id]")].map((e) => e.id)`

// ofRow is the part of an id that differs from row to row of a list.
var ofRow = regexp.MustCompile(`[a-z]+_[0-9a-z]{10,}|[0-9]+`)

// above opens each kind of dialog, sheet and menu once in the whole walk.
func (k *walk) above(t *testing.T) {
	for _, id := range get(t, k.window, chromedp.Evaluate[[]string](openable)) {
		kind := ofRow.ReplaceAllString(id, "")
		if k.opened[kind] {
			continue
		}
		k.opened[kind] = true
		k.do(t, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
			const it = document.getElementById(%[1]q);
			it.showModal ? it.showModal() : it.showPopover({ source: document.querySelector("[popovertarget='%[1]s']") });
		}`, id)))
		k.fitting(t, id, map[string]bool{})
		k.accessible(t, id, "#"+id)
		k.do(t, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
			const it = document.getElementById(%q);
			it.close ? it.close() : it.hidePopover();
		}`, id)))
	}
}

// silent fails the test on what the console complains about, beyond the status of the
// page itself.
func (k *walk) silent(t *testing.T, status int) {
	for _, complaint := range k.heard() {
		expected := status >= 400 && strings.Contains(complaint, "the server responded with a status of")
		// The walk leaves forms half filled in, which no person has touched.
		if !expected && !strings.Contains(complaint, "beforeunload") {
			t.Errorf("the console has %s", complaint)
		}
	}
}

// TestEveryPageIsAccessibleAndFits goes through the rows of all routes, which
// TestEveryRouteKeepsTenantsApart compares with what is registered, so that it
// forgets no page.
func TestEveryPageIsAccessibleAndFits(t *testing.T) {
	t.Parallel()
	var folder string
	w := harness.Start(t, func(c *app.Config) {
		folder = c.DataDir
		c.SecretKey, c.SecurityContact = seal.ServerKey{1, 2, 3}.Text(), "mailto:security@example.com"
	})
	w.HasNoRates()
	full := newLongNames(w)
	fresh := w.NewTenant("fresh", plan.Starter)
	freshOwner, err := w.Server.Program.Tenants.Users.ByEmail(t.Context(), fresh.Email)
	w.Must(err)
	k := &walk{openWindowFor(w, 20*harness.Patience), map[string]bool{}}

	t.Run("nobody", func(t *testing.T) {
		k.becomes(t, "")
		for _, r := range harness.Routes {
			if isPage(r.Name()) && r.IsPublic() && r.Gets.Nobody != http.StatusSeeOther {
				t.Run(r.Pattern, func(t *testing.T) {
					status := r.Gets.Nobody
					if r.Pattern == "/security-policy" {
						status = http.StatusOK
					}
					k.visit(t, r, nil, status)
				})
			}
		}
	})
	t.Run("an owner", func(t *testing.T) {
		k.becomes(t, full.Owner)
		for _, r := range harness.Routes {
			if isPage(r.Name()) && r.Gets.Nobody == http.StatusSeeOther && r.Gets.Own != http.StatusSeeOther {
				t.Run(r.Pattern, func(t *testing.T) { k.visit(t, r, full.IDs, r.Gets.Own) })
			}
		}
		t.Run("a page that does not exist", func(t *testing.T) { k.visit(t, harness.Route{Pattern: "/nothing"}, nil, http.StatusNotFound) })
	})
	t.Run("a new owner, who has nothing yet", func(t *testing.T) {
		k.becomes(t, freshOwner.ID)
		empty := harness.IDs{"workspace": fresh.Workspace, "chatbot": fresh.Chatbot}
		for _, r := range harness.Routes {
			if isPage(r.Name()) && r.Gets == harness.APage && !slices.ContainsFunc(r.Names(), func(name string) bool { return empty[name] == "" }) {
				t.Run(r.Pattern, func(t *testing.T) { k.visit(t, r, empty, r.Gets.Own) })
			}
		}
	})
	k.otherStates(t, w, full, folder)
}
