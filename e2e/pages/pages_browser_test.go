package pages

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
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
	// opened are the kinds of dialogs and menus that a walk over the same pages has
	// looked at.
	opened *sync.Map
	// thorough says that every page is checked for accessibility, and not only the first
	// of each shell.
	thorough bool
}

// stop is a page of a walk, and what it answers.
type stop struct {
	harness.Route
	with   harness.IDs
	status int
	// first says that no page before it has the same shell.
	first bool
}

// shells are the beginnings of the addresses whose pages have the same frame.
var shells = []string{"/workspaces/:workspace", "/chatbots/:chatbot", "/account", "/"}

// withFirsts are the stops, of which each knows whether it is the first of its shell.
func withFirsts(stops []stop) []stop {
	seen := map[int]bool{}
	for i, s := range stops {
		shell := slices.IndexFunc(shells, func(prefix string) bool { return strings.HasPrefix(s.Pattern, prefix) })
		stops[i].first = !seen[shell]
		seen[shell] = true
	}
	return stops
}

// goThrough has the windows of some walks visit the stops as a user, each the next one
// that none has visited.
func goThrough(t *testing.T, walks []*walk, user string, stops []stop) {
	next := make(chan stop)
	var all sync.WaitGroup
	for _, k := range walks {
		k.becomes(t, user)
		all.Go(func() {
			for s := range next {
				t.Run(s.Pattern, func(t *testing.T) { k.visit(t, s) })
			}
		})
	}
	for _, s := range withFirsts(stops) {
		next <- s
	}
	close(next)
	all.Wait()
}

// visit fails the test unless the page answers so, fits, is accessible, and has
// nothing to complain about in the console.
func (k *walk) visit(t *testing.T, s stop) {
	path := k.Within(t).Fill(cmp.Or(examples[s.Pattern], s.Target()), s.with)
	k.size(t, 1280)
	k.theme(t, "light")
	response, err := chromedp.RunResponse(k.ctx, chromedp.Navigate(k.Base+path))
	if err != nil {
		t.Fatal(err)
	}
	if response.Status != int64(s.status) {
		t.Fatalf("%s answers %d, want %d", path, response.Status, s.status)
	}
	if there := fills[s.Pattern]; there != "" && s.status == http.StatusOK {
		k.do(t, chromedp.WaitReady(chromedp.CSS(there)))
	}
	k.look(t, s.first)
	k.silent(t, s.status)
}

// look checks the page as it is, then with all that it can unfold, and last what it
// opens above itself.
func (k *walk) look(t *testing.T, first bool) {
	known := map[string]bool{}
	k.fitting(t, "the page", known)
	if get(t, k.window, chromedp.Evaluate[int](`[...document.querySelectorAll("details:not([open])")].map((d) => d.open = true).length`)) > 0 {
		k.fitting(t, "the page, unfolded", known)
	}
	if first || k.thorough {
		k.accessible(t, "the page", "html")
	}
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
		if _, known := k.opened.LoadOrStore(kind, true); known {
			continue
		}
		k.do(t, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
			const it = document.getElementById(%[1]q);
			it.showModal ? it.showModal() : it.showPopover({ source: document.querySelector("[popovertarget='%[1]s']") });
		}`, id)))
		k.fitting(t, id, map[string]bool{})
		if k.thorough {
			k.accessible(t, id, "#"+id)
		}
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
// forgets no page. Without -short (make test-browsers) it shows each at every width and
// checks every page and dialog for accessibility; with it, at two widths, and the first
// page of each shell.
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
	var walks []*walk
	opened, thorough := &sync.Map{}, !testing.Short()
	for range 2 {
		walks = append(walks, &walk{openWindowFor(w, 20*harness.Patience), opened, thorough})
	}

	t.Run("nobody", func(t *testing.T) { goThrough(t, walks, "", publicStops()) })
	t.Run("an owner", func(t *testing.T) { goThrough(t, walks, full.Owner, ownStops(full)) })
	t.Run("a new owner, who has nothing yet", func(t *testing.T) { goThrough(t, walks, freshOwner.ID, emptyStops(fresh)) })
	walks[0].otherStates(t, w, full, folder)
}

// publicStops are the pages that nobody has to sign in for.
func publicStops() (stops []stop) {
	for _, r := range harness.Routes {
		if !isPage(r.Name()) || !r.IsPublic() || r.Gets.Nobody == http.StatusSeeOther {
			continue
		}
		s := stop{Route: r, status: r.Gets.Nobody}
		if r.Pattern == "/security-policy" {
			s.status = http.StatusOK
		}
		stops = append(stops, s)
	}
	return stops
}

// ownStops are the pages of a workspace with one of everything, and one that does not
// exist.
func ownStops(full *harness.FullWorkspace) (stops []stop) {
	for _, r := range harness.Routes {
		if isPage(r.Name()) && r.Gets.Nobody == http.StatusSeeOther && r.Gets.Own != http.StatusSeeOther {
			stops = append(stops, stop{Route: r, with: full.IDs, status: r.Gets.Own})
		}
	}
	return append(stops, stop{Route: harness.Route{Pattern: "/nothing"}, status: http.StatusNotFound})
}

// emptyStops are the pages that a workspace has from its beginning.
func emptyStops(fresh harness.Tenant) (stops []stop) {
	empty := harness.IDs{"workspace": fresh.Workspace, "chatbot": fresh.Chatbot}
	for _, r := range harness.Routes {
		if isPage(r.Name()) && r.Gets == harness.APage && !slices.ContainsFunc(r.Names(), func(name string) bool { return empty[name] == "" }) {
			stops = append(stops, stop{Route: r, with: empty, status: r.Gets.Own})
		}
	}
	return stops
}
