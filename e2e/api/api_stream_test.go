package api

import (
	"regexp"
	"strings"
	"testing"

	"parley/e2e/harness"
)

func TestStream(t *testing.T) {
	t.Parallel()
	onBakery(t, func(b harness.Bakery) {
		token := b.Baker.Token
		b.Run("a stream says the same as a whole answer", func(t *testing.T) {
			w := b.Within(t)
			whole := harness.Message(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(token)))
			s := w.Story(w.Stream(harness.OpeningQuestion, harness.Bearer(token)))
			if s.Kinds != "conversation waiting delta [DONE] " || s.Text != whole {
				t.Errorf("got %s %q, want %q", s.Kinds, s.Text, whole)
			}
			if s.Conversation < 1 || s.Conversation >= 1<<53 {
				t.Errorf("the conversation is %d", s.Conversation)
			}
			if stored := w.Messages(token, harness.Written(s.Conversation), ""); len(stored) != 2 || stored[1]["content"] != whole {
				t.Errorf("stored is %v", stored)
			}
		})
		b.Run("a stream continues a conversation", func(t *testing.T) {
			w := b.Within(t)
			id := w.NewConversation(token, "")
			if s := w.Story(w.Stream(harness.Asking(`"`+harness.Written(id)+`"`), harness.Bearer(token))); s.Conversation != id {
				t.Errorf("it went on in %d, want %d", s.Conversation, id)
			}
		})
		b.Run("its headers keep proxies from buffering it", func(t *testing.T) {
			w := b.Within(t)
			r := w.Send("POST", harness.StreamPath, harness.OpeningQuestion, harness.Bearer(token), harness.Header{Name: "Accept-Encoding", Value: "gzip"}, harness.Header{Name: "X-Request-Id", Value: "mine"})
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
			w := b.Within(t)
			r := w.Call("POST", harness.StreamPath, harness.OpeningQuestion, harness.Bearer(token))
			if !regexp.MustCompile(`^(data: \{[^\n\r]*\}\n\n)+data: \[DONE\]\n\n$`).MatchString(r.Text) {
				t.Errorf("got %q", r.Text)
			}
		})
		b.Run("the events have the specification's fields and no others", func(t *testing.T) {
			body := b.Within(t).Call("POST", harness.StreamPath, harness.InFormat("html"), harness.Bearer(token)).Text
			for line := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
				if !eventShape.MatchString(line) {
					t.Errorf("got %s", line)
				}
			}
		})
	})
}

var eventShape = regexp.MustCompile(`^data: (\[DONE\]|\{"type":"(conversation","conversation_id":\d+|waiting","content":"[^"]+"|delta","content":"([^"\\]|\\.)+"|formatted","content":"([^"\\]|\\.)+","format":"html")\})$`)
