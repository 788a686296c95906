package e2e

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"parley/core/tenant"
)

// rowOf finds the row of an address: of those with its form, the one with the
// fewest names.
func rowOf(method, address string) (found row, known bool) {
	path, _, _ := strings.Cut(address, "?")
	fewest := len(path)
	for _, r := range rows {
		pattern := "^" + regexp.MustCompile(`:[a-z_]+`).ReplaceAllString(regexp.QuoteMeta(r.route), `[^/]+`) + "$"
		if n := strings.Count(r.route, ":"); r.method == method && n < fewest && regexp.MustCompile(pattern).MatchString(path) {
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
	w := start(t)
	w.hasNoRates()
	e := w.newFullWorkspace("quillon")
	for role, user := range map[tenant.Role]string{
		tenant.RoleMember: w.employ(e, tenant.RoleMember), tenant.RoleAdmin: w.employ(e, tenant.RoleAdmin), tenant.RoleOwner: e.owner,
	} {
		session := w.session(user)
		for _, r := range rows {
			if !r.shows() || !r.isFor(role) || strings.HasPrefix(r.route, "/api/") || strings.HasSuffix(r.route, "/export") {
				continue
			}
			t.Run("the "+string(role)+" at "+r.name(), func(t *testing.T) {
				w := w.within(t)
				page, err := html.Parse(strings.NewReader(w.try(r, e.ids, session).body))
				w.must(err)
				seen := map[[2]string]bool{}
				for _, to := range offers(page) {
					if to[1] == "" { // a form without an address posts to the page's
						to[1] = w.fill(r.target(), e.ids)
					}
					if seen[to] || strings.HasPrefix(to[1], "/static/") {
						continue
					}
					seen[to] = true
					if led, known := rowOf(to[0], to[1]); !known {
						t.Errorf("%s %s leads nowhere", to[0], to[1])
					} else if led.least != "" && !led.isFor(role) {
						t.Errorf("%s %s is for the %s", to[0], to[1], led.least)
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
