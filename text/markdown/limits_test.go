package markdown_test

import (
	"fmt"
	"html"
	"strings"
	"testing"
	"time"

	"parley/text/markdown"
)

// repeated are pieces of Markdown that are hard on parsers when repeated.
var repeated = []string{
	"[", "]", "![", "[]", "[a](", "[a](b", "[x](<", "[x](y '", "![a](", "[a][", "[^", "[[a]", "[a]: b\n", "[a]: <b> 'c\n", "[a\n]: b\n", "[ ] ",
	"*", "_", "~", "**a ", "*a_ ", "a*", "_a", "a**b", "_*_*a ", "~~a ", "a~", "*a **a ", "a_",
	">", "> ", "> - ", "- ", "+ ", "1. ", "123456789. ", "- - ", "* * ", "+ - ", "- + ", "- [ ] ", "\n> ", "\n- ", "\n  ", "\n#", "\n```", "\n~~~",
	"`", "`a``b```", "`` ` ", "\\", "\\`", "&", "&a;", "&#", "&#1;", "<", "<a ", "<b", "<!--", "a<!--", "a<?", "a<!A", "a<![CDATA[", "<a b='", "<a\n", "\n<div>\n", "<script>\n", "<p>",
	"|", "|a", "|a\n", "|a|b\n|-|-\n", "-|", "|-", "|-\n", ":-|\n", "a\n-|\n", "www.", "(www._", "www.a.b(", "http://a@", "http://(", "a@", "(a@b", "a@b.c ", "a.b@c.d-", "http://a.b/)", "http://a.b/&a;", "((",
	"a", "a ", "a\n", " ", "\t", "\n", "\r", "\x00", "\xff", "\u202e", "a  \n", "a\\\n", "=\n", "a\n=\n", "    a\n",
}

// ordinary is an answer of the given length as people get them.
func ordinary(length int) string {
	const part = "## A heading\n\nSome **bold** words, a [link](https://a.example/b) and `code`.\n\n" +
		"- one\n- two\n  - three\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nx := 1\n```\n\nMore text to read, without any markup at all in it.\n\n"
	return strings.Repeat(part, length/len(part)+1)
}

// maxSlowdown is far above what the limits leave (about 5) and far below what
// work that grows with the square of the length costs (hundreds).
const maxSlowdown = 50

func TestNoInputIsSlow(t *testing.T) {
	const length = 40_000
	for _, to := range []markdown.Format{markdown.HTML, markdown.PlainText} {
		usual := quickest(ordinary(length), to, 0)
		for _, piece := range repeated {
			t.Run(fmt.Sprintf("40 KB of %q cost about as much as an ordinary answer in %s", piece, to), func(t *testing.T) {
				hostile := strings.Repeat(piece, length/len(piece))
				if took := quickest(hostile, to, maxSlowdown*usual); took > maxSlowdown*usual {
					t.Errorf("it took %v, an ordinary answer %v", took, usual)
				}
			})
		}
	}
}

// quickest is the least time of a few tries, or of the first that is good enough.
func quickest(written string, to markdown.Format, enough time.Duration) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range 16 {
		start := time.Now()
		markdown.Render(written, to, goodHosts)
		if best = min(best, time.Since(start)); best <= enough {
			break
		}
	}
	return best
}

func TestLimits(t *testing.T) {
	exceeding := map[string]string{
		"blocks nested too deep":           strings.Repeat("> ", 10_000) + "deep",
		"lists nested too deep":            strings.Repeat("1. ", 10_000) + "deep",
		"emphasis nested too deep":         strings.Repeat("*a **b ", 100) + strings.Repeat("c** d* ", 100),
		"too many brackets in a paragraph": strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"a table too large":                strings.Repeat("|a", 5_000) + "|\n" + strings.Repeat("|-", 5_000) + "|\n" + strings.Repeat("|b|\n", 5_000),
		"too many large tables":            strings.Repeat(strings.Repeat("|a", 500)+"|\n"+strings.Repeat("|-", 500)+"|\n"+strings.Repeat("|b|\n", 100)+"\n", 20),
		"one long address used many times": "[a]: https://a.example/" + strings.Repeat("x", 50_000) + "\n\n" + strings.Repeat("[a]\n\n", 10_000),
		"too many definitions in a row":    strings.Repeat("[a]: https://a.example\n", 1_000),
		"too long an answer":               ordinary(300_000),
	}
	for what, written := range exceeding {
		t.Run("an answer with "+what+" is shown as it was written", func(t *testing.T) {
			shown := strings.TrimSpace(written)
			if markdown.Render(written, markdown.PlainText, nil) != shown {
				t.Error("the plain text is not the Markdown")
			}
			out := markdown.Render(written, markdown.HTML, goodHosts)
			checkHTML(t, out)
			if want := "<pre>" + html.EscapeString(written) + "</pre>"; out != want {
				t.Errorf("the HTML starts with %.200q", out)
			}
		})
	}
	t.Run("an answer shown as it was written executes nothing", func(t *testing.T) {
		out := markdown.Render(strings.Repeat("> ", 1_000)+"<script>alert(1)</script></pre><img src=x>\x00\u202e\xff", markdown.HTML, goodHosts)
		checkHTML(t, out)
		if !strings.HasPrefix(out, "<pre>") {
			t.Errorf("the limit was not reached: %.200q", out)
		}
	})
	for what, written := range map[string]string{
		"100 KB":                           ordinary(100_000),
		"a list ten levels deep":           nestedList(10),
		"a paragraph with 500 links":       strings.Repeat("[word](https://a.example/page) ", 500),
		"a table of 200 rows":              "| a | b | c |\n|---|---|---|\n" + strings.Repeat("| *1* | 2 | 3 |\n", 200),
		"a list of 300 link definitions":   "[a1]\n\n" + strings.Repeat("[a1]: https://a.example\n", 300),
		"a paragraph of 20 KB with markup": strings.Repeat("some **bold** words in a long paragraph that goes on ", 380),
	} {
		t.Run("an answer with "+what+" is within the limits", func(t *testing.T) {
			if out := markdown.Render(written, markdown.HTML, nil); strings.HasPrefix(out, "<pre>") {
				t.Errorf("it was shown as it was written: %.200q", out)
			}
		})
	}
}

func TestOutputIsInProportion(t *testing.T) {
	for name, written := range map[string]string{
		"a wide table":          strings.Repeat("|a", 500) + "|\n" + strings.Repeat("|-", 500) + "|\n" + strings.Repeat("a\n", 200),
		"a deep list":           strings.Repeat("1. ", 20) + strings.Repeat("a\n", 50_000),
		"a long address reused": "[a]: https://a.example/" + strings.Repeat("x", 1_000) + "\n\n" + strings.Repeat("[a] ", 200),
		"characters to escape":  strings.Repeat("\"", 100_000),
	} {
		for _, to := range []markdown.Format{markdown.HTML, markdown.PlainText} {
			t.Run(fmt.Sprintf("%s in %s is not blown up without bound", name, to), func(t *testing.T) {
				const most = 8 << 20
				if out := markdown.Render(written, to, nil); len(out) > most {
					t.Errorf("%d bytes became %d", len(written), len(out))
				}
			})
		}
	}
}

func nestedList(levels int) string {
	var out strings.Builder
	for level := range levels {
		out.WriteString(strings.Repeat("  ", level) + "- item\n")
	}
	return out.String()
}
