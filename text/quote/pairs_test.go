package quote

import (
	"strings"
	"testing"

	"parley/text/language"
)

func TestReplies(t *testing.T) {
	for text, rest := range map[string]string{
		"Yes, we do.": "we do.", "No. We are closed.": "We are closed.", "Yes!": "", "**Yes**, always open.": "always open.", "Yes, of course. We ship.": "We ship.",
		"Yes we ship.": "we ship.", "No - we are closed.": "we are closed.", "Nein, leider nicht. Das geht nicht.": "Das geht nicht.", "Sí, claro.": "",
		"可以，需要预约。": "需要预约。", "はい、できます。": "", "Нет, только онлайн.": "только онлайн.", "Bien sûr, le samedi.": "le samedi.", "نعم، مجانا.": "مجانا.",
		"No smoking in the rooms.": "No smoking in the rooms.", "No. 5 Mill Lane": "No. 5 Mill Lane", "No-frills rooms.": "No-frills rooms.", "No *smoking*.": "No *smoking*.",
		"No se puede pagar.": "No se puede pagar.", "Yesterday we closed.": "Yesterday we closed.", "": "", "42": "42",
	} {
		t.Run("of “"+text+"” what answers another question is “"+rest+"”", func(t *testing.T) {
			if got := text[replyLength(text):]; got != rest {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestAsksTheSame(t *testing.T) {
	const parking = "Do you have free parking?"
	for question, want := range map[string]bool{
		"do you have free parking?": true, "is there free parking": true, "Is parking free?": true, "free parking?": true, "Free parking at yours, please?": false,
		"Do you have parking?": false, "Do you have free parking on Sundays?": false, "Is there free parking for two cars?": false, "Why do you have free parking?": false,
		"Don't you have free parking?": true, "Is there parking without a fee?": false, "How long is parking free?": false,
	} {
		t.Run(parking+" is answered to "+question, func(t *testing.T) {
			if got := termsOf(question, nil, language.English).asksTheSame(parking, question); got != want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestLabels(t *testing.T) {
	t.Run("a question and its answer are quoted without their labels", func(t *testing.T) {
		for _, text := range []string{
			"Q: Is parking free?\nA: Yes, behind the house.", "**Q1.** Is parking free?\n\n**A1.** Yes, behind the house.", "### Question 3: Is parking free?\n\nAnswer: Yes, behind the house.",
			"**Is parking free?** Yes, behind the house.",
		} {
			got := Answer(Question{Text: "Is parking free?", Passages: []Passage{{Title: "FAQ", Text: text}}})
			if !strings.HasPrefix(got, "Yes, behind the house.\n\n*Source: FAQ › Is parking free?*") {
				t.Errorf("%q: %s", text, got)
			}
		}
	})
	t.Run("what only looks like a label stays", func(t *testing.T) {
		got := Answer(Question{Text: "Which plan is it?", Passages: []Passage{{Title: "Plans", Text: "Which plan is it?\n\nPlan B: the large one."}}})
		if !strings.HasPrefix(got, "Plan B: the large one.") {
			t.Errorf("got %s", got)
		}
	})
}
