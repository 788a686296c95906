package e2e

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// marked is an event of a stream whose events have ids.
type marked struct {
	event
	id, data string
}

// markedEvents reads a stream as it comes. It must have ids, unless it is plain.
type markedEvents struct {
	t       *testing.T
	lines   *bufio.Scanner
	closing io.Closer
	plain   bool
}

// marked asks for a stream with ids, which it must get.
func (w *instance) marked(method, path, body string, headers ...header) *markedEvents {
	w.Helper()
	response := w.send(method, path, body, headers...)
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		text, _ := io.ReadAll(response.Body)
		w.Fatalf("no stream: %s %s", response.Status, text)
	}
	w.Cleanup(func() { response.Body.Close() })
	return markedIn(w.T, response.Body)
}

func markedIn(t *testing.T, body io.ReadCloser) *markedEvents {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	return &markedEvents{t: t, lines: lines, closing: body}
}

// next returns the next event, or false at the end. An event must be an id, its
// data, and a blank line.
func (m *markedEvents) next() (marked, bool) {
	m.t.Helper()
	var lines []string
	for m.lines.Scan() && m.lines.Text() != "" {
		lines = append(lines, m.lines.Text())
	}
	if len(lines) == 0 {
		return marked{}, false
	}
	if m.plain && strings.HasPrefix(lines[0], "data: ") {
		lines = append([]string{"id: "}, lines...)
	}
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "id: ") || !strings.HasPrefix(lines[1], "data: ") {
		m.t.Fatalf("an event is %q", lines)
	}
	e := marked{id: lines[0][len("id: "):], data: lines[1][len("data: "):]}
	if e.done = e.data == "[DONE]"; !e.done {
		if err := json.Unmarshal([]byte(e.data), &e.event); err != nil {
			m.t.Fatalf("an event is not JSON: %q", e.data)
		}
	}
	return e, true
}

// until returns the events up to the first of a type.
func (m *markedEvents) until(kind string) (all []marked) {
	m.t.Helper()
	for {
		e, ok := m.next()
		if !ok {
			m.t.Fatalf("the stream ended before %s", kind)
		}
		if all = append(all, e); e.Type == kind {
			return all
		}
	}
}

// rest returns the events that are still to come; the last must be [DONE].
func (m *markedEvents) rest() (all []marked) {
	m.t.Helper()
	for {
		e, ok := m.next()
		if !ok {
			if len(all) == 0 || !all[len(all)-1].done {
				m.t.Fatalf("the stream was cut off after %+v", all)
			}
			return all
		}
		all = append(all, e)
	}
}

// answerIn is the answer that events have of it.
func answerIn(events []marked) string {
	var b strings.Builder
	for _, e := range events {
		if e.Type == "delta" {
			b.WriteString(e.Content)
		}
	}
	return b.String()
}

// gist is what a stream says: its data but for messages about progress, and
// the pieces of the answer as one. Equal streams may differ in the others.
func gist(events []marked) string {
	var lines []string
	text := answerIn(events)
	for _, e := range events {
		switch e.Type {
		case "waiting":
		case "delta":
			if text != "" {
				lines = append(lines, "answer: "+text)
			}
			text = ""
		default:
			lines = append(lines, e.data)
		}
	}
	return strings.Join(lines, "\n")
}

// gistOf is the gist of a stream without ids that was read whole.
func gistOf(t *testing.T, body string) string {
	t.Helper()
	var events []marked
	for part := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(part, "data: ")
		if !ok {
			t.Fatalf("an event is %q", part)
		}
		e := marked{data: data}
		if e.done = data == "[DONE]"; !e.done {
			if err := json.Unmarshal([]byte(data), &e.event); err != nil {
				t.Fatalf("an event is not JSON: %q", data)
			}
		}
		events = append(events, e)
	}
	return gist(events)
}

// seenUpTo are the events that a reader has who resumes after one of them, but for
// the end of the stream, which is sent again so that the reader knows.
func seenUpTo(events []marked, i int) []marked {
	if !events[i].done {
		i++
	}
	return events[:i:i]
}

// lastOf is the last id of some events.
func lastOf(events []marked) string { return events[len(events)-1].id }

// resumePath is where a stream goes on.
func resumePath(conversation int64) string {
	return conversationsPath + "/" + written(conversation) + "/stream"
}

func stopPath(conversation int64) string {
	return conversationsPath + "/" + written(conversation) + "/stop"
}

func lastEventID(id string) header { return header{"Last-Event-ID", id} }

func keyed(key string) header { return header{"Idempotency-Key", key} }
