package reference

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	views "parley/views/reference"
	"parley/views/shell"
)

// description returns the description of this API.
func description(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func html(t *testing.T, r views.Reference, current views.Group) string {
	t.Helper()
	var b strings.Builder
	if err := views.ReferencePage(shell.Layout{Title: "API", Broad: true}, views.Page{Reference: r, Current: current}).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReference(t *testing.T) {
	r, err := read(description(t), "https://parley.example.com")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("each call stands once, in the contents and on a page", func(t *testing.T) {
		d, err := parse(description(t))
		if err != nil {
			t.Fatal(err)
		}
		beginning, ids := html(t, r, views.Group{}), map[string]bool{}
		for _, group := range r.Groups {
			page := html(t, r, group)
			for _, o := range group.Operations {
				if ids[o.ID] {
					t.Errorf("%s stands twice", o.ID)
				}
				ids[o.ID] = true
				if !strings.Contains(page, `<section class="operation" id="`+o.ID+`"`) || !strings.Contains(beginning, `href="/docs/api/`+group.Slug+`#`+o.ID+`"`) {
					t.Errorf("%s is missing", o.ID)
				}
			}
		}
		for _, path := range d.get("paths").keys {
			for _, method := range methods {
				if id := d.get("paths", path, method, "operationId").text; id != "" && !ids[slug(id)] {
					t.Errorf("%s is in no group", id)
				}
			}
		}
	})
	t.Run("a question is described with its fields, limits, answer and failures", func(t *testing.T) {
		o := operation(t, r, "chat")
		if o.Method != "POST" || o.Path != "/api/v1/chat" || !o.Tryable || fmt.Sprint(o.Scopes) != "[chat]" || o.Body != `{"message": "When do you open?"}` {
			t.Errorf("it is %+v", o)
		}
		fields := o.Bodies[0].Fields
		if f := fields[0]; f.Name != "message" || f.Type != "string" || !f.Required {
			t.Errorf("the message is %+v", f)
		}
		for _, f := range fields {
			if f.Name == "format" && (f.Type != "string or null" || fmt.Sprint(f.Values, f.Limits) != `[markdown plain_text html] [default "markdown"]`) {
				t.Errorf("the format is %+v", f)
			}
		}
		if a := o.Answers[0]; a.Status != "200" || !a.Good || len(a.Bodies[0].Fields) != 3 || len(a.Bodies[0].Examples) == 0 || o.Answers[1].Good {
			t.Errorf("the answers are %+v", o.Answers)
		}
	})
	t.Run("a stream is described by its events", func(t *testing.T) {
		var names []string
		for _, f := range operation(t, r, "chat-stream").Answers[0].Bodies[0].Fields {
			names = append(names, f.Name)
		}
		if fmt.Sprint(names) != "[conversation waiting delta sources usage suggestions formatted error]" {
			t.Errorf("the events are %v", names)
		}
	})
	t.Run("what needs a session is not tried with a token", func(t *testing.T) {
		if o := operation(t, r, "list-tokens"); o.Tryable || o.Access != "A person who is signed in" || strings.Contains(o.Samples[0].Code, "Bearer") {
			t.Errorf("it is %+v", o)
		}
	})
	t.Run("each example is JSON", func(t *testing.T) {
		for _, group := range r.Groups {
			for _, o := range group.Operations {
				for _, code := range append(examplesOf(o), o.Body) {
					if code != "" && !jsontext.Value(code).IsValid() {
						t.Errorf("%s: %s", o.ID, code)
					}
				}
			}
		}
	})
}

func operation(t *testing.T, r views.Reference, id string) views.Operation {
	t.Helper()
	for _, group := range r.Groups {
		for _, o := range group.Operations {
			if o.ID == id {
				return o
			}
		}
	}
	t.Fatalf("there is no %s", id)
	return views.Operation{}
}

// examplesOf are the examples of an operation in JSON.
func examplesOf(o views.Operation) (all []string) {
	bodies := o.Bodies
	for _, a := range o.Answers {
		bodies = append(bodies, a.Bodies...)
	}
	for _, b := range bodies {
		for _, e := range b.Examples {
			if b.Type == "application/json" {
				all = append(all, e.Code)
			}
		}
	}
	return all
}

const hostile = `
info: {title: '<script>alert(1)</script>', description: '<img src=x onerror=alert(2)> [here](javascript:alert(3))'}
tags: [{name: '"><script>'}]
paths:
  /a/{id}:
    parameters: [{name: 'id" onfocus="alert(4)', in: path, required: true, example: "'; rm -rf / #"}]
    post:
      operationId: '"><b>'
      summary: '<script>alert(5)</script>'
      tags: ['"><script>']
      requestBody: {content: {application/json: {example: {a: "it's $(rm -rf /) \u0007 </script>"}, schema: {$ref: '#/components/schemas/Self'}}}}
      responses: {'200': {description: '<iframe src=x>'}}
components:
  schemas:
    Self: {type: object, properties: {self: {$ref: '#/components/schemas/Self'}, lost: {$ref: '#/nowhere'}}}
`

func TestHostileDescription(t *testing.T) {
	r, err := read(hostile, "https://parley.example.com")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("its texts are only texts", func(t *testing.T) {
		page := html(t, r, r.Groups[0])
		for _, wrong := range []string{"<script>alert", "<img src=x", "<iframe", "javascript:", `" onfocus=`, "<b>"} {
			if strings.Contains(page, wrong) {
				t.Errorf("the page has %s", wrong)
			}
		}
	})
	t.Run("its examples stay between quotation marks", func(t *testing.T) {
		want := `'{"a": "it'\''s $(rm -rf /) \u0007 </script>"}'`
		if code := r.Groups[0].Operations[0].Samples[0].Code; !strings.Contains(code, want) {
			t.Errorf("the sample is %s", code)
		}
	})
	for name, text := range map[string]string{"an alias of itself": "a: &a {b: *a}", "no YAML": "a: [", "a deep nest": strings.Repeat("[", 5000) + strings.Repeat("]", 5000)} {
		t.Run(name+" is an error", func(t *testing.T) {
			if _, err := read(text, ""); err == nil {
				t.Error("it is none")
			}
		})
	}
}
