package language

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Courtesy is what people say who ask nothing.
type Courtesy uint8

// The courtesies.
const (
	NoCourtesy Courtesy = iota
	// Greeting is "hello", Thanks is "thank you", and Farewell is "goodbye".
	Greeting
	Thanks
	Farewell
)

const (
	// longestCourtesy is how long, in bytes, a message is at most that says nothing else.
	longestCourtesy = 120
	// courtesyWords is how many words one of them has at most.
	courtesyWords = 5
)

// CourtesyOf says whether a message is nothing but courtesies, which of them the last one
// is, and in which language: the likely one if it has such words, or else another.
func CourtesyOf(message string, likely Code) (Courtesy, Code) {
	if len(message) > longestCourtesy || strings.ContainsFunc(message, unicode.IsDigit) {
		return NoCourtesy, ""
	}
	words := slices.Collect(fieldsOf(message))
	known := courtesies()
	kind, in := NoCourtesy, Code("")
	for len(words) > 0 {
		said := min(courtesyWords, len(words))
		for said > 0 && known[folded(words[:said])] == nil {
			said--
		}
		if said == 0 {
			return NoCourtesy, ""
		}
		found := known[folded(words[:said])]
		at := max(0, slices.IndexFunc(found, func(m meant) bool { return m.in == likely }))
		kind, in = found[at].kind, found[at].in
		words = words[said:]
	}
	return kind, in
}

// meant is what words mean in a language.
type meant struct {
	kind Courtesy
	in   Code
}

// courtesies are those of all languages by their words. Words of several languages are
// English first.
var courtesies = sync.OnceValue(func() map[string][]meant {
	all := map[string][]meant{}
	for code, p := range phrases() {
		for kind, list := range map[Courtesy]string{Greeting: p.Greetings, Thanks: p.Thanks, Farewell: p.Farewells} {
			for said := range strings.SplitSeq(list, ",") {
				said = folded(slices.Collect(fieldsOf(said)))
				all[said] = append(all[said], meant{kind, code})
			}
		}
	}
	for _, meanings := range all {
		slices.SortFunc(meanings, func(a, b meant) int {
			return cmp.Or(cmp.Compare(place(a.in), place(b.in)), cmp.Compare(a.kind, b.kind))
		})
	}
	return all
})

// place orders languages: English, the others in Latin letters, and the rest.
func place(code Code) string {
	switch {
	case code == English:
		return "0"
	case slices.Contains(Latin, code):
		return "1" + string(code)
	}
	return "2" + string(code)
}

func folded(words []string) string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = Fold(word)
	}
	return strings.Join(all, " ")
}
