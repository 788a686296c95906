package api

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// TestOddAnswers has what a model may send beside cut answers, in each format.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	const early = "Früh — um sieben 🥐, as ever."
	for _, speak := range harness.Speaks {
		t.Run(speak.Name, func(t *testing.T) {
			t.Parallel()
			upstream, address := speak.Open(t)
			outer := harness.Start(t, harness.Spoken(speak.Name, address, speak.Model), func(c *app.Config) { c.LLMTools = "on" })
			tn := outer.NewTenant("baker", plan.Enterprise, harness.Opening)
			ask := func(t *testing.T, replies ...llmtest.Reply) (turn turn.Stored, said string, model *llmtest.Request) {
				w, before := outer.Within(t), upstream.Arrived()
				upstream.Next(replies...)
				read := w.Marked("POST", harness.StreamPath, harness.Including(`["ids","usage"]`), harness.Bearer(tn.Token)).Rest()
				turn, err := w.Server.Turns.Turns.Turn(t.Context(), tn.Workspace, w.Sequence(read[0].ConversationID), 0)
				w.Must(err)
				if asked := upstream.Arrived() - before; asked != len(replies) {
					t.Errorf("the model was asked %d times", asked)
				}
				if got := harness.AnswerIn(read); got != turn.Answer.Text {
					t.Errorf("the stream says %q, and stored is %q", got, turn.Answer.Text)
				}
				for _, e := range read {
					said += e.Data + "\n"
				}
				return turn, said, upstream.Request(upstream.Arrived() - 1)
			}

			t.Run("a malformed chunk ends the answer with one error, and what came before it stays", func(t *testing.T) {
				turn, said, _ := ask(t, llmtest.Reply{Pieces: []string{"At", " seven"}, Raw: []string{`{"type":`}})
				if turn.Answer.Status != chat.Failed || turn.Answer.Text != "At seven" || strings.Count(said, `"type":"error","error":5`) != 1 {
					t.Errorf("stored is %+v of %s", turn.Answer, said)
				}
			})
			t.Run("characters that are split over chunks, and chunks over packets, come together again", func(t *testing.T) {
				turn, said, _ := ask(t, llmtest.Reply{Pieces: pieces(early, 1), ByteByByte: true})
				if turn.Answer.Status != chat.Complete || turn.Answer.Text != early || strings.Contains(said, `"error"`) {
					t.Errorf("stored is %+v of %s", turn.Answer, said)
				}
			})
			t.Run("usage that the model leaves out is counted, and marked so", func(t *testing.T) {
				turn, said, _ := ask(t, llmtest.Reply{Pieces: []string{early}, OmitUsage: true})
				usage := turn.Answer.Usage()
				if !usage.Estimated || usage.PromptTokens < 50 || usage.CompletionTokens < 5 || !strings.Contains(said, `"estimated":true`) {
					t.Errorf("the usage is %+v of %s", usage, said)
				}
			})
			t.Run("calls of tools that come in pieces are executed, and the answer continues with what they found", func(t *testing.T) {
				calls := llmtest.Reply{Pieces: []string{"Let me look."}, CallBytes: 1, ToolCalls: []llmtest.ToolCall{
					{ID: "call_a", Name: "search_knowledge", Arguments: `{"query":"geöffnet früh"}`},
					{ID: "call_b", Name: "search_knowledge", Arguments: `{"query":"closes at noon"}`},
				}}
				turn, said, model := ask(t, calls, llmtest.Reply{Pieces: []string{"At noon", " [1]."}})
				if turn.Answer.Status != chat.Complete || turn.Answer.Text != "Let me look.\n\nAt noon [1]." {
					t.Errorf("stored is %+v", turn.Answer)
				}
				sum := answer.Usage{PromptTokens: 2 * llmtest.DefaultUsage.PromptTokens, CompletionTokens: 2 * llmtest.DefaultUsage.CompletionTokens}
				if usage := turn.Answer.Usage(); usage != sum {
					t.Errorf("the usage is %+v, want that of both rounds, %+v", usage, sum)
				}
				outer.Within(t).CheckParts(said, []string{"“geöffnet früh”", "“closes at noon”"}, `"error"`)
				outer.Within(t).CheckParts(string(model.Body()), []string{"call_a", "call_b", "geöffnet früh", "closes at noon"})
			})
		})
	}
}
