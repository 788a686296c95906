package reference

import (
	"net/url"
	"slices"
	"strings"

	views "parley/views/reference"
	"parley/views/ui"
)

// request is a call of an operation with its examples.
type request struct {
	method, path, address string
	// query is what the call needs in its query.
	query url.Values
	// parameters are all that the operation takes.
	parameters []*value
	// body is the body in the first example, or nil. file says that the call sends a form
	// with a file.
	body *value
	file bool
	// token says that the call shows one, and streams that events answer it.
	token, streams bool
}

func (d document) newRequest(method, path string, parameters []*value, operation *value, token bool) request {
	r := request{method: strings.ToUpper(method), path: path, address: d.address, query: url.Values{}, parameters: parameters, token: token}
	for _, p := range parameters {
		if p.get("in").text == "query" && p.get("required").isTrue() {
			r.query.Set(p.get("name").text, p.get("example").text)
		}
	}
	content := d.resolve(operation.get("requestBody")).get("content")
	if all := d.examples(content.get("application/json")); len(all) > 0 {
		r.body = all[0].value
	}
	r.file = content.has("multipart/form-data")
	r.streams = d.resolve(operation.get("responses", "200")).get("content").has("text/event-stream")
	return r
}

// example is the address of the call, with examples in its path.
func (r request) example() string {
	path := r.path
	for _, p := range r.parameters {
		if p.get("in").text == "path" {
			path = strings.ReplaceAll(path, "{"+p.get("name").text+"}", url.PathEscape(p.get("example").text))
		}
	}
	if len(r.query) > 0 {
		path += "?" + r.query.Encode()
	}
	return strings.TrimSuffix(r.address, "/") + path
}

func (r request) samples() []ui.Sample {
	return []ui.Sample{{Name: "curl", Code: r.curl()}, {Name: "JavaScript", Code: r.javaScript()}, {Name: "Python", Code: r.python()}}
}

// inQuotes quotes a text for a shell.
func inQuotes(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func (r request) curl() string {
	parts := []string{"curl " + inQuotes(r.example())}
	if r.streams {
		parts[0] = "curl -N " + inQuotes(r.example())
	}
	if !(r.method == "GET" || r.method == "POST" && (r.body != nil || r.file)) {
		parts = append(parts, "-X "+r.method)
	}
	if r.token {
		parts = append(parts, `-H "Authorization: Bearer $PARLEY_TOKEN"`)
	}
	switch {
	case r.body != nil:
		parts = append(parts, "-H 'Content-Type: application/json'", "-d "+inQuotes(r.body.write(inJSON, 2)))
	case r.file:
		parts = append(parts, "-F 'file=@manual.pdf'")
	}
	return strings.Join(parts, " \\\n  ")
}

func (r request) javaScript() string {
	var b strings.Builder
	options := []string{}
	if r.method != "GET" {
		options = append(options, `  method: `+quote(r.method)+`,`)
	}
	var headers []string
	if r.token {
		headers = append(headers, "    Authorization: `Bearer ${process.env.PARLEY_TOKEN}`,")
	}
	if r.body != nil {
		headers = append(headers, `    "Content-Type": "application/json",`)
	}
	if len(headers) > 0 {
		options = append(options, "  headers: {\n"+strings.Join(headers, "\n")+"\n  },")
	}
	switch {
	case r.body != nil:
		options = append(options, "  body: JSON.stringify("+r.body.write(inJSON, 2)+"),")
	case r.file:
		b.WriteString("import { openAsBlob } from \"node:fs\";\n\nconst form = new FormData();\nform.append(\"file\", await openAsBlob(\"manual.pdf\"), \"manual.pdf\");\n")
		options = append(options, "  body: form,")
	}
	b.WriteString("const response = await fetch(" + quote(r.example()))
	if len(options) > 0 {
		b.WriteString(", {\n" + strings.Join(options, "\n") + "\n}")
	}
	b.WriteString(");\n")
	if r.streams {
		b.WriteString("for await (const text of response.body.pipeThrough(new TextDecoderStream())) {\n  process.stdout.write(text);\n}")
	} else {
		b.WriteString("console.log(await response.json());")
	}
	return b.String()
}

func (r request) python() string {
	arguments := []string{"    " + quote(r.example()) + ","}
	if r.token {
		arguments = append(arguments, `    headers={"Authorization": f"Bearer {os.environ['PARLEY_TOKEN']}"},`)
	}
	switch {
	case r.body != nil:
		arguments = append(arguments, "    json="+r.body.write(inPython, 4)+",")
	case r.file:
		arguments = append(arguments, `    files={"file": open("manual.pdf", "rb")},`)
	}
	start := "import os, requests\n\n"
	if !r.token {
		start = "import requests\n\n"
	}
	call := "requests." + strings.ToLower(r.method) + "(\n"
	if r.streams {
		return start + "with " + call + strings.Join(append(arguments, "    stream=True,"), "\n") + "\n) as response:\n    for line in response.iter_lines(decode_unicode=True):\n        print(line)"
	}
	return start + "response = " + call + strings.Join(arguments, "\n") + "\n)\nprint(response.json())"
}

// inputs returns the inputs of the form that tries the call, and the body that the form
// begins with.
func (r request) inputs() ([]views.Input, string) {
	var all []views.Input
	for _, place := range places {
		for _, p := range r.parameters {
			name := p.get("name").text
			if p.get("in").text != place.in || slices.Contains(unasked, name) {
				continue
			}
			input := views.Input{In: place.in, Name: name, Required: p.get("required").isTrue(), Example: p.get("example").line(inJSON)}
			if p.get("example").tag == "!!str" {
				input.Example = p.get("example").text
			}
			if p.get("example") == nothing {
				input.Example = ""
			}
			all = append(all, input)
		}
	}
	if r.file {
		all = append(all, views.Input{In: "file", Name: "file"})
	}
	if r.body == nil {
		return all, ""
	}
	return all, r.body.write(inJSON, 0)
}

// unasked are parameters that nobody tries by hand: the page has them under other names.
var unasked = []string{"X-Request-Id", "X-External-User-Id"}
