package suggest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/fence"
)

// wording is how texts write words: those that stand there in small letters, and, of
// those that have a capital within a sentence, their small letters. Headings begin with
// a capital, which a sentence takes away from any word that is no name.
type wording struct {
	// common and names say how often.
	common, names map[string]int
}

// mostKnown bounds how many words are known, and mostRead how much of a passage is read,
// in bytes: so much of it is what a hostile text costs.
const mostKnown, mostRead = 20_000, 2000

// read adds the words of a text, except in headings and code, where capitals say nothing.
func (w wording) read(text string) {
	var code fence.Lines
	for line := range strings.Lines(text[:min(len(text), mostRead)]) {
		if !code.Code(line) && !strings.HasPrefix(line, "#") && len(w.common)+len(w.names) < mostKnown {
			w.line(line)
		}
	}
}

func (w wording) line(text string) {
	start, within := -1, false
	// before is the last letter or sign in front of a word, and joined says that nothing
	// stands between the two.
	before, joined, inCode := '.', false, false
	for i, r := range text {
		if inCode = inCode != (r == '`'); inCode {
			r = ' '
		}
		if isLetter := unicode.IsLetter(r) || unicode.IsMark(r) || start >= 0 && strings.ContainsRune("-'’", r); isLetter && start < 0 {
			start, within = i, unicode.IsLetter(before) || unicode.IsDigit(before) || before == ','
			within = within && !joined
		} else if !isLetter && start >= 0 {
			w.word(text[start:i], within)
			start = -1
		}
		if joined = !unicode.IsSpace(r); joined {
			before = r
		}
	}
	if start >= 0 {
		w.word(text[start:], within)
	}
}

func (w wording) word(word string, within bool) {
	word = base(word)
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case !unicode.IsUpper(first):
		w.common[word]++
	case within && isCapitalized(word):
		w.names[strings.ToLower(word)]++
	}
}

// base is a word without the ending of a genitive.
func base(word string) string {
	word = strings.TrimRight(word, "-'’")
	return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
}

// isCommon reports whether a word in small letters is no name: the texts have it or its
// plural so, many documents have a heading with it, or it ends as names do not.
func (w wording) isCommon(word string) bool {
	word = base(word)
	singular := strings.TrimSuffix(word, "s")
	found := w.common[word] + w.common[word+"s"]
	if singular != word {
		found += w.common[singular]
	}
	if names := w.names[word]; found > 0 || names > 0 {
		return found >= names
	}
	return topicWords()[word] || len(word) >= leastAbstract && abstract.MatchString(singular)
}

// isName reports whether texts have a word with a capital.
func (w wording) isName(word string) bool { return w.names[base(word)] > 0 && !w.isCommon(word) }

// within is a heading within a sentence: its words begin small unless they are names.
// known is false if nothing tells whether the first one is; then it stays as it is. That
// it is no name may be known of the heading as a whole.
func (w wording) within(heading string, noName bool) (text string, known bool) {
	words := strings.Fields(heading)
	known = true
	for i, word := range words {
		small := strings.ToLower(word)
		if word == small {
			continue
		}
		isWritten := utf8.RuneCountInString(word) <= 1 || word == strings.ToUpper(word) || !isCapitalized(word) // so on purpose
		if !isWritten && (i == 0 && noName || w.isCommon(small)) {
			words[i] = small
			continue
		}
		if isWritten || w.isName(small) {
			break // What follows a name is part of it.
		}
		known = known && i > 0
	}
	return strings.Join(words, " "), known
}

// isCapitalized says that a word is small but for its first letter.
func isCapitalized(word string) bool {
	_, size := utf8.DecodeRuneInString(word)
	return !strings.ContainsFunc(word[size:], unicode.IsUpper)
}
