package e2e

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"parley/core/tenant"
)

// row is one way to call a route. A name after a colon stands for an id, in
// the path and in the body.
type row struct {
	method, route string
	body          string
	gets          gets
	// least is the lowest role of a member that may call it.
	least tenant.Role
	// path is the route unless it is set.
	path string
}

func (r row) name() string { return r.method + " " + r.route }

func (r row) target() string {
	if r.path != "" {
		return r.path
	}
	return r.route
}

func (r row) isPublic() bool { return !strings.Contains(r.target(), ":") && !r.takesTokens() }

func (r row) takesTokens() bool {
	return strings.HasPrefix(r.route, v1Prefix) && r.route != descriptionPath
}

func (r row) isUnsafe() bool { return r.method != http.MethodGet }

// shows reports whether the route shows its caller what the workspace has.
func (r row) shows() bool {
	return r.method == http.MethodGet && r.gets.own == http.StatusOK && !r.isPublic() && !r.takesTokens()
}

// routesOf lists what a server has registered, without middlewares; HEAD
// belongs to GET, and what leads from the address of a form to its page to POST.
func (w *instance) routesOf() []string {
	var names []string
	leads := map[string]bool{} // addresses of forms that lead to the form's page
	for _, declared := range w.server.Routes.All() {
		leads["GET "+declared.Path] = declared.Form != ""
	}
	for _, route := range w.server.App.GetRoutes(true) {
		if route.Method != http.MethodHead && !leads[route.Method+" "+route.Path] {
			names = append(names, route.Method+" "+route.Path)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ids are identifiers by the name that a route has for them.
type ids map[string]string

func (i ids) with(name, value string) ids {
	changed := ids{}
	for n, v := range i {
		changed[n] = v
	}
	changed[name] = value
	return changed
}

var placeholder = regexp.MustCompile(`:([a-z_]+)`)

// names are the kinds of id that a call of the row takes.
func (r row) names() []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(r.target()+" "+r.body, -1) {
		names = append(names, match[1])
	}
	return names
}

// fill puts the ids in. It fails the test on a name that it does not know.
func (w *instance) fill(template string, with ids) string {
	w.Helper()
	return placeholder.ReplaceAllStringFunc(template, func(name string) string {
		id, known := with[name[1:]]
		if !known {
			w.Fatalf("the tests know no id for %s in %s", name, template)
		}
		return id
	})
}

// try calls a row with ids. The caller's own X-Request-Id makes answers
// comparable that print it.
func (w *instance) try(r row, with ids, headers ...header) reply {
	w.Helper()
	body := w.fill(r.body, with)
	headers = append([]header{{"Content-Type", ""}, {"Content-Type", typeOf(body)}, {"X-Request-Id", "the-same"}}, headers...)
	return w.call(r.method, w.fill(r.target(), with), body, headers...)
}

func typeOf(body string) string {
	switch {
	case strings.HasPrefix(body, "{"):
		return "application/json"
	case strings.HasPrefix(body, "--"):
		return "multipart/form-data; boundary=border"
	}
	return formType.value
}

// upload is the form that adds a text, as browsers send it.
func upload(title, content string) string { return fields("title", title, "content", content) }

// fields is a form of several parts: name, value, name, value …
func fields(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString("--border\r\nContent-Disposition: form-data; name=\"" + pairs[i] + "\"\r\n\r\n" + pairs[i+1] + "\r\n")
	}
	return b.String() + "--border--\r\n"
}

// withFile adds a file to such a form.
func withFile(form, input, name, content string) string {
	return strings.TrimSuffix(form, "--border--\r\n") + "--border\r\nContent-Disposition: form-data; name=\"" + input + "\"; filename=\"" + name +
		"\"\r\nContent-Type: application/octet-stream\r\n\r\n" + content + "\r\n--border--\r\n"
}
