// Package answertest has what the tests of packages that check answers share: passages,
// and answers that are hard to read.
package answertest

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/text/passage"
)

// Stage is what a stage of an answer does with its text.
type Stage interface {
	Write(piece string) string
	End(last string) string
}

// Failer is a test of testing or of rapid.
type Failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// Texts are passages with these texts.
func Texts(list ...string) []passage.Passage {
	found := make([]passage.Passage, len(list))
	for i, text := range list {
		found[i] = passage.Passage{Document: "doc", Ordinal: 3 * i, Text: text}
	}
	return found
}

// Bakery are three passages.
var Bakery = Texts(
	"The bakery opens at eight o'clock. It is closed on **Mondays**, except before Christmas.",
	"A loaf of rye bread costs 3,50 €. Rolls are baked twice a day – and never kept overnight.",
	"“We bake as our grandmother did”, says the owner, and the [oven](http://oven.test) is from 1921.",
)

// OwnersText is what an owner wants said where the passages say nothing.
const OwnersText = "I don't know that. Call us on 030 1234."

// Shop are four passages, of which the second and the third are neighbors.
var Shop = []passage.Passage{
	{Document: "hours", Title: "Opening hours", Text: "The bakery opens at eight o'clock in the morning. It is closed on Mondays."},
	{Document: "goods", Ordinal: 4, Text: "A loaf of rye bread costs 3,50 €, a roll 0.80 €. In 2024 we baked 1,200 cakes for Anna Schmidt."},
	{Document: "goods", Ordinal: 5, Text: "Croissants contain butter and hazelnuts.\n\n```sh\ncurl https://bakery.test/menu\necho done\n```\n"},
	{Document: "goods", Ordinal: 9, URL: "https://bakery.test/delivery", Text: "| Town | Delivery |\n|---|---|\n| Potsdam | 3 days |\n| Werder | 5 days |"},
}

// Through sends pieces through a stage.
func Through(s Stage, pieces ...string) string {
	var b strings.Builder
	for _, piece := range pieces {
		b.WriteString(s.Write(piece))
	}
	return b.String() + s.End("")
}

// Parts are what answers are drawn from that are hard to read.
var Parts = []string{
	"[", "]", "[1]", "[9]", "[1, 9]", "[1-2]", "[^1]", "【1】", "【9†s】", "［2］", "[1](http://a.test)", "(", ")", ":", "`", "```", "~~~", "\n", "\n\n", " ", "  ", strings.Repeat(" ", 15), strings.Repeat("`", 63),
	"> ", "- ", "1. ", "\\", "\"", "“", "”", "«", "»", "…", "The bakery opens at eight", "It is closed on Mondays.", "Rolls cost 9 €.", "word", "|", "| a | b |\n", "|--|--|\n",
	"# ", "**", "!", "ä", "中", "。", "\t", "0", "source ", "http://evil.test",
}

// Draw draws an answer.
func Draw(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(Parts), 0, 40).Draw(t, "parts"), "")
}

// Cut cuts an answer anywhere between characters.
func Cut(t *rapid.T, answer string) []string {
	var pieces []string
	for answer != "" {
		n := rapid.IntRange(1, min(len(answer), 12)).Draw(t, "length")
		for n < len(answer) && !utf8.RuneStart(answer[n]) {
			n++
		}
		pieces, answer = append(pieces, answer[:n]), answer[n:]
	}
	return pieces
}

// EverySo cuts an answer into pieces of so many bytes, between characters.
func EverySo(answer string, size int) []string {
	var pieces []string
	for answer != "" {
		n := min(size, len(answer))
		for n < len(answer) && !utf8.RuneStart(answer[n]) {
			n++
		}
		pieces, answer = append(pieces, answer[:n]), answer[n:]
	}
	return pieces
}

// Fuzzable reports whether a stage can be given a text of a fuzzer.
func Fuzzable(answer string) bool { return utf8.ValidString(answer) && len(answer) <= 4096 }

// MaxSlowdown is how much longer a stage may take with a hostile answer than
// with an ordinary one of the same length, on a machine that does other things
// as well.
const MaxSlowdown = 60

// Streamed returns how long a stage takes with a text of a size that repeats a
// part. The stage must never hold more than a limit.
func Streamed(t *testing.T, s Stage, held func() int, limit, size int, part string) time.Duration {
	t.Helper()
	pieces := EverySo(strings.Repeat(part, size/len(part)), 64)
	began := time.Now()
	for _, piece := range pieces {
		s.Write(piece)
		if n := held(); n > limit {
			t.Fatalf("%d bytes are held, %d at most", n, limit)
		}
	}
	s.End("")
	return time.Since(began)
}
