package quote

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"pgregory.net/rapid"
)

// after stands for what a page shows after the answer.
const after = "\n\nAfterwards **bold**.\n"

func assertContained(t interface {
	Helper()
	Errorf(string, ...any)
}, answer string,
) {
	t.Helper()
	var html strings.Builder
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM))
	if err := markdown.Convert([]byte(answer+after), &html); err != nil {
		t.Errorf("goldmark: %v", err)
	}
	if !strings.HasSuffix(html.String(), "<p>Afterwards <strong>bold</strong>.</p>\n") {
		t.Errorf("the answer\n%s\nswallows what follows:\n%s", answer, html.String())
	}
	if strings.Contains(html.String(), "raw HTML omitted") {
		t.Errorf("the answer holds HTML:\n%s", answer)
	}
	if !utf8.ValidString(answer) {
		t.Errorf("the answer is not UTF-8: %q", answer)
	}
}

func TestHostilePassages(t *testing.T) {
	for name, passage := range map[string]string{
		"a fence that is never closed":             "The router:\n```\ncode of the router",
		"a fence longer than the text's own":       "The router:\n`````sh onload=x\nrouter ``` ```` x\n`````",
		"a fence opened in a sentence":             "See. ```router",
		"a tilde fence in a sentence":              "Look here! ~~~ router",
		"an HTML comment":                          "The router. <!-- router",
		"an HTML comment at the start":             "<!-- the router",
		"a script":                                 "<script>router",
		"a preformatted block in an item":          "- <pre>router",
		"HTML in a table":                          "| a | b |\n|--|--|\n| <pre> router | <!-- |",
		"HTML in a table's header":                 "| <pre> | b |\n|--|--|\n| router | c |",
		"a carriage return before a fence":         "The router\r```\rrouter",
		"a carriage return in code":                "```\nrouter\r```\r<!--\n```",
		"a quote":                                  "> > the router\n> ```\n> router",
		"a code span around a comment":             "The router ` <!-- ` <!-- router",
		"a processing instruction":                 "<?router",
		"CDATA":                                    "<![CDATA[ router",
		"a definition of a link":                   "[Afterwards]: http://evil.test 'router'",
		"a backslash at the end":                   "the router \\",
		"a table with one cell":                    "router |\n|-|\n| router \\|",
		"NUL and other control characters":         "the router \x00\x01\x1b```",
		"bytes that are not UTF-8":                 "the router \xff\xfe",
		"a sentence that starts a list":            "Wait. 1. router and more. - router",
		"an item that starts a fence":              "- ``` router",
		"an item that is a heading":                "- # router",
		"deep nesting":                             strings.Repeat("> ", 3000) + "router",
		"a line of many backticks":                 "router " + strings.Repeat("` `` ", 2000),
		"a backtick that the next sentence closes": "The router ``` is. A router `` <!-- `` or `. The <!-- router `",
		"a block of code longer than is shown":     "```\n" + strings.Repeat("router\n", 2000) + "```",
	} {
		t.Run(name+" stays within the answer", func(t *testing.T) {
			assertContained(t, ask("the router?", passage))
		})
	}
	t.Run("a title stays within its line", func(t *testing.T) {
		for _, title := range []string{"*a", "a\n\n```\n", "[x](http://evil.test)", "<!--", "`", "\\", "", "_a_*", "&lt;"} {
			assertContained(t, Answer(Question{Text: "router", Passages: []Passage{{
				Title: title, Text: "The router.",
			}}}))
		}
	})
	for text, want := range map[string]string{
		"The router [3] is blue.":          `The router \[3] is blue.`,
		"The router [^3].":                 `The router \[^3].`,
		"The router [1, 2][3-5].":          `The router \[1, 2]\[3-5].`,
		"The router 【3†source】.":           `The router \[3†source].`,
		"The router [source 2].":           `The router \[source 2].`,
		`The router \[3].`:                 `The router \[3].`,
		`The router \\[3].`:                `The router \\\[3].`,
		"The router [3](http://a.test).":   "The router [3](http://a.test).",
		"The router `a[3]`.":               "The router `a[3]`.",
		"The router ` a[3].":               "The router \\` a\\[3].",
		"The router [here](http://a.test)": "The router [here](http://a.test)",
		"The router [ ] and [x] and [a1].": "The router [ ] and [x] and [a1].",
	} {
		t.Run("a number in brackets cites nothing: "+text, func(t *testing.T) {
			if got := ask("the router?", text); got != want+source {
				t.Errorf("got %q, want %q", got, want+source)
			}
		})
	}
	t.Run("a definition in a passage does not turn a citation into a link", func(t *testing.T) {
		for _, passage := range []string{
			"[1]: http://evil.test", "The router.\n\n[1]: http://evil.test 'router'", "- [1]: http://evil.test router",
			"> [1]: http://evil.test router", "The router:\n\n   [1]: <http://evil.test>", "The router. [1]: http://evil.test", "[1]:\nhttp://evil.test router",
		} {
			answer := ask("the router?", passage)
			var html strings.Builder
			if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(answer), &html); err != nil {
				t.Fatal(err)
			}
			if answer != sayingNothing && !strings.HasSuffix(html.String(), "</em> [1]</p>\n") {
				t.Errorf("%q became\n%s", passage, html.String())
			}
		}
	})
	t.Run("no passage made of Markdown signs escapes the answer", func(t *testing.T) {
		parts := []string{
			"router", "```", "~~~", "`", "<", "!--", "-->", "pre>", "\n", "\n\n", "\r", " ", "    ", "|", "|-|\n", "-", "- ", "* ", "1. ", "#", "# ",
			"> ", "[", "]", "](", "]: x", "\\", "*", "**", "_", ". ", ":", "\t", "中", "\xff", "===", "---", "&",
		}
		rapid.Check(t, func(t *rapid.T) {
			passage := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 30).Draw(t, "passage"), "")
			assertContained(t, ask("router", passage, passage+"router"))
		})
	})
}
