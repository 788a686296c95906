package language

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// otherWords has, like functionWords, the words of the other lists: those that ask, and
// those that are alike.
var otherWords = sync.OnceValue(func() map[string]uint32 { return masks("asking", "alike") })

// Likeliest is [Of] for choosing among languages that share their function words, as Danish
// and Norwegian do: where those leave several, the one whose other words the text has most.
// It is empty where English is among them.
func Likeliest(text string) Code {
	if code := Of(text); code != "" {
		return code
	}
	var seen, others evidence
	for word := range fieldsOf(text[:cut(text)]) {
		seen.add(word)
	}
	_, first, _ := seen.best()
	if first == 0 || seen.byScript() != "" {
		return ""
	}
	words := otherWords()
	for word := range fieldsOf(text[:cut(text)]) {
		others.count(words[Fold(word)])
	}
	best, most := Code(""), 0.0
	for i, score := range seen.scores {
		if score*leastLead < first {
			continue
		}
		if Latin[i] == English {
			return ""
		}
		if score += others.scores[i]; score > most {
			best, most = Latin[i], score
		}
	}
	if most < leastWords {
		return ""
	}
	return best
}

// MayBeEnglish reports whether a text may be English: it has no letters that English lacks, or
// more function words of English than of any other language.
func MayBeEnglish(text string) bool {
	var seen evidence
	for word := range fieldsOf(text[:cut(text)]) {
		seen.add(word)
	}
	at, first, _ := seen.best()
	return first > 0 && Latin[at] == English || first == 0 && !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}
