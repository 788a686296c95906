package measure

import (
	"math"
	"testing"

	"parley/app"
	"parley/core/fault"
	"parley/core/retrieval"
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
		if report.Citations != (Share{2, 2}) || report.PromptTokens == 0 || report.CompletionTokens == 0 || report.Seconds <= 0 {
			t.Errorf("got %+v", report)
		}
		if report.Best < report.F1 || report.F1 <= 0 || report.AnsweredF1 <= report.F1 || report.Recall < 0.7 || report.Precision > 1 {
			t.Errorf("got %+v", report)
		}
	})
	t.Run("the best quotation is chosen with the reference in view", func(t *testing.T) {
		passages := []retrieval.Result{
			{Passage: retrieval.Passage{Text: "Rye bread bakes at midnight. It costs 4 dollars. We also sell rolls."}},
			{Passage: retrieval.Passage{Text: "- It takes an hour.\n- It weighs a kilo."}},
		}
		for reference, want := range map[string]float64{"Rye bread bakes at midnight. It takes an hour.": 1, "Rye bread bakes at noon.": 0.8, "Nobody knows.": 0} {
			if got := bestQuotation(passages, reference); math.Abs(got-want) > 1e-9 {
				t.Errorf("%q: got %v, want %v", reference, got, want)
			}
		}
	})
	t.Run("no questions are refused", func(t *testing.T) {
		none := AnswersFiles{Files: files(t, map[string]string{"queries": ""})}
		if _, err := Answers(t.Context(), &app.Config{}, none); !fault.Is(err, fault.Invalid) {
			t.Errorf("got %v", err)
		}
	})
}
