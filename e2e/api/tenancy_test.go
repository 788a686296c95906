package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/core/isolation"
	"parley/core/tenant"
	"parley/e2e/harness"
)

func TestEveryRouteKeepsTenantsApart(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		w.HasNoRates()
		mine, theirs := w.NewFullWorkspace("quillon"), w.NewFullWorkspace("vexley")
		for _, e := range []*harness.FullWorkspace{mine, theirs} {
			w.Employ(e, tenant.RoleOwner) // the first may delete their account
		}
		before := w.SeenByOwner(mine) + w.SeenByOwner(theirs)
		unchanged := func(t *testing.T) {
			now := w.Within(t).SeenByOwner(mine) + w.SeenByOwner(theirs)
			if now == before {
				return
			}
			at := 0
			for at < min(len(now), len(before)) && now[at] == before[at] {
				at++
			}
			from := max(0, at-200)
			t.Errorf("something is different now: it was …%q, and is …%q", before[from:min(len(before), at+200)], now[from:min(len(now), at+200)])
		}

		t.Run("every route has a row, and every row a route", func(t *testing.T) { allRoutes(t, w) })
		t.Run("the owner reads what is theirs", func(t *testing.T) {
			if !strings.Contains(before, mine.Name) || !strings.Contains(before, mine.IDs["token_id"]) {
				t.Error("the pages do not show what the others must not see")
			}
		})
		for _, r := range harness.Routes {
			t.Run("outsiders at "+r.Name(), func(t *testing.T) { outsiders(w.Within(t), r, mine, theirs) })
		}
		t.Run("nothing was changed by outsiders", unchanged)
		for _, r := range harness.Routes {
			for _, kind := range r.Names() {
				t.Run("a foreign id and an unknown one of a "+kind+" are the same to "+r.Name(), func(t *testing.T) {
					foreignIsUnknown(w.Within(t), r, kind, mine, theirs)
				})
			}
		}
		t.Run("nothing was changed with foreign ids", unchanged)
		for _, r := range harness.Routes {
			t.Run("who may use it at "+r.Name(), func(t *testing.T) {
				w := w.Within(t)
				w.Expect(w.Try(r, mine.IDs, credential(w, mine, r)), r.Gets.Own)
			})
		}
		t.Run("the log has no secret", func(t *testing.T) {
			w.Within(t).NotLogged(mine.Token, theirs.Token, mine.Revoked, mine.Password, "When does it open", "a wrong guess", "a-guess", "One more.", "Typed text")
		})
	})
}

// allRoutes compares the table with what is registered.
func allRoutes(t *testing.T, w *harness.Instance) {
	known := map[string]bool{}
	for _, r := range harness.Routes {
		known[r.Name()] = true
	}
	registered := routesOf(w)
	for _, route := range registered {
		if !known[route] {
			t.Errorf("%s has no row: say in routes_test.go who gets what from it", route)
		}
	}
	for name := range known {
		if !slices.Contains(registered, name) {
			t.Errorf("%s has a row, but is not registered", name)
		}
	}
	tried := map[string]bool{}
	for _, call := range isolation.Calls() {
		tried[call.Name()] = true
		if !known[call.Name()] {
			t.Errorf("parley doctor isolation calls %s, which is not registered", call.Name())
		}
	}
	for _, route := range registered {
		if !tried[route] {
			t.Errorf("parley doctor isolation does not try %s: add it to core/isolation/calls_*.go", route)
		}
	}
	declares := map[string]bool{}
	for _, d := range w.Server.Routes.All() {
		name := d.Method + " " + d.Path
		declares[name] = true
		for _, r := range harness.Routes {
			if r.Name() != name {
				continue
			}
			if (d.Scope == "token") != r.TakesTokens() {
				t.Errorf("%s declares the scope %s", name, d.Scope)
			}
			for _, role := range harness.ByRank {
				may := d.Scope == "member" && role.May(d.Action) == nil
				if r.Least != "" && may != r.IsFor(role) {
					t.Errorf("%s declares that the role %s may call it: %t", name, role, may)
				}
			}
		}
	}
	for _, name := range registered {
		if !declares[name] {
			t.Errorf("%s declares nothing: register it with route.Add", name)
		}
	}
}

