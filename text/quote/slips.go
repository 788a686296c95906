package quote

import (
	"slices"

	"parley/text/encode/words"
)

// leastSlip is how many letters a word has at least that may be mistyped, and longSlip one
// with a wrong letter: too many short words differ by one.
const leastSlip, longSlip = 5, 8

// mend finds the words of an English question that nobody writes so, and that a word of the
// passages differs from by one letter or two in the wrong order: "regsiter".
func (t *terms) mend(question string, passages []Passage) {
	slips := t.slipsIn(question)
	if len(slips) == 0 {
		return
	}
	meant := map[string]string{}
	for _, passage := range passages {
		for _, text := range []string{passage.Title, passage.Text} {
			eachWord(text, func(word []byte) {
				for _, slip := range slips {
					switch {
					case string(word) == slip:
						meant[slip] = "" // It is a word.
					case isSlip(slip, word):
						if _, known := meant[slip]; !known {
							meant[slip] = string(word)
						}
					}
				}
			})
		}
	}
	for slip, word := range meant {
		if place := t.places[string(t.root([]byte(slip)))]; word != "" && !t.has(word) {
			t.alias(t.root([]byte(word)), place)
			t.aliases(word, place)
		}
	}
}

// slipsIn returns the words of an English question that may be mistyped, each once: who
// repeats one has no more work done for it.
func (t *terms) slipsIn(question string) (slips []string) {
	if t.inflected {
		return nil
	}
	eachWord(question, func(word []byte) {
		if len(word) >= leastSlip && !t.says(string(word)) && t.has(string(word)) && !slices.Contains(slips, string(word)) && words.Rare(string(word)) {
			slips = append(slips, string(word))
		}
	})
	return slips
}

// isSlip reports whether a word has one letter more, less or another than the one that is
// meant, or two in the wrong order. The first letter is nearly always right.
func isSlip(slip string, meant []byte) bool {
	if len(meant) < leastSlip || slip[0] != meant[0] || len(slip) > len(meant)+1 || len(meant) > len(slip)+1 {
		return false
	}
	at := 0
	for at < len(slip) && at < len(meant) && slip[at] == meant[at] {
		at++
	}
	rest, other := slip[at:], string(meant[at:])
	switch {
	case rest == "" || other == "":
		return rest != other
	case len(rest) > len(other):
		return rest[1:] == other
	case len(rest) < len(other):
		return rest == other[1:]
	}
	return len(slip) >= longSlip && rest[1:] == other[1:] || len(rest) > 1 && rest[0] == other[1] && rest[1] == other[0] && rest[2:] == other[2:]
}
