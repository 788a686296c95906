package quote

import (
	"strings"
	"testing"

	"parley/text/encode"
	"parley/text/language"
)

// closer answers a question from passages whose encodings are so close to it.
func closer(question string, closeness []float64, texts ...string) string {
	asked := Question{Text: question}
	for i, text := range texts {
		asked.Passages = append(asked.Passages, Passage{Title: "Manual", Text: text, Score: 1, Closeness: closeness[i]})
	}
	return Answer(asked)
}

func TestCloseness(t *testing.T) {
	const question, passage = "Can I get my money back if the kettle breaks after a week?", "We refund what fails within thirty days. The kettle is blue."
	t.Run("a passage whose encoding is close needs fewer words of the question", func(t *testing.T) {
		for closeness, answered := range map[float64]bool{0: false, 0.5: false, farOff: false, 0.85: true} {
			if got := closer(question, []float64{closeness}, passage); strings.Contains(got, "[1]") != answered {
				t.Errorf("at %v it says %s", closeness, got)
			}
		}
	})
	t.Run("one that has all words of it needs no close encoding", func(t *testing.T) {
		if got := closer("Where is the button of the router?", []float64{0.3}, "The button of the router is behind it."); !strings.HasPrefix(got, "The button") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("of two passages that say the same words, the one with the closer encoding is quoted", func(t *testing.T) {
		texts := []string{"The kettle has a warranty of a year.", "The kettle had a warranty in those years."}
		for at, closeness := range [][]float64{{0.8, 0.6}, {0.6, 0.8}} {
			got := closer("How long is the warranty of the kettle?", closeness, texts...)
			if !strings.HasPrefix(got, texts[at]) || strings.Contains(got, texts[1-at]) {
				t.Errorf("at %v it says %s", closeness, got)
			}
		}
	})
	t.Run("passages that have no encoding yet stand beside those that have one", func(t *testing.T) {
		got := closer("router beeping battery", []float64{0, 0, 0.8}, "The router is blue.", "Dust it weekly.", "Beeping means low battery.")
		if !strings.Contains(got, "[1]") || !strings.Contains(got, "[3]") {
			t.Errorf("got %s", got)
		}
	})
}

func TestClosenessOfParts(t *testing.T) {
	const stay, away = "## Rooms\n\nEach has a desk and a kettle.\n\n", "## Vehicles\n\nLeave yours behind the house. The gate opens at six."
	at := func(first, second float64) string {
		parts := []encode.Part{{Start: 0, End: len(stay), Closeness: first}, {Start: len(stay), End: len(stay + away), Closeness: second}}
		return Answer(Question{Text: "Where do I park my car at the house?", Passages: []Passage{{Title: "Inn", Text: stay + away, Score: 1, Closeness: 0.6, Parts: parts}}})
	}
	t.Run("the close part of a passage is evidence, and the paragraph is quoted", func(t *testing.T) {
		if got := at(0.5, 0.8); !strings.HasPrefix(got, "Leave yours behind the house. The gate opens at six.") || strings.Contains(got, "kettle") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("of a list that closeness speaks for, nothing is left out", func(t *testing.T) {
		results := []Passage{{Title: "Inn", Text: "## Vehicles\n\n- A bus stands behind the house.\n- Yours stays at the gate.\n- The gate opens at six.", Score: 1, Closeness: 0.8}}
		got := Answer(Question{Text: "Where do I park my car at the house?", Passages: results})
		if !strings.Contains(got, "- A bus") || !strings.Contains(got, "- Yours") || !strings.Contains(got, "- The gate") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("a part that is far off is none, though another one is close", func(t *testing.T) {
		if got := at(0.7, 0.5); strings.Contains(got, "Leave yours") {
			t.Errorf("got %s", got)
		}
	})
}

func TestSlips(t *testing.T) {
	for question, means := range map[string]string{
		"How do I regsiter?": "register", "Is it accesible?": "accessible", "Where is the recption?": "reception", "How do I descalle it?": "descale",
		"How do I rewind it?": "remind", "Where is the recption desk?": "deception",
	} {
		passages := []Passage{{Text: "Here it says " + means + "."}}
		found := termsOf(question, nil, language.English)
		found.mend(question, passages)
		right := means == "register" || means == "accessible" || means == "reception" || means == "descale"
		if found.has(means) != right {
			t.Errorf("that %q means %q is %v", question, means, !right)
		}
	}
}

func TestSlipsOfALongQuestion(t *testing.T) {
	question := strings.Repeat("regsiter recption ", 1000)
	if got := termsOf(question, nil, language.English).slipsIn(question); len(got) != 2 {
		t.Errorf("they are %d words", len(got))
	}
	question = ""
	for i := range 1000 {
		question += "regsiter" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + " "
	}
	if got := termsOf(question, nil, language.English).slipsIn(question); len(got) > maxTerms {
		t.Errorf("they are %d words", len(got))
	}
}

func TestWhatAsks(t *testing.T) {
	for message, want := range map[string]string{
		"I moved here in May. Do I need a permit?":            "Do I need a permit?",
		"Do I need a permit? I moved here in May. Who knows?": "Do I need a permit? Who knows?",
		"My kettle broke. Can you help me?":                   "My kettle broke. Can you help me?",
		"My kettle broke.":                                    "My kettle broke.",
		"Do I need a permit?":                                 "Do I need a permit?",
	} {
		if got := termsOf(message, nil, language.English).asking; got != want {
			t.Errorf("of %q it is %q", message, got)
		}
	}
	t.Run("what somebody tells of themselves does not weaken the evidence", func(t *testing.T) {
		const told = "I am a musician from Portugal. My sister and I arrived in May with our three dogs, and we rent a small house near the harbor. "
		if got := ask(told+"Do I need a permit for street music?", "You need a permit for music in the street."); !strings.HasPrefix(got, "You need a permit") {
			t.Errorf("got %s", got)
		}
	})
}

func TestClosenessAmongFewPassages(t *testing.T) {
	answered := func(compared int) bool {
		results := []Passage{{Title: "Manual", Text: "We refund what fails within thirty days. The kettle is blue.", Score: 1, Closeness: 0.66, Compared: compared}}
		return strings.Contains(Answer(Question{Text: "Can I get my money back if the kettle breaks after a week?", Passages: results}), "[1]")
	}
	for compared, want := range map[int]bool{0: false, 10: true, 100: false} {
		if answered(compared) != want {
			t.Errorf("among %d passages, answered is %t", compared, !want)
		}
	}
}
