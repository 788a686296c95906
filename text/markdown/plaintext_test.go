package markdown_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/text/markdown"
)

func TestPlainTextDetails(t *testing.T) {
	for _, c := range []struct{ what, written, want string }{
		{"an empty cell is left out", "|a|b|\n|-|-|\n||x|", "b: x"},
		{"a column without a heading has only cells", "||b|\n|-|-|\n|x|y|", "x; b: y"},
		{"a colon in a heading is not doubled", "|a:|\n|-|\n|x|", "a: x"},
		{"a table without rows is its headings", "|a|b|\n|-|-|", "a; b"},
		{"a rule leaves no trace", "a\n\n***\n\nb", "a\n\nb"},
		{"a link definition leaves no trace", "a\n\n[x]: https://a.example", "a"},
		{"a link without text is its address", "[](https://a.example)", "https://a.example"},
		{"a link to a script is its text", "[x](javascript:alert(1))", "x"},
		{"an address that is its own text comes once", "[a@b.example](mailto:a@b.example)", "a@b.example"},
		{"code keeps its markup", "`**a** &amp; \\*`", "**a** &amp; \\*"},
		{"an escaped reference stays one", "&amp;lt; \\&lt;", "&lt; &lt;"},
		{"references to control characters vanish", "a&#7;b&#13;c&#x202E;d", "ab\ncd"},
		{"an empty item is left out", "1. a\n2.\n3. c", "1. a\n3. c"},
		{"a script is dropped with its text", "<script>\nalert(1)\n</script>\n\na", "a"},
		{"an image is its text", "![a *b*](https://a.example/x.png)", "a b"},
		{"a quoted list keeps its markers", "> 1) a\n> 2) b", "1. a\n2. b"},
		{"nested emphasis vanishes", "***a** b* __c__", "a b c"},
		{"what is struck out stays marked", "~~80 €~~ 60 €", "~~80 €~~ 60 €"},
		{"a power keeps its form", "10<sup>6</sup> h, 5 m<sup>2</sup>, 1<sup>3</sup>/<sub>4</sub> cups, the 5<sup>th</sup>", "10^6 h, 5 m², 1 3/4 cups, the 5th"},
		{"broken UTF-8 becomes U+FFFD", "a\xffb", "a\uFFFDb"},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := markdown.Render(c.written, markdown.PlainText, nil); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// document is a generated answer: its Markdown, and the words in it in order.
type document struct {
	written strings.Builder
	words   []string
}

func (d *document) word(t *rapid.T) string {
	// Without x: goldmark reads [x] before anything as a task box.
	word := rapid.StringMatching(`[a-wyzäß世]{1,6}`).Draw(t, "word")
	d.words = append(d.words, word)
	return word
}

// phrase is a few words, some of them marked up.
func (d *document) phrase(t *rapid.T) string {
	var out []string
	for range rapid.IntRange(1, 5).Draw(t, "words") {
		form := rapid.SampledFrom([]string{"%s", "%s", "**%s**", "*%s*", "_%s_", "~~%s~~", "`%s`", "***%s***", "<b>%s</b>", "![%s](x)", "[%s](/x)"}).Draw(t, "form")
		out = append(out, fmt.Sprintf(form, d.word(t)))
	}
	return strings.Join(out, " ")
}

func (d *document) block(t *rapid.T) string {
	switch rapid.IntRange(0, 6).Draw(t, "block") {
	case 0:
		return strings.Repeat("#", rapid.IntRange(1, 6).Draw(t, "level")) + " " + d.phrase(t)
	case 1:
		return "- " + d.phrase(t) + "\n- " + d.phrase(t) + "\n  1. " + d.phrase(t)
	case 2:
		return "> " + d.phrase(t) + "\n> " + d.phrase(t)
	case 3:
		return "```x\n" + d.word(t) + "\n```"
	case 4:
		return "| " + d.phrase(t) + " |\n|---|\n| " + d.phrase(t) + " |"
	case 5:
		return "- [ ] " + d.phrase(t) + "\n- [x] " + d.phrase(t)
	}
	return d.phrase(t) + "  \n" + d.phrase(t)
}

func TestPlainTextOfAnyDocument(t *testing.T) {
	t.Run("has all the words in order and no Markdown", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			var d document
			for range rapid.IntRange(1, 6).Draw(t, "blocks") {
				d.written.WriteString(d.block(t) + "\n\n---\n\n")
			}
			got := markdown.Render(d.written.String(), markdown.PlainText, nil)
			if left := strings.ContainsAny(strings.ReplaceAll(got, "~~", ""), "*_`#~>[]|\\<"); left {
				t.Fatalf("Markdown is left in %q", got)
			}
			if words := wordsOf(got); !slices.Equal(words, d.words) {
				t.Fatalf("the words are %q, want %q", words, d.words)
			}
		})
	})
}

// wordsOf is a text without list markers, task boxes, the colons of cells and what strikes out.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n-:;.123☐☑~", r) })
}
