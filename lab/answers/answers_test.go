package answers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/text/split"
	"parley/text/suggest"
)

// checkedQuestion is a question of ours, with what a right answer contains and lacks.
// reply is "yes" or "no" where it asks whether something is so.
type checkedQuestion struct{ text, contains, lacks, reply string }

// questionsOf reads lines with a question, what a right answer contains, as
// alternatives with "||" between them, what it lacks, and its reply.
func questionsOf(t *testing.T, name string) (questions []checkedQuestion) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata, name+".tsv"))
	must(t, err)
	for line := range strings.Lines(string(text)) {
		cells := append(strings.Split(strings.TrimRight(line, "\r\n"), "\t"), "", "", "")
		questions = append(questions, checkedQuestion{cells[0], cells[1], cells[2], cells[3]})
	}
	return questions
}

// Without a language model answers are quotations. They are held to what was reached:
// docs/answers.md has the figures.
func TestAnswersWithoutModel(t *testing.T) {
	t.Parallel()
	shop, documentation := newBusiness(t, shop(t)), newBusiness(t, documentation(t))
	for _, c := range []struct {
		sentence, questions string
		asked               business
		atLeast             int
	}{
		{"questions about the shop are answered", "shop", shop, 34},
		{"questions about the shop that nothing was chosen by are answered", "shop-left-out", shop, 18},
		{"questions about this documentation are answered", "documentation", documentation, 20},
		{"plain questions about the shop are answered", "shop-plain", shop, 48},
		{"questions of strangers about the shop are answered", "shop-strangers", shop, 25},
		{"and so are those of customers", "shop-customers", shop, 9},
		{"plain questions about this documentation are answered", "documentation-plain", documentation, 23},
		{"questions of operators about this documentation are answered", "documentation-operators", documentation, 8},
		{"and so are those of owners", "documentation-owners", documentation, 8},
		{"questions that the shop cannot answer get no answer", "shop-unanswerable", shop, 16},
		{"and so do those that nothing was chosen by", "shop-left-out-unanswerable", shop, 9},
		{"and those of people who are at the wrong place", "shop-strange", shop, 9},
	} {
		t.Run(c.sentence, func(t *testing.T) { c.asked.check(t, "questions/"+c.questions, c.atLeast) })
	}
}

// The shop's passages are encoded, as they are where nothing says otherwise.
func TestAnswersFromEncodedPassages(t *testing.T) {
	t.Parallel()
	shop := newEncodedBusiness(t, shop(t))
	for _, c := range []struct {
		sentence, questions string
		atLeast             int
	}{
		{"questions about the shop are answered", "shop", 34},
		{"questions about the shop that nothing was chosen by are answered", "shop-left-out", 17},
		{"plain questions about the shop are answered", "shop-plain", 48},
		{"questions of strangers about the shop are answered", "shop-strangers", 24},
		{"and so are those of customers", "shop-customers", 8},
		{"questions that the shop cannot answer get no answer", "shop-unanswerable", 15},
		{"and so do those that nothing was chosen by", "shop-left-out-unanswerable", 9},
		{"and those of people who are at the wrong place", "shop-strange", 8},
	} {
		t.Run(c.sentence, func(t *testing.T) { shop.check(t, "questions/"+c.questions, c.atLeast) })
	}
}

// check asks the questions of a file, and reports which answers are not right.
func (b business) check(t *testing.T, questions string, atLeast int) {
	t.Helper()
	right := 0
	var wrong strings.Builder
	for _, question := range questionsOf(t, questions) {
		r := b.ask(t, question.text)
		if question.contains == "" && !r.answered || question.contains != "" && r.isRight(question.contains, question.lacks) {
			right++
			continue
		}
		fmt.Fprintf(&wrong, "%s\n%s\n\n", question.text, r.text)
	}
	report := t.Logf
	if right < atLeast {
		report = t.Errorf
	}
	report("%d are right, and %d at least have to be. These are not:\n%s", right, atLeast, wrong.String())
}

func TestWordsWithAndWithoutHyphen(t *testing.T) {
	t.Parallel()
	workshop := newBusiness(t, pages("# Service\n\nA tune-up costs $59 and takes a day.\n", "# Pickup\n\nPickup is free within the city.\n", "# Opening hours\n\nWe open at nine.\n"))
	for question, contains := range map[string]string{
		"Do you do tuneups?": "A tune-up costs $59", "How much is a tune up?": "A tune-up costs $59", "What does a tuneup cost?": "A tune-up costs $59", "Is there a pick-up?": "Pickup is free",
	} {
		t.Run("a word is found with a hyphen, without, and as two: "+question, func(t *testing.T) {
			if r := workshop.ask(t, question); !r.isRight(contains, "") {
				t.Errorf("got %s", r.text)
			}
		})
	}
}

// Whatever a chatbot suggests, it answers.
func TestSuggestionsAreAnswered(t *testing.T) {
	t.Parallel()
	for name, documents := range map[string][]split.Document{
		"shop":          shop(t),
		"documentation": documentation(t),
		"german":        pages(pools["german"].documents...),
		"french":        pages(pools["french"].documents...),
		"spanish":       pages(pools["spanish"].documents...),
		"arabic":        pages(pools["arabic"].documents...),
		"chinese":       pages(pools["chinese"].documents...),
	} {
		t.Run("every question that the documents suggest is answered: "+name, func(t *testing.T) {
			asked := newBusiness(t, documents)
			read := make([]suggest.Document, len(documents))
			for i, d := range documents {
				passages := knowledge.Split(d, chatbot.Chatbot{}, nil)
				read[i] = suggest.Document{Title: d.Title, Passages: retrieval.PlainPassages(passages)}
			}
			questions := suggest.Read(read).Questions(1000)
			if len(questions) < 2 {
				t.Errorf("they are %q", questions)
			}
			for _, question := range questions {
				if r := asked.ask(t, question); !r.answered {
					t.Errorf("%q is not", question)
				}
			}
		})
	}
}
