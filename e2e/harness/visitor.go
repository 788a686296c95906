package harness

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Visitor is a browser at the dashboard: it keeps cookies and sends forms.
type Visitor struct {
	*Instance
	Cookies map[string]string
}

// NewVisitor is a browser without cookies.
func (w *Instance) NewVisitor() *Visitor { return &Visitor{Instance: w, Cookies: map[string]string{}} }

// In is a visitor in the sub-test that t belongs to.
func (v *Visitor) In(t *testing.T) *Visitor {
	w := *v.Instance
	w.T = t
	return &Visitor{Instance: &w, Cookies: v.Cookies}
}

// Within is the same server in the sub-test that t belongs to.
func (w *Instance) Within(t *testing.T) *Instance {
	inner := *w
	inner.T = t
	return &inner
}

// SignedIn returns a visitor who has signed in on the page.
func (w *Instance) SignedIn(email, password string) *Visitor {
	w.Helper()
	v := w.NewVisitor()
	r := v.SignIn(email, password)
	if r.StatusCode != http.StatusSeeOther {
		w.Fatalf("%s is not signed in: %s", email, r.Status)
	}
	return v
}

// SignIn sends the form of the sign-in page.
func (v *Visitor) SignIn(email, password string, headers ...Header) Reply {
	v.Helper()
	return v.Post("/sign-in", Pairs{"email", email, "password", password}, headers...)
}

// Ask makes a request with the cookies, and keeps the cookies of the answer.
func (v *Visitor) Ask(method, path, body string, headers ...Header) Reply {
	v.Helper()
	for name, value := range v.Cookies {
		headers = append(headers, Header{"Cookie", name + "=" + value})
	}
	r := v.Call(method, path, body, headers...)
	for _, cookie := range r.Cookies() {
		v.Cookies[cookie.Name] = cookie.Value
		if cookie.Value == "" {
			delete(v.Cookies, cookie.Name)
		}
	}
	return r
}

// Get asks for a page.
func (v *Visitor) Get(path string) Reply { v.Helper(); return v.Ask("GET", path, "") }

// Pairs are the inputs of a form: name, value, name, value …
type Pairs []string

func (p Pairs) encode() string {
	values := url.Values{}
	for i := 0; i < len(p); i += 2 {
		values.Add(p[i], p[i+1])
	}
	return values.Encode()
}

// FormType is the type of forms.
var FormType = Header{"Content-Type", "application/x-www-form-urlencoded"}

// Post sends a form as a browser does from a page of the server itself.
func (v *Visitor) Post(path string, inputs Pairs, headers ...Header) Reply {
	v.Helper()
	headers = append([]Header{{"Content-Type", ""}, FormType, {"Sec-Fetch-Site", "same-origin"}}, headers...)
	return v.Ask("POST", path, inputs.encode(), headers...)
}

// Expect fails the test unless the answer has the status.
func (w *Instance) Expect(r Reply, status int) {
	w.Helper()
	if r.StatusCode != status {
		w.Errorf("status %d, want %d: %s", r.StatusCode, status, Shortened(r.Text))
	}
}

// Shortened is a text as failures show it.
func Shortened(text string) string {
	if len(text) > 2_000 {
		return text[:2_000] + "…"
	}
	return text
}

// Page is the parsed body of an answer.
func (w *Instance) Page(r Reply) *html.Node {
	w.Helper()
	if kind := r.Header.Get("Content-Type"); kind != "text/html; charset=utf-8" {
		w.Fatalf("the answer is %q, not a page", kind)
	}
	root, err := html.Parse(strings.NewReader(r.Text))
	w.Must(err)
	return root
}

// Elements returns the elements of a page in their order.
func Elements(root *html.Node) []*html.Node {
	var all []*html.Node
	for node := range root.Descendants() {
		if node.Type == html.ElementNode {
			all = append(all, node)
		}
	}
	return all
}

// Attribute is an element's attribute, empty if it has none.
func Attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// TextOf is the text of the first element that has the attribute's value.
// Text is what a node says, without its markup.
func TextOf(root *html.Node, name, value string) string {
	for _, node := range Elements(root) {
		if Attribute(node, name) == value {
			return Text(node)
		}
	}
	return ""
}

func Text(root *html.Node) string {
	var b strings.Builder
	for node := range root.Descendants() {
		if node.Type == html.TextNode {
			b.WriteString(" " + node.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Location is where an answer sends the browser.
func Location(r Reply) string { return r.Header.Get("Location") }

// GoesTo fails the test unless an answer sends the browser to a path.
func (w *Instance) GoesTo(r Reply, path string) {
	w.Helper()
	if r.StatusCode != http.StatusSeeOther || Location(r) != path {
		w.Errorf("answered %d to %q, want 303 to %q: %s", r.StatusCode, Location(r), path, Shortened(r.Text))
	}
}

// OperatorsLink returns the code of the last link in the server's log.
func (w *Instance) OperatorsLink() (code string) {
	w.Helper()
	w.Eventually("the log has a link", func() bool {
		log := w.ServerLog.String()
		i := strings.LastIndex(log, "/account/email#")
		if i < 0 {
			return false
		}
		code, _, _ = strings.Cut(log[i+len("/account/email#"):], "\n")
		code = strings.TrimRight(code, "\"")
		return true
	})
	return code
}

// MultipartType is the type of the forms that Fields and WithFile make.
var MultipartType = Header{"Content-Type", "multipart/form-data; boundary=border"}

// SendForm sends a form of several parts as a browser does.
func (v *Visitor) SendForm(path, body string) Reply {
	v.Helper()
	return v.Ask("POST", path, body, Header{"Content-Type", ""}, MultipartType, Header{"Sec-Fetch-Site", "same-origin"})
}
