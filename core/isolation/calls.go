package isolation

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Call is one way to call a route. A name after a colon, in the path and in the body, stands
// for the identifier of an object; :asked stands for words that are searched for, and :code for
// the code in an invitation's link.
type Call struct {
	Method, Route string
	// Path is the route unless it is set.
	Path string
	Body string
	// Together says that an object of it names nothing without its workspace, so that it is not
	// tried in the caller's own.
	Together bool
	// Not says why the call is not made.
	Not string
}

// Why calls are not made.
const (
	forStrangers = "it names no workspace, and a wrong guess there counts against everybody in the network"
	ownAccount   = "it names no workspace, and changes the account of its caller"
	newWorkspace = "it names no workspace, and would make one"
	ofStripe     = "Stripe calls it, and signs what it sends"
)

// Calls returns the calls of all routes. A test compares their routes with the server's routes.
func Calls() []Call { return slices.Concat(openCalls, apiCalls, jsonCalls, pageCalls) }

// Name is the method and the route.
func (c Call) Name() string { return c.Method + " " + c.Route }

func (c Call) target() string {
	if c.Path != "" {
		return c.Path
	}
	return c.Route
}

// changes reports whether the call is to change something.
func (c Call) changes() bool { return c.Method != "GET" }

// asks reports whether the call asks the caller's own chatbot.
func (c Call) asks() bool { return strings.Contains(c.Body, ":asked") && len(c.Objects()) == 0 }

// kind is what the route wants its callers to show.
func (c Call) kind() Kind {
	if strings.HasPrefix(c.Route, "/api/v1/") && !strings.HasSuffix(c.Route, ".yaml") {
		return Bearer
	}
	return Session
}

var placeholder = regexp.MustCompile(`:([a-z_]+)`)

// Objects are the names of the objects in the call, each once.
func (c Call) Objects() (names []string) {
	for _, match := range placeholder.FindAllStringSubmatch(c.target()+" "+c.Body, -1) {
		if name := match[1]; name != "asked" && name != "code" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// fill puts identifiers in.
func (c Call) fill(ids map[string]string) (path, body string) {
	put := func(template string, escape func(string) string) string {
		return placeholder.ReplaceAllStringFunc(template, func(name string) string { return escape(ids[name[1:]]) })
	}
	escape := func(text string) string { return text }
	if c.Body != "" && !strings.HasPrefix(c.Body, "{") && !strings.HasPrefix(c.Body, "--") {
		escape = url.QueryEscape
	}
	return put(c.target(), url.QueryEscape), put(c.Body, escape)
}

// form is a form of several parts: name, value, name, value …
func form(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString("--border\r\nContent-Disposition: form-data; name=\"" + pairs[i] + "\"\r\n\r\n" + pairs[i+1] + "\r\n")
	}
	return b.String() + "--border--\r\n"
}

// withFile is a form with a file.
func withFile(input, name, content string) string {
	return "--border\r\nContent-Disposition: form-data; name=\"" + input + "\"; filename=\"" + name +
		"\"\r\nContent-Type: application/octet-stream\r\n\r\n" + content + "\r\n--border--\r\n"
}

// ContentType is what a body of a call is sent as.
func ContentType(body string) string {
	switch {
	case body == "":
		return ""
	case strings.HasPrefix(body, "{"):
		return "application/json"
	case strings.HasPrefix(body, "--border"):
		return "multipart/form-data; boundary=border"
	}
	return "application/x-www-form-urlencoded"
}
