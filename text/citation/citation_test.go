package citation

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/text/answertest"
	"parley/text/markdown"
	"parley/text/passage"
)

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
			s := New(answertest.Bakery)
			if got := answertest.Through(s, c.answer); got != c.want || s.Refuted() != c.refuted {
				t.Errorf("%q became\n%q with %d refuted, want\n%q with %d", c.answer, got, s.Refuted(), c.want, c.refuted)
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
			s := New(answertest.Bakery)
			s.Add([]passage.Passage{{Title: "Opening hours of shops", Text: "Nothing."}})
			if got := answertest.Through(s, c.answer); got != c.want || s.Refuted() != c.refuted {
				t.Errorf("%q became\n%q with %d refuted, want\n%q with %d", c.answer, got, s.Refuted(), c.want, c.refuted)
			}
		})
	}
	t.Run("of a long one the beginning is compared", func(t *testing.T) {
		long := strings.Repeat("The oven is warm and old. ", 100)
		s := New(answertest.Texts(long))
		answertest.Through(s, "“"+long+"and nothing more” [1] “"+strings.ToUpper(long)+"” [1]")
		if s.Refuted() != 1 {
			t.Errorf("%d refuted", s.Refuted())
		}
	})
}

func TestCited(t *testing.T) {
	s := New(answertest.Bakery)
	if got := answertest.Through(s, "Bread [2][9] `[1]` [4]"); got != "Bread [2] `[1]`" {
		t.Errorf("got %q", got)
	}
	if s.Cites(1) || !s.Cites(2) || s.Cites(3) || s.Cites(9) {
		t.Errorf("cited are %v", s.scanner.marked)
	}
	t.Run("passages that come later are counted on", func(t *testing.T) {
		given := answertest.Bakery[:1:1]
		s := New(given)
		got := s.Write("Bread [2] ")
		s.Add(answertest.Bakery[1:2])
		got += s.Write("and [2]") + s.End("")
		if got != "Bread and [2]" || !s.Cites(2) || s.Refuted() != 1 {
			t.Errorf("got %q, %d refuted", got, s.Refuted())
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
		if got := New(answertest.Bakery).Write(c.piece); got != c.want {
			t.Errorf("of %q comes %q at once, want %q", c.piece, got, c.want)
		}
	}
}

func TestCitationsOfAnyAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answer := answertest.Draw(t)
		checkCitations(t, answer, answertest.Cut(t, answer))
	})
}

// checkCitations holds what is true of all answers.
func checkCitations(t answertest.Failer, answer string, pieces []string) {
	t.Helper()
	whole, cut := New(answertest.Bakery), New(answertest.Bakery)
	want, got := answertest.Through(whole, answer), answertest.Through(cut, pieces...)
	if got != want || cut.Refuted() != whole.Refuted() {
		t.Errorf("%q in pieces %q becomes\n%q, at once\n%q", answer, pieces, got, want)
	}
	if !strings.ContainsAny(answer, "“”\"«»„「") { // what goes can bring a marker to the end of a quotation
		again := New(answertest.Bakery)
		if twice := answertest.Through(again, want); twice != want || again.Refuted() > 0 {
			t.Errorf("%q becomes %q and then %q, with %d refuted", answer, want, twice, again.Refuted())
		}
	}
	shown := markdown.Render(want, markdown.HTML, nil)
	if strings.Contains(shown, ">1</a>") && !strings.Contains(answer, "](") {
		t.Errorf("%q becomes %q, where a citation is a link: %s", answer, want, shown)
	}
}

func FuzzCitations(f *testing.F) {
	for _, part := range answertest.Parts {
		f.Add(part+" [1] "+part, uint8(3))
	}
	f.Fuzz(func(t *testing.T, answer string, every uint8) {
		if !answertest.Fuzzable(answer) {
			return // not what a stage is given
		}
		checkCitations(t, answer, answertest.EverySo(answer, int(every%16)+1))
	})
}
