package answers

import (
	"regexp"
	"testing"
)

// Pages of made-up businesses, and what their customers ask, as passages are encoded where
// nothing says otherwise. The questions were written before their answers were read. The
// mechanisms were chosen with the first four in view, and never with the others: nothing
// is to be mended by the answers for these.
func TestAnswersForStrangers(t *testing.T) {
	t.Parallel()
	for _, c := range strangers {
		folder := "strangers/" + c.name
		asked := newEncodedBusiness(t, pagesIn(t, folder+"/*.md", folder+"/*.txt"))
		t.Run("questions are answered: "+c.name, func(t *testing.T) {
			asked.check(t, folder+"/questions", c.answered)
		})
		t.Run("questions that nobody can answer there get no answer: "+c.name, func(t *testing.T) {
			asked.check(t, folder+"/unanswerable", c.refused)
		})
		t.Run("nobody gets a wrong Yes or No: "+c.name, func(t *testing.T) {
			for _, question := range questionsOf(t, folder+"/questions") {
				if r := asked.ask(t, question.text); r.answered && question.reply != "" && wrongReply(question.reply).MatchString(r.text) {
					t.Errorf("%s\n%s", question.text, r.text)
				}
			}
		})
	}
}

// strangers have what is reached, or one or two less: of 15 questions and 5 that nobody can
// answer for the last six, and of 20 and 8 for the others.
var strangers = []struct {
	name              string
	answered, refused int
}{
	{"dental", 12, 6},
	{"hotel", 14, 4},
	{"saas", 10, 5},
	{"city", 15, 4},
	{"museum", 11, 6},
	{"energy", 13, 5},
	{"vet", 14, 3},
	{"cowork", 14, 4},
	{"bicycles", 12, 0},
	{"cars", 9, 1},
	{"escuela", 10, 0},
	{"garten", 10, 2},
	{"pharmacy", 11, 0},
	{"wedding", 10, 1},
}

// wrongReply matches an answer that begins with the contrary of "yes" or "no".
func wrongReply(right string) *regexp.Regexp {
	if right == "yes" {
		return regexp.MustCompile(`(?m)^(?:No|Nein)\b`)
	}
	return regexp.MustCompile(`(?m)^(?:Yes|Ja|Sí)\b`)
}
