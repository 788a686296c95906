package e2e

import (
	"strings"
	"testing"

	"parley/llm/llmtest"
)

func TestAttaching(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		token := b.baker.token
		again := func(path, key string) string {
			return strings.Replace(request("POST", path, token, openingQuestion), "\r\n\r\n", "\r\nIdempotency-Key: "+key+"\r\n\r\n", 1)
		}
		begun := func(w *instance, path, key string) (first *line, gate *llmtest.Gate, model *llmtest.Request) {
			gate = llmtest.NewGate()
			model = upstream.Request(upstream.Arrived())
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			first = w.dial()
			first.write(again(path, key))
			w.comes("the model has begun", gate.Reached())
			return first, gate, model
		}
		b.Run("the first caller may leave, and the one that repeats the request gets the answer of the same call", func(t *testing.T) {
			w := b.within(t)
			before := w.tally(b.baker, upstream)
			first, gate, model := begun(w, streamPath, "first leaves")
			second := w.stream(openingQuestion, bearer(token), keyed("first leaves"))
			if got := second.until("delta").Content; got != "At" {
				t.Fatalf("it was told %q", got)
			}
			w.must(first.Close())
			w.checkAnswer(w.call("POST", chatPath, openingQuestion, bearer(token)), 200, 0) // some time
			gate.Release()
			if rest := second.rest(); len(rest) != 2 || rest[0].Content != " seven." || !rest[1].done {
				t.Errorf("it went on with %+v", rest)
			}
			<-model.Done()
			select {
			case <-model.Canceled():
				t.Error("the model was canceled")
			default:
			}
			w.checkAnswered(2, b.baker, upstream, before)
		})
		for _, path := range []string{chatPath, streamPath} {
			b.Run("when all who asked at "+path+" leave the model is canceled, and the same key begins again", func(t *testing.T) {
				w := b.within(t)
				key := "all leave " + path
				first, _, model := begun(w, path, key)
				second := w.dial()
				second.write(again(path, key))
				w.must(first.Close())
				w.must(second.Close())
				w.comes("the model is canceled", model.Canceled())
				said := w.said(w.call("POST", path, openingQuestion, bearer(token), keyed(key)))
				if !strings.Contains(said, "At seven.") {
					t.Errorf("got %s", said)
				}
				if all := w.messages(token, conversationOf(said), ""); len(all) != 2 || all[1]["content"] != "At seven." {
					t.Errorf("stored is %v", all)
				}
			})
		}
		for _, path := range []string{chatPath, streamPath} {
			b.Run("an answer of "+path+" that was interrupted is not begun again when the conversation has gone on", func(t *testing.T) {
				w := b.within(t)
				conversation := written(w.newConversation(token, ""))
				upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
				model := upstream.Request(upstream.Arrived())
				first := w.dial()
				ask := strings.Replace(request("POST", path, token, asking(conversation)), "\r\n\r\n", "\r\nIdempotency-Key: went on\r\n\r\n", 1)
				first.write(ask)
				w.comes("the model is asked", model.Arrived())
				w.must(first.Close())
				w.comes("the model is canceled", model.Canceled())
				w.checkAnswer(w.call("POST", chatPath, asking(conversation), bearer(token)), 200, 0)
				again := w.call("POST", path, asking(conversation), bearer(token), keyed("went on"))
				if !strings.Contains(again.body, `"error":5`) || !strings.Contains(again.body, "interrupted") {
					t.Errorf("got %s", again.body)
				}
				all := w.messages(token, conversation, "")
				if len(all) < 3 || all[len(all)-1]["content"] != "At seven." { // the first has an answer if it had a word
					t.Errorf("stored is %v", all)
				}
			})
		}
	})
}
