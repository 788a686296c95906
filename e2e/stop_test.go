package e2e

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/chat"
	"parley/core/plan"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// checkEnding fails unless a stop was answered with this.
func (w *instance) checkEnding(r reply, conversation int64, status any) {
	w.Helper()
	w.checkAnswer(r, 200, 0)
	w.checkFields(r.Data, "conversation_id", "message_id", "status")
	if w.number(r, "conversation_id") != conversation || r.Data["status"] != status || (status == nil) != (r.Data["message_id"] == nil) {
		w.Errorf("the ending is %s, want %v", r.body, status)
	}
}

// stopping are streams that are stopped, and the events after their answer.
var stopping = []struct{ name, body, tail string }{
	{"a stream", openingQuestion, "[DONE]"},
	{"a stream of plain text", inFormat("plain_text"), `{"type":"formatted","content":"At","format":"plain_text"}` + "\n[DONE]"},
	{"a stream with ids and sources", `{"message":"When does the bakery open?","include":["ids","sources"]}`, "[DONE]"},
}

// stopsStream stops a stream of here there, after one piece.
func stopsStream(here, there *instance, upstream *llmtest.Server, tn tenantOf, body, tail string) {
	here.Helper()
	model := upstream.Request(upstream.Arrived())
	upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
	client := here.dial()
	client.write(request("POST", streamPath, tn.token, body))
	stream := markedIn(here.T, client.answer().Body)
	stream.plain = true
	all := stream.until("delta")
	conversation := all[0].ConversationID
	there.checkEnding(there.call("POST", stopPath(conversation), "", bearer(tn.token)), conversation, "stopped")
	here.comes("the model is canceled", model.Canceled())
	stored := there.answered(tn, conversation)
	if stored.Status != chat.Stopped || stored.Content != "At" {
		here.Errorf("stored is %+v", stored)
	}
	if got := gist(append(all, stream.rest()...)); !strings.Contains(got, "answer: At\n") || !strings.HasSuffix(got, tail) || strings.Contains(got, `"error"`) {
		here.Errorf("the stream was %s", got)
	}
	next := there.call("POST", chatPath, asking(written(conversation)), bearer(tn.token))
	there.checkAnswer(next, 200, 0)
}

func TestStop(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		token := b.baker.token
		for _, s := range stopping {
			b.Run(s.name+" that is stopped cancels the model, is stored, and ends without an error", func(t *testing.T) {
				stopsStream(b.within(t), b.within(t), upstream, b.baker, s.body, s.tail)
			})
		}
		b.Run("a question that is stopped before the first word has an empty answer, and says so", func(t *testing.T) {
			w := b.within(t)
			conversation := w.newConversation(token, "")
			gate := llmtest.NewGate()
			model := upstream.Request(upstream.Arrived())
			upstream.Next(llmtest.Reply{Hold: gate, HoldAt: llmtest.BeforeHeaders})
			client := w.dial()
			client.write(request("POST", chatPath, token, asking(written(conversation))))
			w.comes("the model waits", gate.Reached())
			w.checkEnding(w.call("POST", stopPath(conversation), "", bearer(token)), conversation, "stopped")
			w.comes("the model is canceled", model.Canceled())
			r := w.read(client.answer())
			w.checkAnswer(r, 200, 0)
			if r.Data["message"] != "" || r.Data["status"] != "stopped" {
				t.Errorf("got %s", r.body)
			}
		})
		b.Run("what was stopped is replayed as it was, by its key and as a stream, without a model", func(t *testing.T) {
			w := b.within(t)
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
			body := `{"message":"When does the bakery open?","include":["ids","usage"]}`
			stream := w.marked("POST", streamPath, body, bearer(token), keyed("stopped"))
			seen := stream.until("delta")
			conversation := seen[0].ConversationID
			w.checkEnding(w.call("POST", stopPath(conversation), "", bearer(token)), conversation, "stopped")
			whole := gist(append(seen, stream.rest()...))
			if !strings.Contains(whole, `"status":"stopped"`) {
				t.Errorf("the stream was %s", whole)
			}
			asked := upstream.Arrived()
			for _, again := range []*markedEvents{
				w.marked("POST", streamPath, body, bearer(token), keyed("stopped")), w.marked("GET", resumePath(conversation), "", bearer(token)),
			} {
				if got := gist(again.rest()); got != whole {
					t.Errorf("again it is\n%s\nwant\n%s", got, whole)
				}
			}
			if upstream.Arrived() != asked {
				t.Error("the model was asked again")
			}
		})
		b.Run("stopping changes no answer that has ended, and invents none", func(t *testing.T) {
			w := b.within(t)
			empty := w.newConversation(token, "")
			w.checkEnding(w.call("POST", stopPath(empty), "", bearer(token)), empty, nil)
			w.checkAnswer(w.call("POST", chatPath, asking(written(empty)), bearer(token)), 200, 0)
			for range 2 {
				w.checkEnding(w.call("POST", stopPath(empty), "{}", bearer(token)), empty, "complete")
			}
		})
		b.Run("a repeated stop with the same key stops no later answer", func(t *testing.T) {
			w := b.within(t)
			conversation := w.newConversation(token, "")
			w.checkAnswer(w.call("POST", chatPath, asking(written(conversation)), bearer(token)), 200, 0)
			first := w.call("POST", stopPath(conversation), "", bearer(token), keyed("stop"))
			w.checkEnding(first, conversation, "complete")
			gate := llmtest.NewGate()
			upstream.Answers(heldBy(gate))
			client := w.dial()
			client.write(request("POST", streamPath, token, asking(written(conversation))))
			w.comes("the model waits", gate.Reached())
			again := w.call("POST", stopPath(conversation), "", bearer(token), keyed("stop"))
			if again.body != first.body {
				t.Errorf("first it was %s and then %s", first.body, again.body)
			}
			w.checkAnswer(w.call("POST", stopPath(conversation), "{}", bearer(token), keyed("stop")), 409, 6)
			gate.Release()
			if s := w.story(client.events()); s.text != "At seven." {
				t.Errorf("the later answer was %+v", s)
			}
			upstream.Always(llmtest.Reply{Pieces: []string{"At seven."}})
		})
		b.play(
			scenario{name: "a stop of no conversation is refused", path: conversationsPath + "/abc/stop", headers: as(token), status: 404, code: 3},
			scenario{name: "a stop of somebody else's is refused", path: stopPath(b.newConversation(b.rival.token, "")), headers: as(token), status: 404, code: 3},
			scenario{name: "a stop with a body that is no object is refused", path: stopPath(b.newConversation(token, "")), body: "[]", headers: as(token), status: 400, code: 4},
			scenario{name: "a stop with a bad key is refused", path: stopPath(b.newConversation(token, "")), headers: []header{bearer(token), keyed(strings.Repeat("x", 256))}, status: 400, code: 4},
		)
	})
}

// heldBy answers questions when a gate opens.
func heldBy(gate *llmtest.Gate) func([]byte) llmtest.Reply {
	return func([]byte) llmtest.Reply {
		return llmtest.Reply{Pieces: []string{"At seven."}, Hold: gate, HoldAt: llmtest.BeforeFirstPiece}
	}
}

func TestStopOnAnotherServer(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t)
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	on := func(c *app.Config) { c.DatabaseURL = url }
	here, there := start(t, withModel(upstream), on), start(t, withModel(upstream), on)
	tn := here.newTenant("baker", plan.Standard, opening)
	for _, s := range stopping {
		t.Run(s.name+" is stopped by the other server", func(t *testing.T) {
			stopsStream(here.within(t), there.within(t), upstream, tn, s.body, s.tail)
		})
	}
}
