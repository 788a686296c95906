package testrun

import (
	"strings"
	"testing"

	"parley/core/fault"
)

func TestTestQuestionsThatAreRefused(t *testing.T) {
	_, service := newShelf()
	for field, wanted := range map[string]Wanted{
		"question": {Question: " ", Expects: AnAnswer}, "expects": {Question: "When?", Expects: "something"},
		"expected": {Question: "When?", Expects: AText},
	} {
		if _, err := service.Add(t.Context(), "ws", "cb", wanted, "ada@example.com"); fault.As(err).Field != field {
			t.Errorf("%+v: %v", wanted, err)
		}
	}
	long := Wanted{Question: strings.Repeat("é", maxQuestion+1), Expects: AnAnswer}
	if _, err := service.Add(t.Context(), "ws", "cb", long, ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("too long: %v", err)
	}
	if _, err := service.Start(t.Context(), "ws", "cb", "ada@example.com"); !fault.Is(err, fault.Conflict) {
		t.Errorf("without a question: %v", err)
	}
}

func TestImport(t *testing.T) {
	s, service := newShelf()
	s.add(t, service, Wanted{Question: "When?", Expects: AnAnswer})
	s.add(t, service, Wanted{Question: "Who?", Expects: AnAnswer})
	take := func(wanted ...Wanted) (Imported, error) {
		return service.Import(t.Context(), "ws", "cb", wanted, "ada@example.com")
	}
	t.Run("known questions are changed, and others added", func(t *testing.T) {
		done, err := take(Wanted{Question: " when? ", Expects: NoAnswer}, Wanted{Question: "Who?", Expects: AnAnswer}, Wanted{Question: "Why?", Expects: AnAnswer})
		if err != nil || done != (Imported{1, 1, 1}) || len(s.questions) != 3 || s.questions[0].Expects != NoAnswer || s.questions[0].UpdatedAt == nil {
			t.Errorf("%+v, %+v, %v", done, s.questions, err)
		}
	})
	for says, wanted := range map[string][]Wanted{
		"no question":   nil,
		"Question 2: ":  {{Question: "a", Expects: AnAnswer}, {Question: " ", Expects: AnAnswer}},
		"once more":     {{Question: "a", Expects: AnAnswer}, {Question: "A", Expects: AnAnswer}},
		"201 questions": make([]Wanted, MaxQuestions+1),
	} {
		t.Run("nothing is taken of a file that is wrong: "+says, func(t *testing.T) {
			if _, err := take(wanted...); fault.As(err).Field != "file" || !strings.Contains(err.Error(), says) || len(s.questions) != 3 {
				t.Errorf("got %v", err)
			}
		})
	}
}
