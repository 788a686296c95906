package weaviate

import (
	"strconv"
	"strings"

	"parley/core/retrieval"
)

// mark begins what is no term of a passage as it came: fillers, and terms that
// begin with it themselves, which get a second one. Analysed terms do not, but
// the port does not say so.
const mark = "\x01"

// encode returns the value of the property terms: the terms in their order,
// and a filler for each that stood there before. The fillers of a passage
// differ from one another, so it has as many distinct terms as it has terms,
// which is what the server takes for its length.
func encode(terms []string) string {
	var text strings.Builder
	seen, fillers := make(map[string]struct{}, len(terms)), 0
	for _, term := range terms {
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(encodeTerm(term))
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

func encodeTerm(term string) string {
	if strings.HasPrefix(term, mark) {
		return mark + term
	}
	return term
}

// question returns the text of a BM25 query. The server multiplies a term's
// part of the score by how often the term stands in it.
func question(terms []retrieval.Term) string {
	var text strings.Builder
	for _, term := range terms {
		word := encodeTerm(term.Text)
		for range term.Weight {
			text.WriteString(word)
			text.WriteByte(' ')
		}
	}
	return text.String()
}

// locator finds the terms of a query in passages. What it returned shares its
// memory.
type locator struct {
	numbers map[string]int32
	found   []retrieval.Occurrence
}

func newLocator(query []retrieval.Term) *locator {
	l := &locator{numbers: make(map[string]int32, len(query))}
	for i, term := range query {
		l.numbers[encodeTerm(term.Text)] = int32(i)
	}
	return l
}

// locate returns where a text that encode made has the query's terms, and of
// how many terms it is.
func (l *locator) locate(text string) (found []retrieval.Occurrence, length int) {
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
