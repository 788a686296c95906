package api

import (
	"slices"
	"strings"
	"testing"

	"parley/e2e/harness"
)

func TestEvalAnswersOfAChatbot(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		_, bot := term.NewChatbot("starter")
		term.OK("knowledge", "add", bot, term.File("hours.md", harness.Opening))
		measure := []string{"eval", "answers", "--chatbot=" + bot}
		asked := append(slices.Clone(measure), "--queries="+term.File("questions.csv",
			"question,expects,says,answer,document\nWhen does the bakery open?,text,seven in the morning,,\nWho won the cup final?,no_answer,,,\nWhen does the bakery open on Sunday?,text,at noon,,Nowhere\n"))

		term.Run("its answers are judged by what a file expects", func(t *testing.T) {
			term := term.In(t)
			report := term.Record(asked...)
			near(term, report, 3, "questions")
			if passed, failed := report["passed"].([]any), report["failed"].([]any); passed[0] != 2.0 || passed[1] != 3.0 || len(failed) != 1 || len(report["errors"].([]any)) != 0 {
				t.Errorf("the report is %v", report)
			}
			if shown := term.OK(asked...); !strings.Contains(shown, "0.667 (2 of 3)") || !strings.Contains(shown, "When does the bakery open on Sunday?") {
				t.Errorf("it shows\n%s", shown)
			}
		})
		term.Run("what it cannot ask is refused", func(t *testing.T) {
			term := term.In(t)
			term.Fails("no test questions", measure...)
			term.Fails("Chatbot not found", "eval", "answers", "--chatbot=cb_nobody")
			term.Fails("is empty", append(slices.Clone(measure), "--queries="+term.File("empty.csv", ""))...)
			term.Fails("only --queries", append(slices.Clone(measure), "--qrels="+term.File("qrels.tsv", ""))...)
			term.Fails("--queries and --qrels, or --chatbot", "eval", "answers")
		})
		term.Run("a model that never answers is an error", func(t *testing.T) {
			term.In(t).Fails("The language model did not answer", append(slices.Clone(asked), "--llm-base-url=http://127.0.0.1:1/v1")...)
		})
	})
}
