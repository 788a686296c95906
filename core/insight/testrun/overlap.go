package testrun

import (
	"strings"
	"unicode"
)

// Overlap says how much an answer has in common with a reference answer, each from 0
// to 1: the words of both, as SQuAD compares them, without articles and punctuation.
type Overlap struct{ F1, Precision, Recall float64 }

// OverlapOf compares an answer with a reference answer.
func OverlapOf(answer, reference string) Overlap {
	said, wanted := Words(answer), Words(reference)
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
		return Overlap{}
	}
	precision, recall := common/float64(len(said)), common/float64(len(wanted))
	return Overlap{2 * precision * recall / (precision + recall), precision, recall}
}

// Words are those that [OverlapOf] compares. Writing without spaces between words counts
// by its characters.
func Words(text string) []string {
	var spaced strings.Builder
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			spaced.WriteRune(' ')
			spaced.WriteRune(r)
			spaced.WriteRune(' ')
		case r == '_', unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			spaced.WriteRune(unicode.ToLower(r))
		default:
			spaced.WriteRune(' ')
		}
	}
	var found []string
	for word := range strings.FieldsSeq(spaced.String()) {
		if word != "a" && word != "an" && word != "the" {
			found = append(found, word)
		}
	}
	return found
}
