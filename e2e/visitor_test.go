package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// visitor is a browser at the dashboard: it keeps cookies and sends forms.
type visitor struct {
	*instance
	cookies map[string]string
}

func (w *instance) visitor() *visitor { return &visitor{instance: w, cookies: map[string]string{}} }

// in is a visitor in the sub-test that t belongs to.
func (v *visitor) in(t *testing.T) *visitor {
	w := *v.instance
	w.T = t
	return &visitor{instance: &w, cookies: v.cookies}
}

// within is the same server in the sub-test that t belongs to.
func (w *instance) within(t *testing.T) *instance {
	inner := *w
	inner.T = t
	return &inner
}

// signedIn returns a visitor who has signed in on the page.
func (w *instance) signedIn(email, password string) *visitor {
	w.Helper()
	v := w.visitor()
	r := v.signIn(email, password)
	if r.StatusCode != http.StatusSeeOther {
		w.Fatalf("%s is not signed in: %s", email, r.Status)
	}
	return v
}

func (v *visitor) signIn(email, password string, headers ...header) reply {
	v.Helper()
	return v.post("/sign-in", pairs{"email", email, "password", password}, headers...)
}

// ask makes a request with the cookies, and keeps those of the answer.
func (v *visitor) ask(method, path, body string, headers ...header) reply {
	v.Helper()
	for name, value := range v.cookies {
		headers = append(headers, header{"Cookie", name + "=" + value})
	}
	r := v.call(method, path, body, headers...)
	for _, cookie := range r.Cookies() {
		v.cookies[cookie.Name] = cookie.Value
		if cookie.Value == "" {
			delete(v.cookies, cookie.Name)
		}
	}
	return r
}

func (v *visitor) get(path string) reply { v.Helper(); return v.ask("GET", path, "") }

// pairs are the inputs of a form: name, value, name, value …
type pairs []string

func (p pairs) encode() string {
	values := url.Values{}
	for i := 0; i < len(p); i += 2 {
		values.Add(p[i], p[i+1])
	}
	return values.Encode()
}

var formType = header{"Content-Type", "application/x-www-form-urlencoded"}

// post sends a form as a browser does from a page of the server itself.
func (v *visitor) post(path string, inputs pairs, headers ...header) reply {
	v.Helper()
	headers = append([]header{{"Content-Type", ""}, formType, {"Sec-Fetch-Site", "same-origin"}}, headers...)
	return v.ask("POST", path, inputs.encode(), headers...)
}

// expect fails the test unless the answer has the status.
func (w *instance) expect(r reply, status int) {
	w.Helper()
	if r.StatusCode != status {
		w.Errorf("status %d, want %d: %s", r.StatusCode, status, shortened(r.body))
	}
}

func shortened(text string) string {
	if len(text) > 2_000 {
		return text[:2_000] + "…"
	}
	return text
}

// page is the parsed body of an answer.
func (w *instance) page(r reply) *html.Node {
	w.Helper()
	if kind := r.Header.Get("Content-Type"); kind != "text/html; charset=utf-8" {
		w.Fatalf("the answer is %q, not a page", kind)
	}
	root, err := html.Parse(strings.NewReader(r.body))
	w.must(err)
	return root
}

// elements returns the elements of a page in their order.
func elements(root *html.Node) []*html.Node {
	var all []*html.Node
	for node := range root.Descendants() {
		if node.Type == html.ElementNode {
			all = append(all, node)
		}
	}
	return all
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// textOf is the text of the first element that has the attribute's value.
func textOf(root *html.Node, name, value string) string {
	for _, node := range elements(root) {
		if attribute(node, name) == value {
			return text(node)
		}
	}
	return ""
}

func text(root *html.Node) string {
	var b strings.Builder
	for node := range root.Descendants() {
		if node.Type == html.TextNode {
			b.WriteString(" " + node.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
