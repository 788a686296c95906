package reference

import (
	"slices"
	"strings"

	"parley/text/markdown"
	views "parley/views/reference"
)

// document is the description of the API.
type document struct {
	*value
	// address is the server's address.
	address string
}

// methods are those that operations have, in the order in which they are shown.
var methods = []string{"get", "post", "put", "patch", "delete"}

// read reads the description of the server at an address.
func read(text, address string) (views.Reference, error) {
	parsed, err := parse(text)
	if err != nil {
		return views.Reference{}, err
	}
	d := document{parsed, address}
	r := views.Reference{Title: d.get("info", "title").text, About: rendered(d.get("info", "description").text)}
	for _, tag := range d.get("tags").items {
		group := views.Group{Slug: slug(tag.get("name").text), Name: tag.get("name").text, About: rendered(tag.get("description").text)}
		group.Operations = d.operations(tag.get("name").text)
		if len(group.Operations) > 0 {
			r.Groups = append(r.Groups, group)
		}
	}
	if hooks := d.webhooks(); len(hooks) > 0 {
		r.Groups = append(r.Groups, views.Group{Slug: "webhooks", Name: "Webhooks", About: rendered(aboutWebhooks), Operations: hooks})
	}
	return r, nil
}

const aboutWebhooks = "What this server sends to your endpoints when something happens. Signatures are those of Standard Webhooks."

// operations returns a group's operations, in the order of the description.
func (d document) operations(tag string) []views.Operation {
	var all []views.Operation
	for _, path := range d.get("paths").keys {
		item := d.get("paths", path)
		for _, method := range methods {
			if operation := item.get(method); slices.Contains(operation.get("tags").texts(), tag) {
				all = append(all, d.operation(method, path, item, operation))
			}
		}
	}
	return all
}

func (d document) operation(method, path string, item, operation *value) views.Operation {
	o := d.described(operation.get("operationId").text, operation)
	o.Method, o.Path = strings.ToUpper(method), path
	security := d.get("security")
	if operation.has("security") {
		security = operation.get("security")
	}
	allow(&o, security)
	var parameters []*value
	for _, parameter := range slices.Concat(item.get("parameters").items, operation.get("parameters").items) {
		parameters = append(parameters, d.resolve(parameter))
	}
	o.Parameters = d.parameters(parameters)
	ask := d.newRequest(method, path, parameters, operation, o.Tryable && o.Access != "")
	o.Samples = ask.samples()
	if o.Tryable {
		o.Inputs, o.Body = ask.inputs()
	}
	return o
}

// webhooks are what the server sends.
func (d document) webhooks() []views.Operation {
	var all []views.Operation
	for _, name := range d.get("webhooks").keys {
		operation := d.resolve(d.get("webhooks", name)).get("post")
		o := d.described("webhook-"+name, operation)
		o.Method, o.Path = "POST", "your endpoint"
		o.Title = name
		if summary := operation.get("summary").text; summary != "" {
			o.About = rendered(summary+".") + o.About
		}
		var parameters []*value
		for _, parameter := range operation.get("parameters").items {
			parameters = append(parameters, d.resolve(parameter))
		}
		o.Parameters = d.parameters(parameters)
		all = append(all, o)
	}
	return all
}

// described is what requests of this server and of a caller have in common.
func (d document) described(id string, operation *value) views.Operation {
	o := views.Operation{
		ID: slug(id), Title: operation.get("summary").text, About: rendered(operation.get("description").text), Deprecated: operation.get("deprecated").isTrue(),
	}
	body := d.resolve(operation.get("requestBody"))
	for _, kind := range body.get("content").keys {
		o.Bodies = append(o.Bodies, d.body(kind, body.get("content", kind)))
	}
	for _, status := range operation.get("responses").keys {
		answer := d.resolve(operation.get("responses", status))
		shown := views.Answer{Status: status, Good: status < "300", About: rendered(answer.get("description").text)}
		for _, kind := range answer.get("content").keys {
			shown.Bodies = append(shown.Bodies, d.body(kind, answer.get("content", kind)))
		}
		o.Answers = append(o.Answers, shown)
	}
	slices.SortStableFunc(o.Answers, func(a, b views.Answer) int { return strings.Compare(a.Status, b.Status) })
	return o
}

// body is one form of a body.
func (d document) body(kind string, media *value) views.Body {
	schema := media.get("schema")
	if event := d.resolve(schema).get("contentSchema"); event != nothing {
		schema = event
	}
	b := views.Body{Type: kind, Fields: d.fields(schema, nil)}
	for _, example := range d.examples(media) {
		code := example.value.text
		if example.value.fields != nil || example.value.items != nil {
			code = example.value.write(inJSON, 0)
		}
		b.Examples = append(b.Examples, views.Example{Name: example.name, Code: code})
	}
	return b
}

// allow says in words who may call, and whether a token is enough.
func allow(o *views.Operation, security *value) {
	o.Tryable = true
	for _, way := range security.items {
		switch {
		case len(way.keys) == 0:
			o.Access = ""
			return
		case way.has("bearer"):
			o.Access, o.Scopes = "A token of the chatbot", way.get("bearer").texts()
			if len(o.Scopes) > 0 {
				o.Access = "A token with the scope"
			}
			return
		case way.has("session"):
			o.Access, o.Tryable = "A person who is signed in", false
		}
	}
}

// resolve follows references. One that leads nowhere is [nothing].
func (d document) resolve(v *value) *value {
	for range maxDepth {
		ref := v.get("$ref").text
		if ref == "" {
			return v
		}
		v = d.get(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return nothing
}

// rendered is Markdown as sanitized HTML.
func rendered(written string) string { return markdown.Render(written, markdown.HTML, nil) }

// slug is a name as a part of an address: "openai-clients", "list-conversations".
func slug(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case 'A' <= r && r <= 'Z':
			if i > 0 && !strings.HasSuffix(b.String(), "-") && name[i-1] >= 'a' && name[i-1] <= 'z' && !strings.Contains(name, " ") {
				b.WriteByte('-')
			}
			b.WriteRune(r + 'a' - 'A')
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			b.WriteRune(r)
		case r == '\'':
		default:
			if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
				b.WriteByte('-')
			}
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}
