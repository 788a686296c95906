package turns

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/chat"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// checkEnding fails unless a stop was answered with this.
func checkEnding(w *harness.Instance, r harness.Reply, conversation int64, status any) {
	w.Helper()
	w.CheckAnswer(r, 200, 0)
	w.CheckFields(r.Data, "conversation_id", "message_id", "status")
	if w.Number(r, "conversation_id") != conversation || r.Data["status"] != status || (status == nil) != (r.Data["message_id"] == nil) {
		w.Errorf("the ending is %s, want %v", r.Text, status)
	}
}

// stopping are streams that are stopped, and the events after their answer.
var stopping = []struct{ name, body, tail string }{
	{"a stream", harness.OpeningQuestion, "[DONE]"},
	{"a stream of plain text", harness.InFormat("plain_text"), `{"type":"formatted","content":"At","format":"plain_text"}` + "\n[DONE]"},
	{"a stream with ids and sources", `{"message":"When does the bakery open?","include":["ids","sources"]}`, "[DONE]"},
}

// stopsStream stops a stream of here there, after one piece.
func stopsStream(here, there *harness.Instance, upstream *llmtest.Server, tn harness.Tenant, body, tail string) {
	here.Helper()
	model := upstream.Request(upstream.Arrived())
	upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
	client := here.Dial()
	client.Send(harness.Request("POST", harness.StreamPath, tn.Token, body))
	stream := harness.MarkedIn(here.T, client.Answer().Body)
	stream.Plain = true
	all := stream.Until("delta")
	conversation := all[0].ConversationID
	checkEnding(there, there.Call("POST", harness.StopPath(conversation), "", harness.Bearer(tn.Token)), conversation, "stopped")
	here.Comes("the model is canceled", model.Canceled())
	stored := waitForAnswer(there, tn, conversation)
	if stored.Status != chat.Stopped || stored.Content != "At" {
		here.Errorf("stored is %+v", stored)
	}
	if got := harness.Gist(append(all, stream.Rest()...)); !strings.Contains(got, "answer: At\n") || !strings.HasSuffix(got, tail) || strings.Contains(got, `"error"`) {
		here.Errorf("the stream was %s", got)
	}
	next := there.Call("POST", harness.ChatPath, harness.Asking(harness.Written(conversation)), harness.Bearer(tn.Token))
	there.CheckAnswer(next, 200, 0)
}

