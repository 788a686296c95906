package suggest

import (
	"parley/text/language"
	"parley/text/lexical"
)

// terms are the stems of a text, without function words.
type terms map[string]bool

func termsOf(text string, in language.Code) terms {
	set := terms{}
	for _, term := range lexical.Terms(text, in) {
		set[term] = true
	}
	return set
}

// share is how much of the terms stands among others, from 0 to 1. It is 0 of none.
func (t terms) share(others terms) float64 {
	if len(t) == 0 {
		return 0
	}
	n := 0
	for term := range t {
		if others[term] {
			n++
		}
	}
	return float64(n) / float64(len(t))
}

func (t terms) equal(others terms) bool {
	return len(t) > 0 && len(t) == len(others) && t.share(others) == 1
}
