package sunset_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/api/sunset"
)

const docs = "https://chat.example.org/docs/api"

// made is a description whose parts are marked in turn.
const made = `
openapi: 3.1.0
paths:
  /api/v1/old/{name}:
    parameters:
      - {name: name, in: path}%[1]s
    get:
      summary: Old%[2]s
      responses:
        '200':
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Envelope'}
    delete:
      summary: Also old
  /api/v1/new:
    post:
      externalDocs: {url: 'https://example.com/moved'}
      requestBody: {$ref: '#/components/requestBodies/Question'}
components:
  requestBodies:
    Question:
      content:
        application/json:
          schema: {$ref: '#/components/schemas/Question'}
  schemas:
    Envelope:
      properties:
        data: {$ref: '#/components/schemas/Envelope'}
        next: {type: string%[3]s}
    Question:
      example: {deprecated: true}
      properties:
        message: {type: string%[4]s}
`

func TestRead(t *testing.T) {
	const at = "deprecated: true, x-deprecated-since: 2027-01-31, x-sunset: '2028-01-31'"
	indented := "\n      deprecated: true\n      x-deprecated-since: '2027-01-31'\n      x-sunset: 2028-01-31"
	notice := sunset.Notice{Deprecation: "@1801353600", Sunset: "Mon, 31 Jan 2028 00:00:00 GMT", Link: `<` + docs + `>; rel="deprecation"; type="text/html"`}
	elsewhere := notice
	elsewhere.Link = `<https://example.com/moved>; rel="deprecation"; type="text/html"`
	earlier := notice
	earlier.Deprecation, earlier.Sunset = "@1800144000", "Mon, 17 Jan 2028 00:00:00 GMT"
	for name, c := range map[string]struct {
		marks [4]string
		want  map[string]sunset.Notice
	}{
		"nothing":               {want: map[string]sunset.Notice{}},
		"an operation":          {[4]string{1: indented}, map[string]sunset.Notice{"GET /api/v1/old/:name": notice}},
		"a parameter of a path": {[4]string{0: "\n        " + strings.ReplaceAll(at, ", ", "\n        ")}, map[string]sunset.Notice{"GET /api/v1/old/:name": notice, "DELETE /api/v1/old/:name": notice}},
		"a field of an answer":  {[4]string{2: ", " + at}, map[string]sunset.Notice{"GET /api/v1/old/:name": notice}},
		"a field of a request":  {[4]string{3: ", " + at}, map[string]sunset.Notice{"POST /api/v1/new": elsewhere}},
		"two, of which the earlier counts": {
			[4]string{1: indented, 2: ", deprecated: true, x-deprecated-since: 2027-01-17, x-sunset: 2028-01-17"}, map[string]sunset.Notice{"GET /api/v1/old/:name": earlier},
		},
	} {
		t.Run("what is deprecated is "+name, func(t *testing.T) {
			marks := c.marks
			if marks[0] != "" { // a parameter of several lines
				marks[0] = "\n      - name: format\n        in: query" + marks[0]
			}
			got, err := sunset.Read(fmt.Sprintf(made, marks[0], marks[1], marks[2], marks[3]), docs)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	for name, mark := range map[string]string{
		"has no days":             "deprecated: true",
		"has no end":              "deprecated: true, x-deprecated-since: 2027-01-31",
		"has an end that is none": "deprecated: true, x-deprecated-since: 2027-01-31, x-sunset: soon",
		"ends within a year":      "deprecated: true, x-deprecated-since: 2027-01-31, x-sunset: 2028-01-30",
	} {
		t.Run("what "+name+" is a mistake in the description", func(t *testing.T) {
			if got, err := sunset.Read(fmt.Sprintf(made, "", "", ", "+mark, ""), docs); err == nil || !strings.HasPrefix(err.Error(), "GET /api/v1/old/:name: ") {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
