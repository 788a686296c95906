package language

import (
	"slices"
	"strings"
	"testing"
)

// told are the languages whose texts are told apart, but for English.
var told = []Code{Arabic, Chinese, Danish, Dutch, Finnish, French, German, Hebrew, Italian, Japanese, Korean, Norwegian, Portuguese, Russian, Spanish, Swedish, Thai, Turkish}

func TestLists(t *testing.T) {
	for _, code := range told {
		t.Run("words that are alike stand in groups, each once: "+code.Name(), func(t *testing.T) {
			groups := code.Lines("alike")
			if len(groups) < 20 {
				t.Errorf("there are %d groups", len(groups))
			}
			for _, line := range groups {
				group := strings.Fields(line)
				if len(group) < 2 || len(slices.Compact(slices.Sorted(slices.Values(group)))) < len(group) {
					t.Errorf("%q", group)
				}
			}
		})
	}
}

func TestLikeliest(t *testing.T) {
	for sentence, c := range map[string]struct {
		text string
		want Code
	}{
		"a text whose function words tell is in their language":           {"Wie lange dauert die Lieferung?", German},
		"of languages that share their function words, other words tell":  {"Når åpner dere på mandager?", Norwegian},
		"and tell the other one":                                          {"Giver I rabat til studerende?", Danish},
		"a name tells nothing":                                            {"Ostrowski", ""},
		"words of several languages without function words tell nothing":  {"restaurant parking", ""},
		"a text that may be English tells nothing":                        {"parking for cars", Of("parking for cars")},
		"a script tells, too":                                             {"рассрочка", Russian},
		"letters that no language is told by, and a number, tell nothing": {"αβγ 12", ""},
		"nothing tells nothing":                                           {"", ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := Likeliest(c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
