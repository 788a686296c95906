package harness

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// Event is one event of a stream.
type Event struct {
	Type           string `json:"type"`
	Content        string `json:"content"`
	ConversationID int64  `json:"conversation_id"`
	Format         string `json:"format"`
	Error          int    `json:"error"`
	ErrorMessage   string `json:"error_message"`
	ErrorCode      string `json:"error_code"`
	// Done is the literal [DONE].
	Done bool
}

// Events reads Server-Sent Events as the WHATWG HTML standard, section 9.2,
// says, and fails the test on anything that a default stream does not have.
type Events struct {
	t       *testing.T
	lines   *bufio.Scanner
	closing io.Closer
}

// Stream asks for a default stream, which it must get.
func (w *Instance) Stream(body string, headers ...Header) *Events {
	w.Helper()
	response := w.Send("POST", "/api/v1/chat/stream", body, headers...)
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		text, _ := io.ReadAll(response.Body)
		w.Fatalf("no stream: %s %s", response.Status, text)
	}
	w.Cleanup(func() { response.Body.Close() })
	return &Events{t: w.T, lines: bufio.NewScanner(response.Body), closing: response.Body}
}

// next returns the next event, or false at the end of the stream.
func (e *Events) next() (Event, bool) {
	e.t.Helper()
	var data []string
	for e.lines.Scan() {
		line := e.lines.Text()
		if line == "" && len(data) > 0 {
			return e.parse(strings.Join(data, "\n")), true
		}
		if line == "" {
			continue
		}
		text, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			e.t.Fatalf("a default stream has a line that is not data: %q", line)
		}
		data = append(data, text)
	}
	return Event{}, false
}

func (e *Events) parse(data string) Event {
	e.t.Helper()
	if data == "[DONE]" {
		return Event{Done: true}
	}
	var parsed Event
	if err := json.Unmarshal([]byte(data), &parsed); err != nil {
		e.t.Fatalf("an event is not JSON: %q", data)
	}
	return parsed
}

// Rest returns all events that are still to come.
func (e *Events) Rest() []Event {
	e.t.Helper()
	var all []Event
	for {
		next, ok := e.next()
		if !ok {
			return all
		}
		all = append(all, next)
	}
}
