package chat

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/core/chat/format"
	"parley/core/retrieval"
)

// texts are passages with these texts.
func texts(list ...string) []retrieval.Result {
	found := make([]retrieval.Result, len(list))
	for i, text := range list {
		found[i] = retrieval.Result{Passage: retrieval.Passage{DocumentID: "doc", Ordinal: 3 * i, Text: text}}
	}
	return found
}

// bakery are three passages.
var bakery = texts(
	"The bakery opens at eight o'clock. It is closed on **Mondays**, except before Christmas.",
	"A loaf of rye bread costs 3,50 €. Rolls are baked twice a day – and never kept overnight.",
	"“We bake as our grandmother did”, says the owner, and the [oven](http://oven.test) is from 1921.",
)

// through sends pieces through a stage.
func through(s stage, pieces ...string) string {
	var b strings.Builder
	for _, piece := range pieces {
		b.WriteString(s.write(piece))
	}
	return b.String() + s.end()
}

func TestMarkers(t *testing.T) {
	for _, c := range []struct {
		name, answer, want string
		refuted            int
	}{
		{"a marker stays", "Open at eight [1].", "Open at eight [1].", 0},
		{"a marker right behind a letter stays", "Open at eight[1].", "Open at eight[1].", 0},
		{"a list becomes markers", "True [1, 2] and [1;3].", "True [1][2] and [1][3].", 0},
		{"adjacent markers stay", "True [1][3] and [1] [2].", "True [1][3] and [1] [2].", 0},
		{"a range becomes markers", "True [1-3], [2–3].", "True [1][2][3], [2][3].", 0},
		{"a footnote becomes a marker", "True.[^1]", "True.[1]", 0},
		{"lenticular and full-width brackets become markers", "对【1】。好【2†source】,［3］", "对[1]。好[2],[3]", 0},
		{"a marker with a word becomes one without", "True [Source 1] [passages 1, 2].", "True [1] [1][2].", 0},
		{"a marker with spaces and zeros becomes plain", "True [ 01 ].", "True [1].", 0},
		{"a number that was not given goes with its space", "True [4]. False [7] claim[99]!", "True. False claim!", 3},
		{"zero was not given", "True [0].", "True.", 1},
		{"of a list only what was given stays", "True [1, 4].", "True [1].", 1},
		{"of a range only what was given stays", "True [3-7].", "True [3].", 1},
		{"a marker before one that was not given stays", "True [1][9] [2] [9].", "True [1] [2].", 2},
		{"a space before a marker that was not given goes to the next", "True [9][1].", "True [1].", 1},
		{"a parenthesis goes with what was all it had", "True ([9]). False ([1]), ([2][9]) and ([9] so).\n([9]) End", "True. False ([1]), ([2]) and ( so).\nEnd", 4},
		{"an item keeps its sign", "- [9] bread\n- [9] [8] rolls", "- bread\n- rolls", 3},
		{"a foreign marker that was not given goes", "True【4:0†source】.", "True.", 1},
		{"words do not grow together", "one [9]two", "one two", 1},
		{"a link stays", "See [the oven](http://a.test) and [1](http://a.test/[9]).", "See [the oven](http://a.test) and [1](http://a.test/).", 1},
		{"a foreign marker does not become a link", "See【1】(http://a.test).", "See[1] (http://a.test).", 0},
		{"text before a marker is no link to it", "See [oven][1].", "See [oven][1].", 0},
		{"a code span stays", "Write `a[9]` and ``b[7] ` [1, 2]`` [1, 2].", "Write `a[9]` and ``b[7] ` [1, 2]`` [1][2].", 0},
		{"a backtick alone is no code", "It's ` a [9] b.\nNext `[9]`.", "It's ` a b.\nNext `[9]`.", 1},
		{"a block of code stays", "```go\na[9] = [1, 2]\n```\n[9] End [1, 2]", "```go\na[9] = [1, 2]\n```\nEnd [1][2]", 1},
		{"a block of code in a list stays", "1. Do:\n   ~~~\n   a[9] ``` [8]\n   ~~~~\n   Done [9].", "1. Do:\n   ~~~\n   a[9] ``` [8]\n   ~~~~\n   Done.", 1},
		{"a block of code ends with its quotation", "> ```\n> a[9]\n\nEnd [9].", "> ```\n> a[9]\n\nEnd.", 1},
		{"a block of code ends with its item", "- ```\n  a[9]\nEnd [9].", "- ```\n  a[9]\nEnd.", 1},
		{"a block of code that does not end is one", "```\na[9]", "```\na[9]", 0},
		{"a run with another on its line is no block", "``` a [9] ` b\nEnd [9].", "``` a ` b\nEnd.", 2},
		{"a task list stays", "- [ ] bake\n- [x] sell", "- [ ] bake\n- [x] sell", 0},
		{"what is escaped stays", `Type \[9] or \[1].`, `Type \[9] or \[1].`, 0},
		{"other brackets stay", "[sic] [a1] [] [2024] [1.5] [0, 1] [0-9] [12345] [-] [,]", "[sic] [a1] [] [2024] [1.5] [0, 1] [0-9] [12345] [-] [,]", 0},
		{"a bracket that never closes stays", "An array [1, 2", "An array [1, 2", 0},
		{"a definition named by a number is none", "True [1].\n\n[1]: http://evil.test\n[ 2 ]:http://evil.test 'x'", "True [1].\n\n[1] http://evil.test\n[2] http://evil.test 'x'", 0},
		{"a definition in a list or quotation is none", "- [1]: http://evil.test\n\n> [^2]: http://evil.test", "- [1] http://evil.test\n\n> [2] http://evil.test", 0},
		{"a definition over lines is none", "> [\n> 1\n> ]: http://evil.test", "> [\n> 1\n> ] http://evil.test", 0},
		{"a definition made by what is taken out is none", "[9][1][9]: http://evil.test", "[1] http://evil.test", 2},
		{"a colon within a line stays", "As in [1]: bread.", "As in [1]: bread.", 0},
		{"other definitions stay", "[a]: http://a.test", "[a]: http://a.test", 0},
		{"taking out makes no marker", "True [1[9]2] [[9]].", "True [1…2] […].", 2},
		{"taking out makes no fence", "``[9]` x", "`` ` x", 1},
		{"taking out makes no link", "[a][9](http://a.test) [a]【9】(http://a.test)", "[a][9](http://a.test) [a] (http://a.test)", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newCitations(bakery)
			if got := through(s, c.answer); got != c.want || s.refuted != c.refuted {
				t.Errorf("%q became\n%q with %d refuted, want\n%q with %d", c.answer, got, s.refuted, c.want, c.refuted)
			}
		})
	}
}

