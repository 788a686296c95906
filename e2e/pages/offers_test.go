package pages

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"parley/core/tenant"
	"parley/e2e/harness"
)

// rowOf finds the row of an address: of those with its form, the one with the
// fewest names.
func rowOf(method, address string) (found harness.Route, known bool) {
	path, _, _ := strings.Cut(address, "?")
	fewest := len(path)
	for _, r := range harness.Routes {
		pattern := "^" + regexp.MustCompile(`:[a-z_]+`).ReplaceAllString(regexp.QuoteMeta(r.Pattern), `[^/]+`) + "$"
		if n := strings.Count(r.Pattern, ":"); r.Method == method && n < fewest && regexp.MustCompile(pattern).MatchString(path) {
			found, fewest, known = r, n, true
		}
	}
	return found, known
}

// offers are what a page leads to and posts to, by method and address.
func offers(page *html.Node) (all [][2]string) {
	for node := range page.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		if to := valueOf(node, "href"); node.Data == "a" && strings.HasPrefix(to, "/") {
			all = append(all, [2]string{http.MethodGet, to})
		}
		if node.Data == "form" && valueOf(node, "method") == "post" {
			for _, to := range posts(node, valueOf(node, "action")) {
				all = append(all, [2]string{http.MethodPost, to})
			}
		}
	}
	return all
}

// posts are the addresses to which the buttons below a node send a form. One that
// only shows what is set has none.
func posts(node *html.Node, action string) (all []string) {
	for part := range node.ChildNodes() {
		if _, off := attributeOf(part, "disabled"); off {
			continue
		}
		if part.Data == "button" && valueOf(part, "type") != "button" {
			to, other := attributeOf(part, "formaction")
			if !other {
				to = action
			}
			all = append(all, to)
		}
		all = append(all, posts(part, action)...)
	}
	return all
}

func attributeOf(node *html.Node, name string) (value string, given bool) {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// TestPagesOfferWhatARoleMayDo reads every page as each role: no link and no form is on
// it that would be refused.
func TestPagesOfferWhatARoleMayDo(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	w.HasNoRates()
	e := w.NewFullWorkspace("quillon")
	for role, user := range map[tenant.Role]string{
		tenant.RoleMember: w.Employ(e, tenant.RoleMember), tenant.RoleAdmin: w.Employ(e, tenant.RoleAdmin), tenant.RoleOwner: e.Owner,
	} {
		session := w.Session(user)
		for _, r := range harness.Routes {
			if !r.Shows() || !r.IsFor(role) || strings.HasPrefix(r.Pattern, "/api/") || strings.HasSuffix(r.Pattern, "/export") {
				continue
			}
			t.Run("the "+string(role)+" at "+r.Name(), func(t *testing.T) {
				w := w.Within(t)
				page, err := html.Parse(strings.NewReader(w.Try(r, e.IDs, session).Text))
				w.Must(err)
				seen := map[[2]string]bool{}
				for _, to := range offers(page) {
					if to[1] == "" { // a form without an address posts to the page's
						to[1] = w.Fill(r.Target(), e.IDs)
					}
					if seen[to] || strings.HasPrefix(to[1], "/static/") {
						continue
					}
					seen[to] = true
					if led, known := rowOf(to[0], to[1]); !known {
						t.Errorf("%s %s leads nowhere", to[0], to[1])
					} else if led.Least != "" && !led.IsFor(role) {
						t.Errorf("%s %s is for the %s", to[0], to[1], led.Least)
					}
				}
			})
		}
	}
}

func valueOf(node *html.Node, name string) string {
	value, _ := attributeOf(node, name)
	return value
}
