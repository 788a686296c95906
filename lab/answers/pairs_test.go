package answers

import (
	"strings"
	"testing"

	"parley/text/split"
)

// pairOf is a question-and-answer pair whose answer begins with "Yes" or "No", and a question
// that somebody asks.
type pairOf struct{ asked, question, answer string }

// pairsAsked reads pairs of a file, each with a question that resembles its own.
func pairsAsked(t *testing.T, name string) (pairs []pairOf) {
	t.Helper()
	for _, cells := range questionsOf(t, "pairs/"+name) {
		pairs = append(pairs, pairOf{cells.text, cells.contains, cells.lacks})
	}
	return pairs
}

// reply is the "Yes" or "No" of a pair's answer, with the comma.
func (p pairOf) reply() string {
	word, _, _ := strings.Cut(p.answer, " ")
	return word
}

func (p pairOf) document() split.Document {
	return page("faq.md", "# Questions\n\n### "+p.question+"\n\n"+p.answer+"\n")
}

// The "Yes" of a pair is said only where its own question is asked. Somebody who had not seen
// how that is told wrote the questions.
func TestRepliesOfPairs(t *testing.T) {
	t.Parallel()
	t.Run("a question that resembles a pair's gets no Yes or No of it", func(t *testing.T) {
		for _, p := range pairsAsked(t, "near") {
			r := newEncodedBusiness(t, []split.Document{p.document()}).ask(t, p.asked)
			if r.answered && strings.Contains(r.text, p.reply()) {
				t.Errorf("%s\n%s\n%s", p.question, p.asked, r.text)
			}
		}
	})
	t.Run("nor among all the pairs", func(t *testing.T) {
		var all []split.Document
		for _, name := range []string{"near", "same"} {
			for _, p := range pairsAsked(t, name) {
				all = append(all, p.document())
			}
		}
		asked := newEncodedBusiness(t, all)
		for _, p := range pairsAsked(t, "near") {
			for _, reply := range []string{"Yes,", "No,", "Ja,", "Nein,", "Sí,"} {
				if r := asked.ask(t, p.asked); r.answered && strings.Contains(r.text, reply) {
					t.Errorf("%s\n%s", p.asked, r.text)
				}
			}
		}
	})
	t.Run("a pair's own question gets it, in its words and in others", func(t *testing.T) {
		for _, p := range append(pairsAsked(t, "near"), pairsAsked(t, "same")...) {
			if r := newEncodedBusiness(t, []split.Document{p.document()}).ask(t, strings.ToLower(p.question)); !strings.HasPrefix(r.text, p.reply()) {
				t.Errorf("%s\n%s", p.question, r.text)
			}
		}
		answered := 0
		for _, p := range pairsAsked(t, "same") {
			if r := newEncodedBusiness(t, []split.Document{p.document()}).ask(t, p.asked); r.answered {
				answered++
			}
		}
		if answered < 12 {
			t.Errorf("%d of 20 questions in other words are answered", answered)
		}
	})
}
