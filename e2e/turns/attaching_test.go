package turns

import (
	"strings"
	"testing"

	"parley/e2e/harness"
	"parley/llm/llmtest"
)

func TestAttaching(t *testing.T) {
	t.Parallel()
	harness.OnModel(t, func(b harness.Bakery, upstream *llmtest.Server) {
		token := b.Baker.Token
		again := func(path, key string) string {
			return strings.Replace(harness.Request("POST", path, token, harness.OpeningQuestion), "\r\n\r\n", "\r\nIdempotency-Key: "+key+"\r\n\r\n", 1)
		}
		begun := func(w *harness.Instance, path, key string) (first *harness.Line, gate *llmtest.Gate, model *llmtest.Request) {
			gate = llmtest.NewGate()
			model = upstream.Request(upstream.Arrived())
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			first = w.Dial()
			first.Send(again(path, key))
			w.Comes("the model has begun", gate.Reached())
			return first, gate, model
		}
		b.Run("the first caller may leave, and the one that repeats the request gets the answer of the same call", func(t *testing.T) {
			w := b.Within(t)
			before := w.Tally(b.Baker, upstream)
			first, gate, model := begun(w, harness.StreamPath, "first leaves")
			second := w.Stream(harness.OpeningQuestion, harness.Bearer(token), harness.Keyed("first leaves"))
			if got := second.Until("delta").Content; got != "At" {
				t.Fatalf("it was told %q", got)
			}
			w.Must(first.Close())
			w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(token)), 200, 0) // some time
			gate.Release()
			if rest := second.Rest(); len(rest) != 2 || rest[0].Content != " seven." || !rest[1].Done {
				t.Errorf("it went on with %+v", rest)
			}
			<-model.Done()
			select {
			case <-model.Canceled():
				t.Error("the model was canceled")
			default:
			}
			checkAnswered(w, 2, b.Baker, upstream, before)
		})
		for _, path := range []string{harness.ChatPath, harness.StreamPath} {
			b.Run("when all who asked at "+path+" leave the model is canceled, and the same key begins again", func(t *testing.T) {
				w := b.Within(t)
				key := "all leave " + path
				first, _, model := begun(w, path, key)
				second := w.Dial()
				second.Send(again(path, key))
				w.Must(first.Close())
				w.Must(second.Close())
				w.Comes("the model is canceled", model.Canceled())
				said := w.Said(w.Call("POST", path, harness.OpeningQuestion, harness.Bearer(token), harness.Keyed(key)))
				if !strings.Contains(said, "At seven.") {
					t.Errorf("got %s", said)
				}
				if all := w.Messages(token, conversationOf(said), ""); len(all) != 2 || all[1]["content"] != "At seven." {
					t.Errorf("stored is %v", all)
				}
			})
		}
		for _, path := range []string{harness.ChatPath, harness.StreamPath} {
			b.Run("an answer of "+path+" that was interrupted is not begun again when the conversation has gone on", func(t *testing.T) {
				w := b.Within(t)
				conversation := harness.Written(w.NewConversation(token, ""))
				upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
				model := upstream.Request(upstream.Arrived())
				first := w.Dial()
				ask := strings.Replace(harness.Request("POST", path, token, harness.Asking(conversation)), "\r\n\r\n", "\r\nIdempotency-Key: went on\r\n\r\n", 1)
				first.Send(ask)
				w.Comes("the model is asked", model.Arrived())
				w.Must(first.Close())
				w.Comes("the model is canceled", model.Canceled())
				w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.Asking(conversation), harness.Bearer(token)), 200, 0)
				again := w.Call("POST", path, harness.Asking(conversation), harness.Bearer(token), harness.Keyed("went on"))
				if !strings.Contains(again.Text, `"error":5`) || !strings.Contains(again.Text, "interrupted") {
					t.Errorf("got %s", again.Text)
				}
				all := w.Messages(token, conversation, "")
				if len(all) < 3 || all[len(all)-1]["content"] != "At seven." { // the first has an answer if it had a word
					t.Errorf("stored is %v", all)
				}
			})
		}
	})
}
