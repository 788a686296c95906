package contract

import (
	"slices"
	"strings"
	"testing"
)

// released is a description with one of everything that can narrow.
const released = `
openapi: 3.1.0
info: {title: Things, version: "1"}
paths:
  /things/{id}:
    post:
      tags: [Things]
      security: [{bearer: [chat]}, {apiKey: [chat]}]
      parameters:
        - {name: id, in: path, required: true, schema: {type: string, minLength: 1}}
        - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 100}}
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [message]
              properties:
                message: {type: string, maxLength: 20}
                format: {type: [string, 'null'], enum: [text, html, null]}
                tags: {type: array, maxItems: 5, items: {type: string}}
          text/plain: {schema: {type: string}}
      responses:
        '200':
          description: Done.
          headers:
            X-Request-Id: {required: true, schema: {type: string}}
          content:
            application/json:
              schema:
                type: object
                required: [id, name]
                properties:
                  id: {type: integer, maximum: 9007199254740991}
                  name: {type: string}
                  state: {type: string, enum: [ready, failed], x-grows: true}
                  kind: {type: string, enum: [page, site]}
            text/event-stream:
              schema:
                type: string
                contentSchema:
                  x-grows: true
                  oneOf:
                    - $ref: '#/components/schemas/Delta'
        '404': {description: Not there.}
  /open:
    get:
      tags: [Things]
      security: []
      responses: {'200': {description: Done.}}
  /pages:
    get:
      tags: [Dashboard]
      security: []
      responses: {'200': {description: Done.}}
webhooks:
  thing.made:
    post: {parameters: [{name: hook-id, in: header, required: true, schema: {type: string}}], requestBody: {content: {application/json:
      {schema: {type: object, required: [thing], properties: {thing: {type: string}}}}}}, responses: {'200': {description: Taken.}}}
components:
  securitySchemes:
    bearer: {type: http, scheme: bearer}
    apiKey: {type: apiKey, in: header, name: X-API-Key}
  schemas:
    Delta:
      type: object
      required: [type]
      properties: {type: {type: string, const: delta}}
    Usage:
      type: object
      required: [type]
      properties: {type: {type: string, const: usage}}
`