func TestStop(t *testing.T) {
	t.Parallel()
	harness.OnModelAndBothDatabases(t, func(b harness.Bakery, upstream *llmtest.Server) {
		token := b.Baker.Token
		for _, s := range stopping {
			b.Run(s.name+" that is stopped cancels the model, is stored, and ends without an error", func(t *testing.T) {
				stopsStream(b.Within(t), b.Within(t), upstream, b.Baker, s.body, s.tail)
			})
		}
		b.Run("a question that is stopped before the first word has an empty answer, and says so", func(t *testing.T) {
			w := b.Within(t)
			conversation := w.NewConversation(token, "")
			gate := llmtest.NewGate()
			model := upstream.Request(upstream.Arrived())
			upstream.Next(llmtest.Reply{Hold: gate, HoldAt: llmtest.BeforeHeaders})
			client := w.Dial()
			client.Send(harness.Request("POST", harness.ChatPath, token, harness.Asking(harness.Written(conversation))))
			w.Comes("the model waits", gate.Reached())
			checkEnding(w, w.Call("POST", harness.StopPath(conversation), "", harness.Bearer(token)), conversation, "stopped")
			w.Comes("the model is canceled", model.Canceled())
			r := w.Read(client.Answer())
			w.CheckAnswer(r, 200, 0)
			if r.Data["message"] != "" || r.Data["status"] != "stopped" {
				t.Errorf("got %s", r.Text)
			}
		})
		b.Run("what was stopped is replayed as it was, by its key and as a stream, without a model", func(t *testing.T) {
			w := b.Within(t)
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
			body := `{"message":"When does the bakery open?","include":["ids","usage"]}`
			stream := w.Marked("POST", harness.StreamPath, body, harness.Bearer(token), harness.Keyed("stopped"))
			seen := stream.Until("delta")
			conversation := seen[0].ConversationID
			checkEnding(w, w.Call("POST", harness.StopPath(conversation), "", harness.Bearer(token)), conversation, "stopped")
			whole := harness.Gist(append(seen, stream.Rest()...))
			if !strings.Contains(whole, `"status":"stopped"`) {
				t.Errorf("the stream was %s", whole)
			}
			asked := upstream.Arrived()
			for _, again := range []*harness.MarkedEvents{
				w.Marked("POST", harness.StreamPath, body, harness.Bearer(token), harness.Keyed("stopped")), w.Marked("GET", harness.ResumePath(conversation), "", harness.Bearer(token)),
			} {
				if got := harness.Gist(again.Rest()); got != whole {
					t.Errorf("again it is\n%s\nwant\n%s", got, whole)
				}
			}
			if upstream.Arrived() != asked {
				t.Error("the model was asked again")
			}
		})
		b.Run("stopping changes no answer that has ended, and invents none", func(t *testing.T) {
			w := b.Within(t)
			empty := w.NewConversation(token, "")
			checkEnding(w, w.Call("POST", harness.StopPath(empty), "", harness.Bearer(token)), empty, nil)
			w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.Asking(harness.Written(empty)), harness.Bearer(token)), 200, 0)
			for range 2 {
				checkEnding(w, w.Call("POST", harness.StopPath(empty), "{}", harness.Bearer(token)), empty, "complete")
			}
		})
		b.Run("a repeated stop with the same key stops no later answer", func(t *testing.T) {
			w := b.Within(t)
			conversation := w.NewConversation(token, "")
			w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.Asking(harness.Written(conversation)), harness.Bearer(token)), 200, 0)
			first := w.Call("POST", harness.StopPath(conversation), "", harness.Bearer(token), harness.Keyed("stop"))
			checkEnding(w, first, conversation, "complete")
			gate := llmtest.NewGate()
			upstream.Answers(heldBy(gate))
			client := w.Dial()
			client.Send(harness.Request("POST", harness.StreamPath, token, harness.Asking(harness.Written(conversation))))
			w.Comes("the model waits", gate.Reached())
			again := w.Call("POST", harness.StopPath(conversation), "", harness.Bearer(token), harness.Keyed("stop"))
			if again.Text != first.Text {
				t.Errorf("first it was %s and then %s", first.Text, again.Text)
			}
			w.CheckAnswer(w.Call("POST", harness.StopPath(conversation), "{}", harness.Bearer(token), harness.Keyed("stop")), 409, 6)
			gate.Release()
			if s := w.Story(client.Events()); s.Text != "At seven." {
				t.Errorf("the later answer was %+v", s)
			}
			upstream.Always(llmtest.Reply{Pieces: []string{"At seven."}})
		})
		b.Play(
			harness.Scenario{Name: "a stop of no conversation is refused", Path: harness.ConversationsPath + "/abc/stop", Headers: harness.As(token), Status: 404, Code: 3},
			harness.Scenario{Name: "a stop of somebody else's is refused", Path: harness.StopPath(b.NewConversation(b.Rival.Token, "")), Headers: harness.As(token), Status: 404, Code: 3},
			harness.Scenario{Name: "a stop with a body that is no object is refused", Path: harness.StopPath(b.NewConversation(token, "")), Body: "[]", Headers: harness.As(token), Status: 400, Code: 4},
			harness.Scenario{Name: "a stop with a bad key is refused", Path: harness.StopPath(b.NewConversation(token, "")), Headers: []harness.Header{harness.Bearer(token), harness.Keyed(strings.Repeat("x", 256))}, Status: 400, Code: 4},
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
	here, there := harness.Start(t, harness.WithModel(upstream), on), harness.Start(t, harness.WithModel(upstream), on)
	tn := here.NewTenant("baker", plan.Standard, harness.Opening)
	for _, s := range stopping {
		t.Run(s.name+" is stopped by the other server", func(t *testing.T) {
			stopsStream(here.Within(t), there.Within(t), upstream, tn, s.body, s.tail)
		})
	}
}
