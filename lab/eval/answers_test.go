package main

import (
	"slices"
	"strings"
	"testing"
)

const opening = "# Opening hours\n\nThe bakery opens at seven in the morning and closes at noon.\n\n## Holidays\n\nOn holidays the bakery stays closed.\n"

func TestEvalAnswersOfAChatbot(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		measure := []string{"answers", "--chatbot=" + term.newChatbot(opening)}
		asked := append(slices.Clone(measure), "--queries="+term.file("questions.csv",
			"question,expects,says,answer,document\nWhen does the bakery open?,text,seven in the morning,,\nWho won the cup final?,no_answer,,,\nWhen does the bakery open on Sunday?,text,at noon,,Nowhere\n"))

		term.Run("its answers are judged by what a file expects", func(t *testing.T) {
			term := term.in(t)
			report := term.record(asked...)
			term.near(report, 3, "questions")
			if passed, failed := report["passed"].([]any), report["failed"].([]any); passed[0] != 2.0 || passed[1] != 3.0 || len(failed) != 1 || len(report["errors"].([]any)) != 0 {
				t.Errorf("the report is %v", report)
			}
			if shown := term.ok(asked...); !strings.Contains(shown, "0.667 (2 of 3)") || !strings.Contains(shown, "When does the bakery open on Sunday?") {
				t.Errorf("it shows\n%s", shown)
			}
		})
		term.Run("what it cannot ask is refused", func(t *testing.T) {
			term := term.in(t)
			term.fails("no test questions", measure...)
			term.fails("Chatbot not found", "answers", "--chatbot=cb_nobody")
			term.fails("is empty", append(slices.Clone(measure), "--queries="+term.file("empty.csv", ""))...)
			term.fails("only --queries", append(slices.Clone(measure), "--qrels="+term.file("qrels.tsv", ""))...)
			term.fails("--queries and --qrels, or --chatbot", "answers")
		})
		term.Run("a model that never answers is an error", func(t *testing.T) {
			term.in(t).fails("The language model did not answer", append(slices.Clone(asked), "--llm-base-url=http://127.0.0.1:1/v1")...)
		})
	})
}