func read(t *testing.T, text string) *Document {
	t.Helper()
	document, err := Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestNarrowings(t *testing.T) {
	before := read(t, released)
	for _, change := range []struct{ name, from, to, want string }{
		{"a path is gone", "  /open:\n    get:", "  /opened:\n    get:", "GET /open: it is gone"},
		{"a method is another", "    post:\n", "    put:\n", "POST /things/{id}: it is gone"},
		{"a page's own operation is gone", "  /pages:", "  /leaves:", ""},
		{"an open operation needs a token", "tags: [Things]\n      security: []", "tags: [Things]\n      security: [{bearer: []}]", "GET /open: it needs a credential"},
		{"a credential no longer suffices", "{bearer: [chat]}, {apiKey: [chat]}", "{bearer: [chat]}", "the credential [apiKey] no longer suffices"},
		{"a token needs another scope", "{bearer: [chat]}", "{bearer: [read]}", "the credential [bearer] no longer suffices"},
		{"another credential suffices, too", "{apiKey: [chat]}]", "{apiKey: [chat]}, {apiKey: []}]", ""},

		{"a parameter is gone", "name: limit", "name: most", "parameter limit: it is gone"},
		{"a parameter is required", "{name: limit, in: query,", "{name: limit, in: query, required: true,", "parameter limit: it is required"},
		{"a new parameter is required", "      requestBody:", "        - {name: q, in: query, required: true, schema: {type: string}}\n      requestBody:", "the new parameter q is required"},
		{"a new parameter may be left out", "      requestBody:", "        - {name: q, in: query, schema: {type: string}}\n      requestBody:", ""},
		{"a parameter accepts less", "maximum: 100", "maximum: 50", "parameter limit: maximum was 100 and is 50"},
		{"a parameter accepts more", "maximum: 100", "maximum: 200", ""},
		{"a parameter has another least length", "minLength: 1", "minLength: 2", "minLength was 1 and is 2"},

		{"a body is required", "requestBody:\n", "requestBody:\n        required: true\n", "body: it is required"},
		{"a type of body is gone", "text/plain", "text/html", "text/plain: it is gone"},
		{"a field is required", "required: [message]", "required: [message, format]", "format is required"},
		{"a field may be left out", "              required: [message]\n", "", ""},
		{"a field is gone", "                message: {type: string, maxLength: 20}\n", "", "message: it is gone"},
		{"a new field", "                tags:", "                labels: {type: string}\n                tags:", ""},
		{"a field is shorter", "maxLength: 20", "maxLength: 10", "message: maxLength was 20 and is 10"},
		{"a field is longer", "maxLength: 20", "maxLength: 30", ""},
		{"a field has a pattern", "maxLength: 20", "maxLength: 20, pattern: a", "message: its pattern is another"},
		{"a field has another type", "message: {type: string, maxLength: 20}", "message: {type: integer}", "message: it is no longer string"},
		{"a field may not be null", "[string, 'null'], enum: [text, html, null]", "string, enum: [text, html]", "format: it is no longer null"},
		{"a value of a field is gone", "[text, html, null]", "[text, null]", "format: html is no longer a value"},
		{"a new value of a field", "[text, html, null]", "[text, html, pdf, null]", ""},
		{"a list is shorter", "maxItems: 5", "maxItems: 4", "tags: maxItems was 5 and is 4"},
		{"a list has other items", "items: {type: string}", "items: {type: integer}", "tags, items: it is no longer string"},
		{"a list has no item twice", "maxItems: 5,", "maxItems: 5, uniqueItems: true,", "tags: uniqueItems is another"},

		{"a status is gone", "'404'", "'410'", "404: it is gone"},
		{"a new status of success", "'404'", "'202': {description: Begun.}\n        '404'", "the new status 202 is no failure"},
		{"a new status of failure", "'404'", "'409': {description: Busy.}\n        '404'", ""},
		{"a header is gone", "X-Request-Id", "X-Trace", "header X-Request-Id: it is gone"},
		{"a header may be missing", "{required: true, schema: {type: string}}", "{schema: {type: string}}", "header X-Request-Id: it may be missing"},
		{"a type of answer is gone", "text/event-stream", "text/csv", "text/event-stream: it is gone"},
		{"a property is gone", "                  name: {type: string}\n", "", "name: it is gone"},
		{"a property may be missing", "required: [id, name]", "required: [id]", "name may be missing"},
		{"a property is always there", "required: [id, name]", "required: [id, name, kind]", ""},
		{"a new property", "                  kind:", "                  size: {type: integer}\n                  kind:", ""},
		{"a property may be null", "name: {type: string}", "name: {type: [string, 'null']}", "name: it may be null"},
		{"a property may be anything", "name: {type: string}", "name: {description: A name.}", "name: it may be anything"},
		{"a property is larger", "maximum: 9007199254740991", "maximum: 9223372036854775807", "id: maximum was"},
		{"a new value of a property", "enum: [page, site]", "enum: [page, site, feed]", "kind: feed is a new value"},
		{"a new value of a property that may grow", "[ready, failed]", "[ready, failed, waiting]", ""},
		{"a property has any value", "enum: [page, site]", "minLength: 1", "kind: it may have any value"},
		{"a value of a property is gone", "enum: [page, site]", "enum: [page]", ""},
		{"a new event", "- $ref: '#/components/schemas/Delta'", "- $ref: '#/components/schemas/Delta'\n                    - $ref: '#/components/schemas/Usage'", ""},
		{"an event is gone", "- $ref: '#/components/schemas/Delta'", "- $ref: '#/components/schemas/Usage'", "#/components/schemas/Delta: it is gone"},
		{"a webhook is gone", "  thing.made:", "  thing.built:", "webhook thing.made: it is gone"},
		{"a webhook leaves a property out", "required: [thing], ", "", "thing may be missing"},
		{"a webhook has a new property", "properties: {thing:", "properties: {size: {type: integer}, thing:", ""},
		{"a webhook lacks a header", "hook-id", "hook-name", "webhook thing.made, header hook-id: it is gone"},
		{"an event has another type", "const: delta", "const: piece", "type: piece is a new value"},
	} {
		t.Run(change.name, func(t *testing.T) {
			if strings.Count(released, change.from) != 1 {
				t.Fatalf("%q is there %d times", change.from, strings.Count(released, change.from))
			}
			got := Narrowings(before, read(t, strings.Replace(released, change.from, change.to, 1)))
			refused := slices.ContainsFunc(got, func(said string) bool { return strings.Contains(said, change.want) })
			if change.want == "" && len(got) > 0 || change.want != "" && !refused {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Run("nothing changes", func(t *testing.T) {
		if got := Narrowings(before, before); len(got) > 0 {
			t.Errorf("got %q", got)
		}
	})
}
