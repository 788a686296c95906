package testrun

import (
	"strings"
	"testing"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/insight"
)

func TestLongAnswersAreJudgedWholeAndKeptShort(t *testing.T) {
	reply := insight.Reply{Answer: answer.Answer{Text: strings.Repeat("word ", keptOfAnswer) + "the end"}, Outcome: chat.Answered}
	got := Wanted{Expects: AText, Expected: "the end"}.Judge(reply)
	if !got.Passed || len(got.Answer) > keptOfAnswer || !strings.HasPrefix(reply.Text, got.Answer) {
		t.Errorf("passed %v, with %d bytes", got.Passed, len(got.Answer))
	}
}

func TestBareAnswers(t *testing.T) {
	if got := withoutCitations("At ten [1].\n\n*Source: Opening hours* [1]"); strings.TrimSpace(got) != "At ten." {
		t.Errorf("it is %q", got)
	}
}
