package sentence

import (
	"slices"
	"testing"
)

func TestFirstAndEach(t *testing.T) {
	for text, want := range map[string]struct {
		first string
		each  []string
	}{
		"One. Two.":               {"One.", []string{"One.", "Two."}},
		"One. two.":               {"One. two.", []string{"One.", "two."}},
		"Dr. No is in. He left.":  {"Dr. No is in.", []string{"Dr. No is in.", "He left."}},
		"USW. Next.":              {"USW.", []string{"USW. Next."}},
		"Run `ls. B` now. Done.":  {"Run `ls.", []string{"Run `ls. B` now.", "Done."}},
		"停。走。":                    {"停。", []string{"停。", "走。"}},
		"He said “go.” She went":  {"He said “go.”", []string{"He said “go.” She went"}},
		"**Is it?** Yes. No.":     {"**Is it?**", []string{"**Is it?**", "Yes.", "No."}},
		"Bis 30. September. Ja.":  {"Bis 30. September.", []string{"Bis 30. September.", "Ja."}},
		"Ab dem 1. Advent. Ja.":   {"Ab dem 1. Advent.", []string{"Ab dem 1. Advent.", "Ja."}},
		"Up to max. 12. Next.":    {"Up to max.", []string{"Up to max. 12.", "Next."}},
		"On the 2. floor. Yes.":   {"On the 2. floor.", []string{"On the 2. floor.", "Yes."}},
		"Press *Forgot it?* now.": {"Press *Forgot it?* now.", []string{"Press *Forgot it?* now."}},
		"Really?! Yes.":           {"Really?!", []string{"Really?!", "Yes."}},
		"No end":                  {"No end", []string{"No end"}},
	} {
		length, _ := First(text)
		var each []string
		Each(text, func(s string) { each = append(each, s) })
		if text[:length] != want.first || !slices.Equal(each, want.each) {
			t.Errorf("%q: First finds %q, want %q; Each finds %q, want %q", text, text[:length], want.first, each, want.each)
		}
	}
}

func TestAsks(t *testing.T) {
	for text, want := range map[string]bool{
		"Is it open?": true, "**Is it open?**": true, "“Is it open?”": true, "開いていますか？": true, "هل هو مفتوح؟": true, "Is it open? ": true,
		"It is open.": false, "Why? Because.": false, "": false, "opening hours": false,
	} {
		if Asks(text) != want {
			t.Errorf("%q asks: %t", text, !want)
		}
	}
}
