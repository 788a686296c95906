package contract

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
)

// Exchange is a request and the head of its answer.
type Exchange struct {
	Method string
	URL    *url.URL
	// Sent are the headers of the request, and Asked is its body.
	Sent  http.Header
	Asked []byte

	Status   int
	Answered http.Header
}

// of is the operation of an exchange, or nil: what is no operation is refused like any
// wrong request.
func (d *Document) of(x *Exchange) *Operation {
	operation, _ := d.Find(x.Method, x.URL.EscapedPath())
	return operation
}

// CheckRequest checks a request that the server has accepted: what it takes is
// described.
func (d *Document) CheckRequest(x *Exchange) error {
	operation := d.of(x)
	if operation == nil {
		return fmt.Errorf("%s %s is not described, and was accepted", x.Method, x.URL.Path)
	}
	if err := d.checkParameters(operation, x); err != nil {
		return err
	}
	return d.checkAsked(operation, x)
}

func (d *Document) checkParameters(operation *Operation, x *Exchange) error {
	path := strings.Split(x.URL.EscapedPath(), "/")
	for _, p := range operation.parameters {
		var values []string
		switch p.In {
		case openapi3.ParameterInPath:
			value, err := url.PathUnescape(path[slices.Index(operation.segments, "{"+p.Name+"}")])
			if err != nil {
				return err
			}
			values = []string{value}
		case openapi3.ParameterInQuery:
			values = x.URL.Query()[p.Name]
		case openapi3.ParameterInHeader:
			values = x.Sent.Values(p.Name)
		}
		for _, value := range values {
			if err := d.asked.check(p.pointer+"/schema", instanceOf(p.Schema.Value, value)); err != nil {
				return fmt.Errorf("the parameter %s, which is %q: %w", p.Name, value, err)
			}
		}
	}
	return nil
}

// instanceOf is what the text of a parameter or of a header stands for, as JSON.
func instanceOf(schema *openapi3.Schema, text string) []byte {
	switch {
	case schema.Type.Is("integer"):
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return strconv.AppendInt(nil, n, 10)
		}
	case schema.Type.Is("array"):
		items := []string{}
		for item := range strings.SplitSeq(text, ",") {
			if item != "" {
				items = append(items, item)
			}
		}
		list, _ := json.Marshal(items)
		return list
	}
	quoted, _ := json.Marshal(strings.ToValidUTF8(text, "�")) // a header may be anything
	return quoted
}

func (d *Document) checkAsked(operation *Operation, x *Exchange) error {
	if operation.RequestBody == nil {
		return nil // and none is read
	}
	if len(x.Asked) == 0 {
		if operation.RequestBody.Value.Required {
			return errors.New("a request without a body was accepted")
		}
		return nil
	}
	kind := mediaType(x.Sent.Get("Content-Type"))
	if strings.HasSuffix(kind, "+json") || kind == "" {
		kind = "application/json"
	}
	if operation.RequestBody.Value.Content[kind] == nil {
		return fmt.Errorf("a body of type %q was accepted", kind)
	}
	if kind != "application/json" {
		return nil
	}
	if err := d.asked.check(operation.bodyPointer()+pointer("content", kind, "schema")[1:], x.Asked); err != nil {
		return fmt.Errorf("the request was accepted, and is not described: %w", err)
	}
	return nil
}

func (o *Operation) bodyPointer() string {
	if ref := o.RequestBody.Ref; ref != "" {
		return ref
	}
	return pointer("paths", o.Path, strings.ToLower(o.Method), "requestBody")
}

func mediaType(header string) string {
	kind, _, _ := mime.ParseMediaType(header)
	return kind
}

// Where the shapes of failures are described: one for the paths of OpenAI's clients, and
// one for all other paths.
const (
	openAIPaths    = "/api/v1/openai/"
	openAIFailures = "#/components/schemas/OpenAIFailure"
	failures       = "#/components/schemas/Failure"
)

// CheckHead checks the status and the headers of an answer.
func (d *Document) CheckHead(x *Exchange) error {
	operation := d.of(x)
	if operation == nil {
		if x.Status < http.StatusBadRequest {
			return fmt.Errorf("%s %s is not described, and its status is %d", x.Method, x.URL.Path, x.Status)
		}
		return nil
	}
	response := operation.Responses.Status(x.Status)
	if response == nil {
		return fmt.Errorf("%s: the status %d is not described", operation.Name(), x.Status)
	}
	for name, header := range response.Value.Headers {
		values := x.Answered.Values(name)
		if len(values) != 1 && (header.Value.Required || len(values) > 1) {
			return fmt.Errorf("%s %d: the header %s is there %d times", operation.Name(), x.Status, name, len(values))
		}
		if len(values) == 0 {
			continue
		}
		at := header.Ref
		if at == "" {
			at = operation.response(x.Status) + pointer("headers", name)[1:]
		}
		if err := d.answered.check(at+"/schema", instanceOf(header.Value.Schema.Value, values[0])); err != nil {
			return fmt.Errorf("%s %d: the header %s, which is %q: %w", operation.Name(), x.Status, name, values[0], err)
		}
	}
	if kind := mediaType(x.Answered.Get("Content-Type")); len(response.Value.Content) > 0 && response.Value.Content[kind] == nil && x.Method != http.MethodHead {
		return fmt.Errorf("%s %d: the type %q is not described", operation.Name(), x.Status, kind)
	}
	return nil
}

// CheckBody checks the JSON of an answer that has come whole.
func (d *Document) CheckBody(x *Exchange, body []byte) error {
	operation := d.of(x)
	at := failures
	if strings.HasPrefix(x.URL.Path, openAIPaths) {
		at = openAIFailures
	}
	if operation != nil {
		response := operation.Responses.Status(x.Status)
		if response == nil || response.Value.Content["application/json"] == nil {
			return nil // CheckHead says so
		}
		at = operation.response(x.Status) + pointer("content", "application/json", "schema")[1:]
	}
	if err := d.answered.check(at, body); err != nil {
		return fmt.Errorf("%s %s %d: the body: %w", x.Method, x.URL.Path, x.Status, err)
	}
	return nil
}

// response is where a response of an operation is described.
func (o *Operation) response(status int) string {
	if ref := o.Responses.Status(status).Ref; ref != "" {
		return ref
	}
	return pointer("paths", o.Path, strings.ToLower(o.Method), "responses", strconv.Itoa(status))
}

// CheckShape checks a thing that the server sends, by the name of its schema.
func (d *Document) CheckShape(schema string, value []byte) error {
	return d.answered.check(pointer("components", "schemas", schema), value)
}
