package e2e

import (
	"regexp"
	"strings"
	"testing"
)

// story is a default stream, read to its end.
type story struct {
	conversation int64
	// kinds are the types of its events, each once in a row.
	kinds     string
	text      string
	formatted event
	failures  []event
}

// order is what the specification says about events, and an error that takes
// the place of what is left.
var order = regexp.MustCompile(`^conversation (waiting )*((delta )?(formatted )?|(delta )?(waiting )*(error ))\[DONE\] $`)

// story reads a stream and checks its order.
func (w *instance) story(stream *events) story {
	w.Helper()
	stream.t = w.T
	var s story
	last := ""
	for _, e := range stream.rest() {
		if e.done {
			e.Type = "[DONE]"
		}
		if e.Type != last || e.Type == "[DONE]" || e.Type == "error" || e.Type == "formatted" || e.Type == "conversation" {
			s.kinds += e.Type + " "
		}
		last = e.Type
		switch e.Type {
		case "conversation":
			s.conversation = e.ConversationID
		case "waiting":
			if e.Content == "" {
				w.Error("a waiting event says nothing")
			}
		case "delta":
			if e.Content == "" {
				w.Error("a delta is empty")
			}
			s.text += e.Content
		case "formatted":
			s.formatted = e
		case "error":
			s.failures = append(s.failures, e)
		}
	}
	if !order.MatchString(s.kinds) {
		w.Errorf("the events are out of order: %s", s.kinds)
	}
	return s
}

func TestStream(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b bakery) {
		token := b.baker.token
		b.Run("a stream says the same as a whole answer", func(t *testing.T) {
			w := b.within(t)
			whole := message(w.call("POST", chatPath, openingQuestion, bearer(token)))
			s := w.story(w.stream(openingQuestion, bearer(token)))
			if s.kinds != "conversation waiting delta [DONE] " || s.text != whole {
				t.Errorf("got %s %q, want %q", s.kinds, s.text, whole)
			}
			if s.conversation < 1 || s.conversation >= 1<<53 {
				t.Errorf("the conversation is %d", s.conversation)
			}
			if stored := w.messages(token, written(s.conversation), ""); len(stored) != 2 || stored[1]["content"] != whole {
				t.Errorf("stored is %v", stored)
			}
		})
		b.Run("a stream continues a conversation", func(t *testing.T) {
			w := b.within(t)
			id := w.newConversation(token, "")
			if s := w.story(w.stream(asking(`"`+written(id)+`"`), bearer(token))); s.conversation != id {
				t.Errorf("it went on in %d, want %d", s.conversation, id)
			}
		})
		b.Run("its headers keep proxies from buffering it", func(t *testing.T) {
			w := b.within(t)
			r := w.send("POST", streamPath, openingQuestion, bearer(token), header{"Accept-Encoding", "gzip"}, header{"X-Request-Id", "mine"})
			defer r.Body.Close()
			for name, value := range map[string]string{
				"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache", "X-Accel-Buffering": "no", "X-Request-Id": "mine",
				"Content-Encoding": "", "ETag": "", "Content-Length": "",
			} {
				if got := r.Header.Get(name); got != value {
					t.Errorf("%s is %q, want %q", name, got, value)
				}
			}
		})
		b.Run("each line is data or blank, and one blank line ends each event", func(t *testing.T) {
			w := b.within(t)
			r := w.call("POST", streamPath, openingQuestion, bearer(token))
			if !regexp.MustCompile(`^(data: \{[^\n\r]*\}\n\n)+data: \[DONE\]\n\n$`).MatchString(r.body) {
				t.Errorf("got %q", r.body)
			}
		})
		b.Run("the events have the specification's fields and no others", func(t *testing.T) {
			body := b.within(t).call("POST", streamPath, inFormat("html"), bearer(token)).body
			for line := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
				if !eventShape.MatchString(line) {
					t.Errorf("got %s", line)
				}
			}
		})
	})
}

var eventShape = regexp.MustCompile(`^data: (\[DONE\]|\{"type":"(conversation","conversation_id":\d+|waiting","content":"[^"]+"|delta","content":"([^"\\]|\\.)+"|formatted","content":"([^"\\]|\\.)+","format":"html")\})$`)