func TestQuotations(t *testing.T) {
	for _, c := range []struct {
		name, answer, want string
		refuted            int
	}{
		{"one that stands in the passage keeps its marker", `It says “The bakery opens at eight” [1].`, `It says “The bakery opens at eight” [1].`, 0},
		{"punctuation may come between", `It says "It is closed on Mondays," [1]; „Rolls are baked twice a day“. [2]`, `It says "It is closed on Mondays," [1]; „Rolls are baked twice a day“. [2]`, 0},
		{"dashes, quotes, spaces and emphasis are alike", "«Rolls are *baked* twice a day -\nand never kept overnight» [2] and “the oven is from 1921” [3].", "«Rolls are *baked* twice a day -\nand never kept overnight» [2] and “the oven is from 1921” [3].", 0},
		{"one of another passage has its marker corrected", `“The bakery opens at eight” [2].`, `“The bakery opens at eight” [1].`, 1},
		{"one of no passage loses its marker", `“The bakery opens at nine” [1]. Bread [2].`, `“The bakery opens at nine”. Bread [2].`, 1},
		{"one of no passage loses all its markers", `“The bakery opens at nine” [1][2].`, `“The bakery opens at nine”.`, 2},
		{"case matters", `“the Bakery Opens at eight” [1].`, `“the Bakery Opens at eight”.`, 1},
		{"a corrected marker does not stand twice", `“The bakery opens at eight” [2][1].`, `“The bakery opens at eight” [1].`, 1},
		{"nor with a space between", `“The bakery opens at eight” [2] [1].`, `“The bakery opens at eight” [1].`, 1},
		{"more markers may follow a right one", `“The bakery opens at eight” [1][2].`, `“The bakery opens at eight” [1][2].`, 0},
		{"a list has it if one of its passages has it", `“The bakery opens at eight” [1, 2].`, `“The bakery opens at eight” [1][2].`, 0},
		{"parts around an omission stand in order", `“The bakery opens […] closed on Mondays” [1] “closed on Mondays … The bakery opens” [1]`, `“The bakery opens […] closed on Mondays” [1] “closed on Mondays … The bakery opens”`, 1},
		{"parts of single words prove nothing", `“The … is … on … Christmas” [1]`, `“The … is … on … Christmas”`, 1},
		{"a marker in parentheses is its own", `“The bakery opens at nine” ([1]).`, `“The bakery opens at nine”.`, 1},
		{"a short one is not checked", `A “big bang” [1].`, `A “big bang” [1].`, 0},
		{"a long word is checked", `“Donaudampfschifffahrt” [1].`, `“Donaudampfschifffahrt”.`, 1},
		{"a marker further off is not its own", `“The bakery opens at nine” is what they say [1].`, `“The bakery opens at nine” is what they say [1].`, 0},
		{"a marker before its end is its own", `“The bakery opens at nine [1]” “The bakery opens at eight [1]”`, `“The bakery opens at nine” “The bakery opens at eight [1]”`, 1},
		{"inches are no quotations", `A 5" pan and a 6" pan for two loaves [1].`, `A 5" pan and a 6" pan for two loaves [1].`, 0},
		{"a mark that is never closed ends with the paragraph", "\"Open at eight, I say\n\nThat is \"it\" [1]", "\"Open at eight, I say\n\nThat is \"it\" [1]", 0},
		{"a nested one is part of it", `“He said "We bake" and left” [1].`, `“He said "We bake" and left”.`, 1},
		{"the title and the headings can be quoted", `“Opening hours of shops” [4].`, `“Opening hours of shops” [4].`, 0},
		{"Chinese is checked, too", `「面包店每天早上八点开门营业直到晚上」[1]`, `「面包店每天早上八点开门营业直到晚上」`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newCitations(bakery)
			s.add([]retrieval.Result{{Passage: retrieval.Passage{Title: "Opening hours of shops", Text: "Nothing."}}})
			if got := through(s, c.answer); got != c.want || s.refuted != c.refuted {
				t.Errorf("%q became\n%q with %d refuted, want\n%q with %d", c.answer, got, s.refuted, c.want, c.refuted)
			}
		})
	}
	t.Run("of a long one the beginning is compared", func(t *testing.T) {
		long := strings.Repeat("The oven is warm and old. ", 100)
		s := newCitations(texts(long))
		through(s, "“"+long+"and nothing more” [1] “"+strings.ToUpper(long)+"” [1]")
		if s.refuted != 1 {
			t.Errorf("%d refuted", s.refuted)
		}
	})
}

