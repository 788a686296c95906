package answer

import (
	"strings"

	"parley/core/answer/prompt"
	"parley/text/citation"
)

const (
	// sameWords is the share of the words of the owner's text that an answer must
	// have to be taken for it: models change a word or two.
	sameWords = 0.8
	// muchLonger is how many times longer than the owner's text an answer must
	// be to say something of its own.
	muchLonger = 3
)

// unknown reports whether an answer says that the chatbot does not know, or was
// made without knowledge: no passage was found, a strict chatbot was left with
// nothing to say, or the answer cites nothing and is the owner's text for such
// questions. A courtesy asks for nothing that one could know.
func unknown(a Answer, question, noAnswer string) bool {
	if prompt.IsCourtesy(question) {
		return false
	}
	if a.Checked.Replaced || len(a.Citations) == 0 {
		return true
	}
	for _, c := range a.Citations {
		if c.Cited {
			return false
		}
	}
	return nearlyEqual(a.Text, noAnswer)
}

// nearlyEqual reports whether two texts differ in a few words at most.
func nearlyEqual(text, other string) bool {
	said, wanted := words(text), words(other)
	if len(said) == 0 || len(wanted) == 0 || len(said) > muchLonger*len(wanted) {
		return false
	}
	has := make(map[string]bool, len(said))
	for _, word := range said {
		has[word] = true
	}
	found := 0
	for _, word := range wanted {
		if has[word] {
			found++
		}
	}
	return float64(found) >= sameWords*float64(len(wanted))
}

// words are the words of a text, in lower case and without punctuation.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(citation.Quotable(citation.Strip(text))), func(r rune) bool {
		return strings.ContainsRune(" \t\r\n.,;:!?…\"'“”‘’„«»()", r)
	})
}