// outsiders calls a row with valid ids of mine as everybody else.
func outsiders(w *harness.Instance, r harness.Route, mine, theirs *harness.FullWorkspace) {
	type caller struct {
		who    string
		header harness.Header
		status int
	}
	callers := []caller{
		{"a stranger", w.Session(theirs.Owner), r.Gets.Stranger},
		{"another workspace's token", harness.Bearer(theirs.Token), r.Gets.OtherToken},
		{"a sibling's token", harness.Bearer(mine.Sibling.Token), r.Gets.OtherToken},
		{"a revoked token", harness.Bearer(mine.Revoked), r.Gets.Revoked},
		{"nobody", harness.Header{Name: "X-Nothing", Value: "1"}, r.Gets.Nobody},
	}
	if r.TakesTokens() {
		callers = append(callers, caller{"the owner without a token", w.Session(mine.Owner), r.Gets.Nobody})
	} else {
		callers = append(callers, caller{"the chatbot's token without a session", harness.Bearer(mine.Token), r.Gets.Nobody})
	}
	for _, caller := range callers {
		answer := w.Try(r, mine.IDs, caller.header)
		if answer.StatusCode != caller.status {
			w.Errorf("%s gets %d, want %d: %s", caller.who, answer.StatusCode, caller.status, harness.Shortened(answer.Text))
		}
		if caller.who == "a sibling's token" && answer.StatusCode == http.StatusOK {
			continue // it may quote its own workspace's documents
		}
		reveals(w, caller.who, answer, mine.Private())
	}
}

// reveals fails the test when an answer has a text. Location is left out: it
// repeats what was asked for.
func reveals(w *harness.Instance, who string, answer harness.Reply, texts []string) {
	w.Helper()
	answer.Header.Del("Location")
	whole := strings.ToLower(fmt.Sprint(answer.Header) + answer.Text)
	for _, text := range texts {
		if strings.Contains(whole, strings.ToLower(text)) {
			w.Errorf("%s reads %q in %s", who, text, harness.Shortened(whole))
		}
	}
}

// foreignIsUnknown calls a row as somebody who may, with one id that is not theirs.
func foreignIsUnknown(w *harness.Instance, r harness.Route, kind string, mine, theirs *harness.FullWorkspace) {
	credential := credential(w, mine, r)
	answer := func(id string) string {
		got := w.Try(r, mine.IDs.With(kind, id), credential)
		w.Expect(got, http.StatusNotFound)
		got.Header.Del("Date")
		got.Header.Del("RateLimit") // which counts
		return fmt.Sprint(got.StatusCode, got.Header, got.Text)
	}
	unknown := answer(harness.UnknownIDs[kind])
	others := map[string]string{
		"another workspace's": theirs.IDs[kind], "a malformed": "no-such.thing", "a hostile": "%ff%00'--", "a longer": mine.IDs[kind] + "0",
	}
	if sibling, has := mine.Sibling.IDs[kind]; has && kind != "chatbot" && kind != "id" {
		others["a sibling's"] = sibling
	}
	for which, id := range others {
		if got := answer(id); got != unknown {
			w.Errorf("%s %s is answered with\n%s\nand an unknown one with\n%s", which, kind, got, unknown)
		}
	}
}

// credential is what the row asks for, of this workspace.
func credential(w *harness.Instance, e *harness.FullWorkspace, r harness.Route) harness.Header {
	if r.TakesTokens() {
		return harness.Bearer(e.Token)
	}
	return w.Session(e.Owner)
}

// routesOf lists what a server has registered, without middlewares; HEAD
// belongs to GET, and what leads from the address of a form to its page to POST.
func routesOf(w *harness.Instance) []string {
	var names []string
	leads := map[string]bool{} // addresses of forms that lead to the form's page
	for _, declared := range w.Server.Routes.All() {
		leads["GET "+declared.Path] = declared.Form != ""
	}
	for _, route := range w.Server.App.GetRoutes(true) {
		if route.Method != http.MethodHead && !leads[route.Method+" "+route.Path] {
			names = append(names, route.Method+" "+route.Path)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
