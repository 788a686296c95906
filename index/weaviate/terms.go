package weaviate

import (
	"strconv"
	"strings"

	"parley/core/knowledge"
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

// decode returns the terms that encode was given.
func decode(text string) []string {
	words := strings.Split(text, " ")
	terms := words[:0]
	for _, word := range words {
		if rest, marked := strings.CutPrefix(word, mark); marked {
			if !strings.HasPrefix(rest, mark) {
				break // The fillers are last.
			}
			word = rest
		}
		terms = append(terms, word)
	}
	return terms
}

// question returns the text of a BM25 query. The server multiplies a term's
// part of the score by how often the term stands in it.
func question(terms []knowledge.Term) string {
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

// occurrences returns where the terms of a passage are terms of a query.
func occurrences(terms []string, query []knowledge.Term) []knowledge.Occurrence {
	number := make(map[string]int32, len(query))
	for i, term := range query {
		number[term.Text] = int32(i)
	}
	var found []knowledge.Occurrence
	for at, term := range terms {
		if i, ok := number[term]; ok && len(found) < knowledge.MaxOccurrences {
			found = append(found, knowledge.Occurrence{Term: i, At: int32(at)})
		}
	}
	return found
}
