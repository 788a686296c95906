package raised_test

import (
	"testing"

	"parley/text/raised"
)

func TestSuper(t *testing.T) {
	for _, c := range []struct{ what, before, text, want string }{
		{"a power of ten keeps its form", "10", "6", "^6"},
		{"and so does a negative one", "10", "-3", "^-3"},
		{"a square of a unit", "m", "2", "²"},
		{"a footnote after a word", "hours", "1", "¹"},
		{"an ordinal number", "5", "th", "th"},
		{"a variable", "e", "x+1", "^(x+1)"},
		{"a degree of a letter", "T", "*", "^(*)"},
		{"nothing", "a", " ", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := raised.Super(c.before, c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSub(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"a count of atoms", "2", "₂"}, {"a name", "max", "_max"}, {"several words", "in total", "_(in total)"}, {"nothing", "", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := raised.Sub(c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFraction(t *testing.T) {
	if got := raised.Fraction("Add 1", "3", "4"); got != " 3/4" {
		t.Errorf("a whole number stands apart: got %q", got)
	}
	if got := raised.Fraction("Add ", "3", "4"); got != "3/4" {
		t.Errorf("nothing before needs no space: got %q", got)
	}
}