func TestCited(t *testing.T) {
	s := newCitations(bakery)
	if got := through(s, "Bread [2][9] `[1]` [4]"); got != "Bread [2] `[1]`" {
		t.Errorf("got %q", got)
	}
	if s.cited(1) || !s.cited(2) || s.cited(3) || s.cited(9) {
		t.Errorf("cited are %v", s.marked)
	}
	t.Run("passages that come later are counted on", func(t *testing.T) {
		given := bakery[:1:1]
		s := newCitations(given)
		got := s.write("Bread [2] ")
		s.add(bakery[1:2])
		got += s.write("and [2]") + s.end()
		if got != "Bread and [2]" || !s.cited(2) || s.refuted != 1 {
			t.Errorf("got %q, %d refuted", got, s.refuted)
		}
	})
}

func TestCitationsStreamAtOnce(t *testing.T) {
	for _, c := range []struct{ piece, want string }{
		{"Bread is", "Bread is"},
		{"Bread is ", "Bread is"},
		{"Bread [", "Bread"},
		{"Bread [s", "Bread"},
		{"Bread [sic", "Bread [sic"},
		{"Bread [1", "Bread"},
		{"Bread [1]", "Bread"},
		{"Bread [1].", "Bread [1]."},
		{"“Bread is baked", "“Bread is baked"},
		{"Code `a", "Code `a"},
	} {
		if got := newCitations(bakery).write(c.piece); got != c.want {
			t.Errorf("of %q comes %q at once, want %q", c.piece, got, c.want)
		}
	}
}

// parts are what answers are drawn from that are hard to read.
var parts = []string{
	"[", "]", "[1]", "[9]", "[1, 9]", "[1-2]", "[^1]", "【1】", "【9†s】", "［2］", "[1](http://a.test)", "(", ")", ":", "`", "```", "~~~", "\n", "\n\n", " ", "  ", strings.Repeat(" ", 15), strings.Repeat("`", 63),
	"> ", "- ", "1. ", "\\", "\"", "“", "”", "«", "»", "…", "The bakery opens at eight", "It is closed on Mondays.", "Rolls cost 9 €.", "word", "|", "| a | b |\n", "|--|--|\n",
	"# ", "**", "!", "ä", "中", "。", "\t", "0", "source ", "http://evil.test",
}

func drawAnswer(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 40).Draw(t, "parts"), "")
}

// cutting cuts an answer anywhere between characters.
func cutting(t *rapid.T, answer string) []string {
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

func TestCitationsOfAnyAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answer := drawAnswer(t)
		checkCitations(t, answer, cutting(t, answer))
	})
}

type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// checkCitations holds what is true of all answers.
func checkCitations(t failer, answer string, pieces []string) {
	t.Helper()
	whole, cut := newCitations(bakery), newCitations(bakery)
	want, got := through(whole, answer), through(cut, pieces...)
	if got != want || cut.refuted != whole.refuted {
		t.Errorf("%q in pieces %q becomes\n%q, at once\n%q", answer, pieces, got, want)
	}
	if !strings.ContainsAny(answer, "“”\"«»„「") { // what goes can bring a marker to the end of a quotation
		again := newCitations(bakery)
		if twice := through(again, want); twice != want || again.refuted > 0 {
			t.Errorf("%q becomes %q and then %q, with %d refuted", answer, want, twice, again.refuted)
		}
	}
	shown := format.Render(want, format.HTML, nil)
	if strings.Contains(shown, ">1</a>") && !strings.Contains(answer, "](") {
		t.Errorf("%q becomes %q, where a citation is a link: %s", answer, want, shown)
	}
}

func FuzzCitations(f *testing.F) {
	for _, part := range parts {
		f.Add(part+" [1] "+part, uint8(3))
	}
	f.Fuzz(func(t *testing.T, answer string, every uint8) {
		if !utf8.ValidString(answer) || len(answer) > 4096 {
			return // not what a stage is given
		}
		checkCitations(t, answer, everySo(answer, int(every%16)+1))
	})
}

// everySo cuts an answer into pieces of so many bytes, between characters.
func everySo(answer string, size int) []string {
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
