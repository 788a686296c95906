package measure

import (
	"testing"

	"parley/core/fault"
	"parley/internal/app"
)

// Sections of two pages, and questions that they answer.
const (
	sections = `{"_id":"bread#rye","doc":"bread","title":"Rye","text":"Rye\nRye bread bakes at midnight. It keeps for 7 days."}
{"_id":"bikes#repairs","doc":"bikes","title":"Repairs","text":"A repair of a bike costs 40 dollars."}
{"_id":"bread#cake","doc":"bread","title":"Cakes","text":"Cakes are made to order."}
`
	sectionQueries = `{"_id":"q1","text":"When does rye bread bake?","target":"Rye bread bakes at midnight."}
{"_id":"q2","text":"What does the repair of a bike cost?","target":"It is 40 dollars."}
{"_id":"q3","text":"How tall is the Eiffel tower?","target":"330 metres."}
`
	sectionJudgments = "q1\tbread#rye\t1\nq2\tbikes#repairs\t1\n"
)

func TestAnswers(t *testing.T) {
	given := AnswersFiles{Files: files(t, map[string]string{"corpus": sections, "queries": sectionQueries, "judgments": sectionJudgments})}
	t.Run("answers are compared with their references, and unanswered questions are counted", func(t *testing.T) {
		given.Foreign = given.Queries
		report, err := Answers(t.Context(), &app.Config{}, given)
		must(t, err)
		if report.Answered != (Share{2, 3}) || report.WithoutRelevant != (Share{2, 2}) || report.Foreign != (Share{1, 3}) || report.References != 3 {
			t.Errorf("got %+v", report)
		}
		if report.F1 <= 0 || report.AnsweredF1 <= report.F1 || report.Recall < 0.7 || report.Precision > 1 {
			t.Errorf("got %+v", report)
		}
	})
	t.Run("no questions are refused", func(t *testing.T) {
		none := AnswersFiles{Files: files(t, map[string]string{"queries": ""})}
		if _, err := Answers(t.Context(), &app.Config{}, none); !fault.Is(err, fault.Invalid) {
			t.Errorf("got %v", err)
		}
	})
}

func TestOverlap(t *testing.T) {
	for name, c := range map[string]struct {
		answer, reference string
		want              overlap
	}{
		"the same words in another order are the same":    {"The red Bike.", "bike, red", overlap{1, 1, 1}},
		"half of the words on one side are half of it":    {"red bike blue car", "red bike", overlap{2.0 / 3, 0.5, 1}},
		"a word counts as often as both have it":          {"red red", "red", overlap{2.0 / 3, 0.5, 1}},
		"texts without a common word have nothing":        {"red", "blue", overlap{}},
		"an empty answer has nothing, and breaks nothing": {"", "blue", overlap{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := overlapOf(c.answer, c.reference); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
