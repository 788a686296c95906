package knowledge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func markdown(text string) []Passage {
	return Split(Document{ID: "d", Title: "Guide", Kind: Markdown, Content: text})
}

func words(n int, word string) string { return strings.Repeat(word+" ", n) }

func TestSplitFollowsTheStructure(t *testing.T) {
	t.Run("headings become the path, outermost first and as plain text", func(t *testing.T) {
		got := markdown("# The **big** [guide](https://x.example)\n\n## A & B `c`\n\n" + words(300, "hello"))
		want := []string{"The big guide", "A & B c"}
		if last := got[len(got)-1]; !slices.Equal(last.HeadingPath, want) {
			t.Errorf("path = %q, want %q", last.HeadingPath, want)
		}
	})
	t.Run("a setext heading is a heading", func(t *testing.T) {
		got := markdown("Limits\n======\n\nTen a day.\n")
		if len(got) != 1 || !slices.Equal(got[0].HeadingPath, []string{"Limits"}) || got[0].Text != "Ten a day." {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("small neighbours share a passage that keeps their headings", func(t *testing.T) {
		got := markdown("# FAQ\n\n" + words(300, "intro") + "\n\n## Is it free?\n\nYes.\n\n## Is it fast?\n\nVery.\n")
		last := got[len(got)-1]
		if last.Text != "## Is it free?\n\nYes.\n\n## Is it fast?\n\nVery." || !slices.Equal(last.HeadingPath, []string{"FAQ"}) {
			t.Errorf("got %q under %q", last.Text, last.HeadingPath)
		}
	})
	t.Run("large sections do not share a passage", func(t *testing.T) {
		got := markdown("# A\n\n" + words(100, "alpha") + "\n\n# B\n\n" + words(100, "beta"))
		if len(got) != 2 || strings.Contains(got[0].Text, "beta") || got[1].HeadingPath[0] != "B" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a heading over nothing is kept as text", func(t *testing.T) {
		got := markdown("# No refunds after 30 days\n")
		if len(got) != 1 || got[0].Text != "# No refunds after 30 days" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("ordinals count from zero and every field but the ID is filled in", func(t *testing.T) {
		got := markdown(strings.Repeat(words(150, "long")+"\n\n", 4))
		for i, p := range got {
			if p.Ordinal != i || p.DocumentID != "d" || p.Title != "Guide" || p.ID != 0 {
				t.Errorf("passage %d = %+v", i, p)
			}
		}
		if len(got) != 4 {
			t.Errorf("%d passages, want 4", len(got))
		}
	})
	t.Run("a document without words has no passages", func(t *testing.T) {
		if got := markdown(" \n\t\n\r\n"); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("front matter is text, not a heading", func(t *testing.T) {
		got := markdown("---\ntitle: x\n---\nBody.\n")
		if len(got) != 1 || len(got[0].HeadingPath) != 0 || !strings.Contains(got[0].Text, "title: x") {
			t.Errorf("got %+v", got)
		}
	})
}

func TestSplitKeepsBlocksWhole(t *testing.T) {
	t.Run("a table within the limit stays whole with its introduction", func(t *testing.T) {
		text := "The prices:\n\n| plan | price |\n|---|---|\n" + strings.Repeat("| basic | 10 dollars |\n", 75)
		if got := markdown(text); len(got) != 1 {
			t.Errorf("%d passages, want 1", len(got))
		}
	})
	t.Run("each piece of a long table starts with the header", func(t *testing.T) {
		got := markdown("Intro line\n| plan | price |\n|---|---|\n" + strings.Repeat("| basic | 10 dollars |\n", 300))
		for _, p := range got[1:] {
			if !strings.HasPrefix(p.Text, "| plan | price |\n|---|---|\n| basic") {
				t.Errorf("piece starts %.60q", p.Text)
			}
		}
		if len(got) < 5 || got[0].Text != "Intro line" {
			t.Errorf("%d passages, first %.40q", len(got), got[0].Text)
		}
	})
	t.Run("each piece of a long code block is fenced and cut at lines", func(t *testing.T) {
		got := markdown("````go\n" + strings.Repeat("fmt.Println(\"hello, world\")\n", 200) + "````\n")
		for _, p := range got {
			if !strings.HasPrefix(p.Text, "````go\nfmt") || !strings.HasSuffix(p.Text, "world\")\n````") {
				t.Errorf("piece %.30q…%q", p.Text, p.Text[len(p.Text)-20:])
			}
		}
	})
	t.Run("a list is cut between items", func(t *testing.T) {
		for _, p := range markdown(strings.Repeat("- "+words(40, "item")+"\n  - nested\n", 20)) {
			if !strings.HasPrefix(p.Text, "- item") || !strings.HasSuffix(p.Text, "nested") {
				t.Errorf("piece %.30q", p.Text)
			}
		}
	})
	t.Run("a heading inside code is not a heading", func(t *testing.T) {
		got := markdown("```sh\n# comment\nls\n```\n")
		if len(got) != 1 || len(got[0].HeadingPath) != 0 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a structure across windows is read as in one", func(t *testing.T) {
		got := markdown(strings.Repeat("## Part\n\n```\n# code\n```\n\n"+words(250, "text")+"\n\n", 200))
		for _, p := range got {
			if !slices.Equal(p.HeadingPath, []string{"Part"}) {
				t.Fatalf("passage %d has path %q", p.Ordinal, p.HeadingPath)
			}
		}
	})
	t.Run("text is cut at blank lines, and then at sentences", func(t *testing.T) {
		content := "# not a heading\n\n" + strings.Repeat("This is one sentence of the text. ", 200)
		got := Split(Document{Kind: Text, Content: content})
		for _, p := range got {
			if len(p.HeadingPath) != 0 || !strings.HasSuffix(p.Text, ".") && p.Ordinal > 0 {
				t.Errorf("got …%q", p.Text[max(0, len(p.Text)-20):])
			}
		}
	})
}

// fields cuts at spaces, and where a sentence ends without one.
func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '。' })
}

// checkSplit fails when a word of the content is in no passage, or a passage
// holds more than the limit.
func checkSplit(t rapid.TB, kind Kind, content string) {
	passages := Split(Document{Kind: kind, Content: content})
	held := map[string]bool{}
	for _, p := range passages {
		if n := utf8.RuneCountInString(p.Text); n > maxChars+2*smallChars {
			t.Fatalf("passage of %d characters", n)
		}
		for _, text := range append(p.HeadingPath, p.Text) {
			for _, word := range fields(text) {
				held[word] = true
			}
		}
	}
	for _, word := range fields(content) {
		// Marks of headings are no words, nor is what stands next to them.
		if strings.Trim(word, "#=-`~") != "" && utf8.RuneCountInString(word) < 1000 && !held[word] {
			t.Fatalf("%.80q is in no passage of %.200q", word, content)
		}
	}
}

func TestSplitLosesNoWord(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"\n", "\n\n", "# head ", "###### deep\n", "- item\n", "  - nested\n", "1. one\n", "> quote\n", "```\n", "~~~go\n",
			"| a | b |\n|---|---|\n| c | d |\n", "|-|\n", "===\n", "---\n", "    code\n", "\ttab\n", "<div>\n", "<!-- open\n",
			"\r\n", "\x00", "\xff\xfe", "[x]: http://y\n", "*\n", "+ \n", "- - - x\n", "Tail。次", "\u2028",
		}),
		rapid.StringMatching(`[a-z]{1,9}[ .\n]`),
		rapid.Map(rapid.StringMatching(`[a-z]{1,6}[.]? `), func(s string) string { return strings.Repeat(s, 400) }),
		rapid.Map(rapid.StringMatching(`[a-z]{1,6}\n`), func(s string) string { return strings.Repeat("- "+s, 300) }),
		rapid.Map(rapid.StringMatching(`[a-z]{1,6}`), func(s string) string { return strings.Repeat("|"+s+"|\n|--|\n", 300) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
		checkSplit(t, rapid.SampledFrom([]Kind{Markdown, Text}).Draw(t, "kind"), content)
	})
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"# a\n\nb", "Title\n---\n| a |\n|---|\n", "- a\n  - b\n\n    c", "```\nx", "> # q\n>> r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		Split(Document{Kind: Text, Content: content})
		got := Split(Document{Kind: Markdown, Content: content})
		if len(got) == 0 && strings.TrimSpace(content) != "" {
			t.Fatalf("nothing is left of %q", content)
		}
	})
}

// hostile are units that, repeated, have made Markdown parsers slow.
var hostile = map[string]string{
	"nested quotes": ">", "nested items": "- ", "blank items": "- \n", "brackets": "[", "stars": "*a ", "underscores": "_a_",
	"backticks": "`a", "one line": "word ", "one word": "x", "headings": "# a\n", "deep headings": "###### a\n", "rows": "|a|b|\n",
	"columns": "|-", "blank": "\n", "fences": "```\n", "comments": "<!--\n", "tables": "|a|\n|-|\n\n", "rules": "a\n---\n",
	"entities": "&amp", "references": "[a]: b\n", "nul": "\x00", "invalid": "\xff", "indented": "\t\ta\n", "quoted items": "> - a\n",
}

// A quadratic reading of so much would run into the limit of the test run.
func TestSplitTakesHostileText(t *testing.T) {
	for name, unit := range hostile {
		t.Run(name, func(t *testing.T) {
			content := strings.Repeat(unit, 256<<10/len(unit))
			total := 0
			for _, p := range markdown(content) {
				total += len(p.Text) + len(fmt.Sprint(p.HeadingPath))
			}
			if total > 4*len(content)+1000 {
				t.Errorf("%d bytes of passages of %d", total, len(content))
			}
		})
	}
}
