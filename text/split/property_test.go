package split

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/text/tokens"
)

// fields cuts at spaces, and where a sentence or a cell ends without one.
func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '。' || r == '|' })
}

// shortWord is the length in bytes up to which no word is cut.
const shortWord = 24

// checkSplit fails when a word of the content is not in the passage that is
// cut from where it stands, or a passage holds more than the limit.
func checkSplit(t rapid.TB, plain bool, content string, sizes Sizes) {
	doc := Document{Plain: plain, Content: content}
	for i := range len(content) {
		doc.Places = append(doc.Places, Place{Offset: i, Name: strconv.Itoa(i)})
	}
	passages := Split(doc, sizes)
	if !reflect.DeepEqual(passages, Split(doc, sizes)) {
		t.Fatalf("%q is split in two ways", content)
	}
	checkSpans(t, content, passages)
	starts := []int{0}
	held := map[string]bool{}
	for i, p := range passages {
		start, err := strconv.Atoi(p.Place)
		if err != nil || i > 0 && start <= starts[i] || p.Ordinal != i {
			t.Fatalf("passage %d has the number %d and starts at %q, behind %d", i, p.Ordinal, p.Place, starts[i])
		}
		starts = append(starts, start)
		if n := sizes.Count(p.Text); n > sizes.Limit {
			t.Fatalf("passage of %d tokens: %.300q", n, p.Text)
		}
		for _, title := range p.HeadingPath {
			hold(held, title)
		}
	}
	starts = append(starts[1:], len(content))
	if len(passages) > 0 && strings.TrimSpace(content[:starts[0]]) != "" {
		hold(held, passages[0].Text)
	}
	for i, p := range passages {
		here := map[string]bool{}
		hold(here, p.Text)
		for _, word := range fields(content[starts[i]:starts[i+1]]) {
			// Marks of headings are no words, nor are tags of HTML in them.
			if strings.Trim(word, "#=-`~") != "" && len(word) <= shortWord && !here[word] && !heldWithout(held, word) {
				t.Fatalf("%.80q is not in passage %d of %.200q", word, i, content)
			}
		}
	}
}

// checkSpans fails unless a passage starts at the character that it says, and
// holds verbatim what stands from there to its end. Each place is named by its
// offset in bytes.
func checkSpans(t rapid.TB, content string, passages []Passage) {
	chars := []rune(content) // a byte that is of no character counts as one
	before := 0
	for i, p := range passages {
		offset, _ := strconv.Atoi(p.Place)
		if start := utf8.RuneCountInString(content[:offset]); p.Start != start {
			t.Fatalf("passage %d starts at character %d, and says %d", i, start, p.Start)
		}
		if p.Start < before || p.End <= p.Start || p.End > len(chars) {
			t.Fatalf("passage %d is %d to %d of %d characters, behind %d", i, p.Start, p.End, len(chars), before)
		}
		if stands := string(chars[p.Start:p.End]); !strings.Contains(string([]rune(p.Text)), stands) {
			t.Fatalf("passage %d is %.200q; there stands %.200q", i, p.Text, stands)
		}
		before = p.End
	}
}

func hold(held map[string]bool, text string) {
	for _, word := range fields(text) {
		held[word] = true
	}
}

// heldWithout reports whether a word is held, whole or without the tags and the
// comment that the pieces of the test have.
func heldWithout(held map[string]bool, word string) bool {
	for _, tag := range []string{"<div>", "<!--"} {
		bare := strings.ReplaceAll(word, tag, "")
		if bare == "" || held[bare] {
			return true
		}
	}
	return held[word]
}

func TestSplitLosesNoWord(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"\n", "\n\n", "# head ", "###### deep\n", "- item\n", "  - nested\n", "1. one\n", "> quote\n", "```\n", "~~~go\n",
			"| a | b |\n|---|---|\n| c | d |\n", "|-|\n", "===\n", "---\n", "    code\n", "\ttab\n", "<div>\n", "<!-- open\n", "Vec<T> ", "<your-key>\n", "</id> ",
			"\r\n", "\x00", "\xff\xfe", "[x]: http://y\n", "*\n", "+ \n", "- - - x\n", "Tail。次", "\u2028",
		}),
		rapid.StringMatching(`[a-z]{1,9}[ .\n]`),
		rapid.Map(rapid.StringMatching(`[a-z]{1,6}[.]? `), func(s string) string { return strings.Repeat(s, 400) }),
		rapid.Map(rapid.StringMatching(`[a-z]{1,6}\n`), func(s string) string { return strings.Repeat("- "+s, 300) }),
		rapid.Map(rapid.StringMatching(`[a-z]{1,6}`), func(s string) string { return strings.Repeat("|"+s+"|\n|--|\n", 300) }),
		rapid.Map(rapid.StringMatching(`[a-z]{1,6}`), func(s string) string { return "| a | b |\n|---|---|\n" + strings.Repeat("| "+s+" | x |\n", 200) }),
		rapid.Map(rapid.StringMatching(`[A-Z][a-z]{1,6}`), func(s string) string { return strings.Repeat("  "+s+" 😀🏳️‍🌈, 漢字漢字、", 200) }),
		rapid.Map(rapid.StringMatching(`(- |> |1\. )?(`+"```"+`|~~~~)x\n`), func(s string) string { return s + strings.Repeat("   y = \"z\";\n", 150) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
		sizes := Sizes{Count: tokens.Count, Aim: rapid.SampledFrom([]int{50, 300, 1000}).Draw(t, "aim")}
		sizes.Limit = sizes.Aim + rapid.IntRange(0, 400).Draw(t, "more")
		checkSplit(t, rapid.SampledFrom([]bool{false, true}).Draw(t, "plain"), content, sizes)
	})
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"# a\n\nb", "Title\n---\n| a |\n|---|\n", "- a\n  - b\n\n    c", "```\nx", "> # q\n>> r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		Split(Document{Plain: true, Content: content}, usual)
		got := Split(Document{Content: content}, usual)
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

func BenchmarkSplit(b *testing.B) {
	section := "## Section of %d\n\n" + strings.Repeat("The rye loaf %d is baked at midnight, when nobody sees it. ", 40) + "\n\n" +
		strings.Repeat("- An item of %d words\n", 20) + "\n| plan | price |\n|---|---|\n" + strings.Repeat("| basic | %d dollars |\n", 60) + "\n"
	var content strings.Builder
	for i := range 100 {
		fmt.Fprintf(&content, strings.ReplaceAll(section, "%d", "%[1]d"), i)
	}
	doc := Document{Content: content.String()}
	passages := len(Split(doc, usual))
	b.SetBytes(int64(len(doc.Content)))
	b.ReportAllocs()
	for b.Loop() {
		Split(doc, usual)
	}
	b.ReportMetric(float64(passages*b.N)/b.Elapsed().Seconds(), "passages/s")
}
