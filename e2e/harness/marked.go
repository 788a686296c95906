package harness

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// Marked is an event of a stream whose events have ids.
type Marked struct {
	Event
	ID, Data string
}

// MarkedEvents reads a stream as it comes. It must have ids, unless it is plain.
type MarkedEvents struct {
	t       *testing.T
	lines   *bufio.Scanner
	Closing io.Closer
	Plain   bool
}

// Marked asks for a stream with ids, which it must get.
func (w *Instance) Marked(method, path, body string, headers ...Header) *MarkedEvents {
	w.Helper()
	response := w.Send(method, path, body, headers...)
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		text, _ := io.ReadAll(response.Body)
		w.Fatalf("no stream: %s %s", response.Status, text)
	}
	w.Cleanup(func() { response.Body.Close() })
	return MarkedIn(w.T, response.Body)
}

// MarkedIn reads events with ids from a body.
func MarkedIn(t *testing.T, body io.ReadCloser) *MarkedEvents {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	return &MarkedEvents{t: t, lines: lines, Closing: body}
}

// Next returns the next event, or false at the end. An event must be an id, its
// data, and a blank line.
func (m *MarkedEvents) Next() (Marked, bool) {
	m.t.Helper()
	var lines []string
	for m.lines.Scan() && m.lines.Text() != "" {
		lines = append(lines, m.lines.Text())
	}
	if len(lines) == 0 {
		return Marked{}, false
	}
	if m.Plain && strings.HasPrefix(lines[0], "data: ") {
		lines = append([]string{"id: "}, lines...)
	}
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "id: ") || !strings.HasPrefix(lines[1], "data: ") {
		m.t.Fatalf("an event is %q", lines)
	}
	e := Marked{ID: lines[0][len("id: "):], Data: lines[1][len("data: "):]}
	if e.Done = e.Data == "[DONE]"; !e.Done {
		if err := json.Unmarshal([]byte(e.Data), &e.Event); err != nil {
			m.t.Fatalf("an event is not JSON: %q", e.Data)
		}
	}
	return e, true
}

// Until returns the events up to the first of a type.
func (m *MarkedEvents) Until(kind string) (all []Marked) {
	m.t.Helper()
	for {
		e, ok := m.Next()
		if !ok {
			m.t.Fatalf("the stream ended before %s", kind)
		}
		if all = append(all, e); e.Type == kind {
			return all
		}
	}
}

// Rest returns the events that are still to come; the last must be [DONE].
func (m *MarkedEvents) Rest() (all []Marked) {
	m.t.Helper()
	for {
		e, ok := m.Next()
		if !ok {
			if len(all) == 0 || !all[len(all)-1].Done {
				m.t.Fatalf("the stream was cut off after %+v", all)
			}
			return all
		}
		all = append(all, e)
	}
}

// AnswerIn is the answer that events have of it.
func AnswerIn(events []Marked) string {
	var b strings.Builder
	for _, e := range events {
		if e.Type == "delta" {
			b.WriteString(e.Content)
		}
	}
	return b.String()
}

// Gist is what a stream says: its data but for messages about progress, and
// the pieces of the answer as one. Equal streams may differ in the others.
func Gist(events []Marked) string {
	var lines []string
	text := AnswerIn(events)
	for _, e := range events {
		switch e.Type {
		case "waiting":
		case "delta":
			if text != "" {
				lines = append(lines, "answer: "+text)
			}
			text = ""
		default:
			lines = append(lines, e.Data)
		}
	}
	return strings.Join(lines, "\n")
}

// GistOf is the gist of a stream without ids that was read whole.
func GistOf(t *testing.T, body string) string {
	t.Helper()
	var events []Marked
	for part := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(part, "data: ")
		if !ok {
			t.Fatalf("an event is %q", part)
		}
		e := Marked{Data: data}
		if e.Done = data == "[DONE]"; !e.Done {
			if err := json.Unmarshal([]byte(data), &e.Event); err != nil {
				t.Fatalf("an event is not JSON: %q", data)
			}
		}
		events = append(events, e)
	}
	return Gist(events)
}

// SeenUpTo are the events that a reader has who resumes after one of them, but for
// the end of the stream, which is sent again so that the reader knows.
func SeenUpTo(events []Marked, i int) []Marked {
	if !events[i].Done {
		i++
	}
	return events[:i:i]
}

// LastOf is the last id of some events.
func LastOf(events []Marked) string { return events[len(events)-1].ID }

// ResumePath is where a stream goes on.
func ResumePath(conversation int64) string {
	return ConversationsPath + "/" + Written(conversation) + "/stream"
}

// StopPath is where an answer is stopped.
func StopPath(conversation int64) string {
	return ConversationsPath + "/" + Written(conversation) + "/stop"
}

// LastEventID is the header of a reader that resumes after an event.
func LastEventID(id string) Header { return Header{"Last-Event-ID", id} }

// Keyed is the header with an idempotency key.
func Keyed(key string) Header { return Header{"Idempotency-Key", key} }

// Resumable is a question whose stream has everything that may be resumed.
const Resumable = `{"message":"When does the bakery open?","format":"html","include":["ids","usage","sources"]}`
