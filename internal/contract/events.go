package contract

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
)

const eventStream = "text/event-stream"

// Events checks a stream while it is read: each event by the schema of its type. It has no
// opinion about a stream that is cut.
type Events struct {
	document *Document
	name     string
	// schemas has the pointers of the types of events. It is empty where all events have
	// the schema at every.
	schemas map[string]openapi3.MappingRef
	every   string
	line    []byte
	done    bool
}

// Events returns a check of the stream that answers a request, or nil if the answer is
// none.
func (d *Document) Events(x *Exchange) *Events {
	operation := d.of(x)
	if operation == nil || operation.Responses.Status(x.Status) == nil || mediaType(x.Answered.Get("Content-Type")) != eventStream {
		return nil
	}
	content := operation.Responses.Status(x.Status).Value.Content[eventStream]
	if content == nil {
		return nil
	}
	events := &Events{document: d, name: operation.Name()}
	if told := content.Schema.Value.ContentSchema.Value.Discriminator; told != nil {
		events.schemas = told.Mapping
	} else {
		events.every = operation.response(x.Status) + pointer("content", eventStream, "schema", "contentSchema")[1:]
	}
	return events
}

// Read checks what has come.
func (e *Events) Read(piece []byte) error {
	for {
		head, tail, ended := bytes.Cut(piece, []byte("\n"))
		e.line = append(e.line, head...)
		if !ended {
			return nil
		}
		if err := e.check(e.line); err != nil {
			return fmt.Errorf("%s: the line %q: %w", e.name, e.line, err)
		}
		e.line, piece = e.line[:0], tail
	}
}

func (e *Events) check(line []byte) error {
	data, isData := bytes.CutPrefix(line, []byte("data: "))
	switch {
	case len(line) == 0:
		return nil
	case e.done:
		return errors.New("it comes after the end")
	case bytes.HasPrefix(line, []byte("id: ")), bytes.HasPrefix(line, []byte("event: ")), line[0] == ':':
		return nil
	case !isData:
		return errors.New("it is neither data, nor a name, an id or a comment")
	case string(data) == "[DONE]":
		e.done = true
		return nil
	}
	if e.every != "" {
		return e.document.answered.check(e.every, data)
	}
	var event struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &event); err != nil {
		return err
	}
	at, described := e.schemas[event.Type]
	if !described {
		return errors.New("events of this type are not described")
	}
	return e.document.answered.check(at.Ref, data)
}
