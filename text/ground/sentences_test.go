package ground

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/text/answertest"
)

func unitsOf(pieces ...string) []unit {
	var s sentences
	var units []unit
	for _, piece := range pieces {
		units = append(units, s.write(piece)...)
	}
	return append(units, s.end()...)
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		want         []string
	}{
		{"sentences end with their marks", "One. Two! Three? Four", []string{"One.", "Two!", "Three?", "Four"}},
		{"markers belong to the sentence before them", "One. [1] Two [2]. Three.[1][2] Four [1]", []string{"One. [1]", "Two [2].", "Three.[1][2]", "Four [1]"}},
		{"closing marks do, too", "“One.” (Two!) *Three.* Four.", []string{"“One.”", "(Two!) *Three.*", "Four."}},
		{"abbreviations and numbers end none", "Dr. Who has 3.5 at No. 5, e.g. here. J. Bach on the 3. May.", []string{"Dr. Who has 3.5 at No. 5, e.g. here.", "J. Bach on the 3. May."}},
		{"a small letter goes on", "See parley.test. or what. Next", []string{"See parley.test. or what.", "Next"}},
		{"Chinese needs no spaces", "一。二！三", []string{"一。", "二！", "三"}},
		{"what is in emphasis, brackets and code stays whole", "**A. B.** c (D. E) `F. G` [H. I](x. Y). J", []string{"**A. B.** c (D. E) `F. G` [H. I](x. Y).", "J"}},
		{"a line ends a sentence", "One\nTwo\n\nThree", []string{"One", "Two", "Three"}},
		{"signs of lines stand before the text", "# A\n- b\n  - so. D\n> 1. e\n## So. G", []string{"A", "b", "so.", "D", "e", "So. G"}},
		{"a row of a table is one", "| A. B | C |\n|---|---|\n| d. E | f |", []string{"| A. B | C |", "|---|---|", "| d. E | f |"}},
		{"a block of code is one", "Do:\n```go\na. B\n\n# c\n```\nDone. Yes.", []string{"Do:", "```go\na. B\n\n# c\n```", "Done.", "Yes."}},
		{"a block of code in a list is one", "- x\n  ~~~\n  a\n  ~~~\n- y", []string{"x", "~~~\n  a\n  ~~~", "y"}},
		{"a block of code that does not end is one", "```\na\nb", []string{"```\na\nb"}},
		{"a block of code ends with its quotation", "> ```\n> a\n\nb", []string{"```\n> a\n", "b"}},
		{"backticks that close are no block", "```a``` so. C", []string{"```a``` so.", "C"}},
		{"nothing has none", " \n\n- ", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, u := range unitsOf(c.answer) {
				got = append(got, u.text)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Run("kinds and lines are told", func(t *testing.T) {
		units := unitsOf("# A\n\n- so. C\n| d |\n```\ne\n```")
		kinds := []unitKind{headingUnit, sentenceUnit, sentenceUnit, rowUnit, codeUnit}
		lines := []string{"# ", "\n\n- ", "\n\n- ", "\n", "\n"}
		numbers := []int{1, 2, 2, 3, 4}
		if len(units) != len(kinds) {
			t.Fatalf("got %+v", units)
		}
		for i, u := range units {
			if u.kind != kinds[i] || u.line != lines[i] || u.number != numbers[i] {
				t.Errorf("unit %d is %+v", i, u)
			}
		}
	})
	t.Run("a long sentence is cut, and a long block of code is known", func(t *testing.T) {
		if units := unitsOf(strings.Repeat("word ", 2000)); len(units) != 3 || len(units[0].text) != maxSentence {
			t.Errorf("%d units, the first of %d bytes", len(units), len(units[0].text))
		}
		if units := unitsOf("```\n" + strings.Repeat("code\n", maxCode/4) + "```\nEnd."); len(units) != 2 || !units[0].over || len(units[0].text) > maxCode || units[1].over {
			t.Errorf("%d units", len(units))
		}
	})
	t.Run("leads and texts are the answer, however it is cut", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			answer := answertest.Draw(t)
			whole := unitsOf(answer)
			if cut := unitsOf(answertest.Cut(t, answer)...); !slices.Equal(cut, whole) {
				t.Errorf("%q in pieces gives\n%+v, at once\n%+v", answer, cut, whole)
			}
			var b strings.Builder
			for _, u := range whole {
				b.WriteString(u.lead + u.text)
			}
			if rest, ok := strings.CutPrefix(answer, b.String()); !ok || strings.Trim(rest, " \t\n>-*+#.)0123456789") != "" {
				t.Errorf("%q became %q", answer, b.String())
			}
			for _, u := range whole {
				if !utf8.ValidString(u.text) {
					t.Errorf("cut within a character: %q", u.text)
				}
			}
		})
	})
}
