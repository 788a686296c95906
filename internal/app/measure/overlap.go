package measure

import (
	"strings"
	"unicode"
)

// overlap says how much two texts have in common: the words of each, as SQuAD compares
// them, without articles and punctuation.
type overlap struct{ F1, Precision, Recall float64 }

func overlapOf(answer, reference string) overlap {
	said, wanted := wordsOf(answer), wordsOf(reference)
	left := map[string]int{}
	for _, word := range wanted {
		left[word]++
	}
	common := 0.0
	for _, word := range said {
		if left[word] > 0 {
			left[word]--
			common++
		}
	}
	if common == 0 {
		return overlap{}
	}
	precision, recall := common/float64(len(said)), common/float64(len(wanted))
	return overlap{2 * precision * recall / (precision + recall), precision, recall}
}

func wordsOf(text string) []string {
	text = strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return ' '
	}, text)
	var found []string
	for word := range strings.FieldsSeq(text) {
		if word != "a" && word != "an" && word != "the" {
			found = append(found, word)
		}
	}
	return found
}
