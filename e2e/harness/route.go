package harness

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"parley/core/tenant"
)

// Route is one way to call a route. A name after a colon stands for an id, in
// the path and in the body.
type Route struct {
	Method, Pattern string
	Body            string
	Gets            gets
	// Least is the lowest role of a member that may call it.
	Least tenant.Role
	// path is the route unless it is set.
	path string
}

// Name is how failures name the route.
func (r Route) Name() string { return r.Method + " " + r.Pattern }

// Target is the path that is called.
func (r Route) Target() string {
	if r.path != "" {
		return r.path
	}
	return r.Pattern
}

// IsPublic reports whether the route is for everybody.
func (r Route) IsPublic() bool { return !strings.Contains(r.Target(), ":") && !r.TakesTokens() }

// TakesTokens reports whether the route is for API tokens.
func (r Route) TakesTokens() bool {
	return strings.HasPrefix(r.Pattern, v1Prefix) && r.Pattern != descriptionPath
}

// IsUnsafe reports whether the route may change something.
func (r Route) IsUnsafe() bool { return r.Method != http.MethodGet }

// Shows reports whether the route shows its caller what the workspace has.
func (r Route) Shows() bool {
	return r.Method == http.MethodGet && r.Gets.Own == http.StatusOK && !r.IsPublic() && !r.TakesTokens()
}

// IDs are identifiers by the name that a route has for them.
type IDs map[string]string

// With are the identifiers with one changed.
func (i IDs) With(name, value string) IDs {
	changed := IDs{}
	for n, v := range i {
		changed[n] = v
	}
	changed[name] = value
	return changed
}

var placeholder = regexp.MustCompile(`:([a-z_]+)`)

// Names are the kinds of id that a call of the route takes.
func (r Route) Names() []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(r.Target()+" "+r.Body, -1) {
		names = append(names, match[1])
	}
	return names
}

// Fill puts the ids in. It fails the test on a name that it does not know.
func (w *Instance) Fill(template string, with IDs) string {
	w.Helper()
	return placeholder.ReplaceAllStringFunc(template, func(name string) string {
		id, known := with[name[1:]]
		if !known {
			w.Fatalf("the tests know no id for %s in %s", name, template)
		}
		return id
	})
}

// Try calls a row with ids. The caller's own X-Request-Id makes answers
// comparable that print it.
func (w *Instance) Try(r Route, with IDs, headers ...Header) Reply {
	w.Helper()
	body := w.Fill(r.Body, with)
	headers = append([]Header{{"Content-Type", ""}, {"Content-Type", typeOf(body)}, {"X-Request-Id", "the-same"}}, headers...)
	return w.Call(r.Method, w.Fill(r.Target(), with), body, headers...)
}

func typeOf(body string) string {
	switch {
	case strings.HasPrefix(body, "{"):
		return "application/json"
	case strings.HasPrefix(body, "--"):
		return "multipart/form-data; boundary=border"
	}
	return FormType.Value
}

// Upload is the form that adds a text, as browsers send it.
func Upload(title, content string) string { return Fields("title", title, "content", content) }

// Fields is a form of several parts: name, value, name, value …
func Fields(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString("--border\r\nContent-Disposition: form-data; name=\"" + pairs[i] + "\"\r\n\r\n" + pairs[i+1] + "\r\n")
	}
	return b.String() + "--border--\r\n"
}

// WithFile adds a file to such a form.
func WithFile(form, input, name, content string) string {
	return strings.TrimSuffix(form, "--border--\r\n") + "--border\r\nContent-Disposition: form-data; name=\"" + input + "\"; filename=\"" + name +
		"\"\r\nContent-Type: application/octet-stream\r\n\r\n" + content + "\r\n--border--\r\n"
}

// ByRank are the roles, the lowest first.
var ByRank = []tenant.Role{tenant.RoleMember, tenant.RoleAdmin, tenant.RoleOwner}

// IsFor reports whether members with a role may call the route.
func (r Route) IsFor(role tenant.Role) bool {
	return slices.Index(ByRank, role) >= slices.Index(ByRank, r.Least)
}
