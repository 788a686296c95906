// Package terms encodes the terms of passages and queries for Weaviate: as words of
// one text, so that the server's scores follow the formula in [retrieval.Hits]. It
// does not own how a text becomes terms.
package terms

import (
	"strconv"
	"strings"

	"parley/core/retrieval"
)

// mark is the first character of a filler. A term that begins with it gets a
// second one: analyzed terms do not, but the port does not promise that.
const mark = "\x01"

// Encode returns a passage's terms in order, followed by a filler for each
// repetition of a term. All fillers of a passage differ, so the passage has as many
// distinct words as it has terms. The server uses the number of distinct words as
// the passage's length.
func Encode(terms []string) string {
	var text strings.Builder
	seen, fillers := make(map[string]struct{}, len(terms)), 0
	for _, term := range terms {
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(EncodeTerm(term))
		if _, again := seen[term]; again {
			fillers++
		}
		seen[term] = struct{}{}
	}
	for i := range fillers {
		text.WriteString(" " + mark + strconv.Itoa(i))
	}
	return text.String()
}

// EncodeTerm returns the word that stands for a term.
func EncodeTerm(term string) string {
	if strings.HasPrefix(term, mark) {
		return mark + term
	}
	return term
}

// Question returns the text of a BM25 query. The server multiplies a term's
// part of the score by the number of its repetitions in the text.
func Question(terms []retrieval.Term) string {
	var text strings.Builder
	for _, term := range terms {
		word := EncodeTerm(term.Text)
		for range term.Weight {
			text.WriteString(word)
			text.WriteByte(' ')
		}
	}
	return text.String()
}

// Locator finds the terms of a query in passages. The lists that it returns
// share its memory.
type Locator struct {
	numbers map[string]int32
	found   []retrieval.Occurrence
}

// NewLocator returns a locator of the query's terms.
func NewLocator(query []retrieval.Term) *Locator {
	l := &Locator{numbers: make(map[string]int32, len(query))}
	for i, term := range query {
		l.numbers[EncodeTerm(term.Text)] = int32(i)
	}
	return l
}

// Locate returns the occurrences of the query's terms in a text that Encode
// made, and the number of terms in the text.
func (l *Locator) Locate(text string) (found []retrieval.Occurrence, length int) {
	first := len(l.found)
	for text != "" {
		var word string
		word, text, _ = strings.Cut(text, " ")
		if strings.HasPrefix(word, mark) && !strings.HasPrefix(word, mark+mark) {
			break // The fillers are last.
		}
		if i, ok := l.numbers[word]; ok && len(l.found)-first < retrieval.MaxOccurrences {
			l.found = append(l.found, retrieval.Occurrence{Term: i, At: int32(length)})
		}
		length++
	}
	return l.found[first:len(l.found):len(l.found)], length
}
