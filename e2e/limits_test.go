package e2e

import (
	"net/http"
	"strconv"
	"testing"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/internal/app"
	"parley/llm/llmtest"
)

// turnedAway expects a refusal with a time to come again.
func (w *instance) turnedAway(r reply, status, code int, message string) {
	w.Helper()
	w.refused(r, status, code, message)
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 1 {
		w.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
	}
}

func TestWhatNeverCountsAgainstTheRate(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		w.includes(plan.Standard, func(l *plan.Limits) { l.RequestsPerMinute = 3 })
		tn := w.newTenant("baker", plan.Standard, opening)
		keyed := []header{bearer(tn.token), {"Idempotency-Key", "once"}}
		first := w.call("POST", chatPath, openingQuestion, keyed...)
		w.checkAnswer(first, 200, 0)
		created := w.call("POST", conversationsPath, "", keyed...)
		w.checkAnswer(created, 200, 0)
		conversation := w.number(first, "conversation_id")
		w.messages(tn.token, written(conversation), "")
		w.limited(tn.token)

		for range 5 {
			if r := w.call("POST", chatPath, openingQuestion, keyed...); r.StatusCode != 200 || w.number(r, "message_id") != w.number(first, "message_id") {
				t.Errorf("the key of a question is answered %d: %s", r.StatusCode, r.body)
			}
			if r := w.call("POST", conversationsPath, "", keyed...); r.body != created.body {
				t.Errorf("the key of a conversation is answered %d: %s", r.StatusCode, r.body)
			}
			if r := w.call("POST", conversationsPath+"/"+written(conversation)+"/stop", "", bearer(tn.token)); r.StatusCode != 200 {
				t.Errorf("stopping is answered %d: %s", r.StatusCode, r.body)
			}
			if r := w.call("GET", resumePath(conversation), "", bearer(tn.token)); r.StatusCode != 200 {
				t.Errorf("resuming is answered %d: %s", r.StatusCode, r.body)
			}
		}
		w.turnedAway(w.call("POST", chatPath, openingQuestion, bearer(tn.token), header{"Idempotency-Key", "new"}), 429, 7, "includes 3 requests a minute")
		w.turnedAway(w.call("POST", conversationsPath, "", bearer(tn.token), header{"Idempotency-Key", "new"}), 429, 7, "includes 3 requests a minute")
	})
}

func TestAnswersAtOnce(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	w := start(t, withModel(upstream), onlyTheWatch)
	w.hasNoHurry()
	w.includes(plan.Standard, func(l *plan.Limits) { l.ConcurrentAnswers = 4 }) // three for a token
	tn := w.newTenant("baker", plan.Standard, opening)
	_, second := w.issue(tn, chatbot.NewToken{Name: "second"})
	stranger := w.newTenant("smith", plan.Standard, opening)

	held := func(token, body string) (stream *events, gate *llmtest.Gate) {
		gate = llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		stream = w.stream(body, bearer(token))
		stream.until("delta")
		return stream, gate
	}
	const resumableQuestion = `{"message":"When?","include":["ids"]}`
	var gates []*llmtest.Gate
	release := func() {
		for _, gate := range gates {
			gate.Release()
		}
		gates = nil
	}
	var open []*events
	for range 3 {
		stream, gate := held(tn.token, openingQuestion)
		open, gates = append(open, stream), append(gates, gate)
	}

	t.Run("one token too many answers is refused, before anything is stored or asked", func(t *testing.T) {
		w := w.within(t)
		asked := upstream.Arrived()
		for _, path := range []string{chatPath, streamPath} {
			w.turnedAway(w.call("POST", path, openingQuestion, bearer(tn.token)), 429, 7, "one API token may have 3 answers at once")
			w.turnedAway(w.call("POST", path, openingQuestion, bearer(tn.token), header{"Idempotency-Key", path}), 429, 7, "one API token may have 3 answers at once")
		}
		used, err := w.server.Tenants.Holdings.Usage(t.Context(), tn.workspace)
		w.must(err)
		if used.MessagesPerMonth != 3 || upstream.Arrived() != asked {
			t.Errorf("%d messages are stored, and the model was asked %d times", used.MessagesPerMonth, upstream.Arrived()-asked)
		}
	})
	t.Run("another token of the workspace gets the last slot, and another workspace has all of its own", func(t *testing.T) {
		w := w.within(t)
		stream, gate := held(second, openingQuestion)
		open, gates = append(open, stream), append(gates, gate)
		w.turnedAway(w.call("POST", chatPath, openingQuestion, bearer(second)), 429, 7, "includes 4 answers at once")
		w.checkAnswer(w.call("POST", chatPath, openingQuestion, bearer(stranger.token)), 200, 0)
	})
	t.Run("a slot is free when its answer has ended", func(t *testing.T) {
		w := w.within(t)
		release()
		for _, stream := range open {
			stream.rest()
		}
		w.eventually("a place is free", func() bool {
			return w.call("POST", chatPath, openingQuestion, bearer(tn.token)).StatusCode == http.StatusOK
		})
	})
	t.Run("an answer that goes on without its reader keeps its slot", func(t *testing.T) {
		w := w.within(t)
		for range 3 {
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			client := w.dial()
			client.write(request("POST", streamPath, tn.token, resumableQuestion))
			client.answer()
			w.comes("the model waits", gate.Reached())
			w.must(client.Close())
			gates = append(gates, gate)
		}
		for range 20 {
			w.turnedAway(w.call("POST", chatPath, openingQuestion, bearer(tn.token)), 429, 7, "3 answers at once")
		}
		release()
		w.eventually("a place is free", func() bool {
			return w.call("POST", chatPath, openingQuestion, bearer(tn.token)).StatusCode == http.StatusOK
		})
	})
	t.Run("readers that resume a stream have a limit of their own", func(t *testing.T) {
		w := w.within(t)
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		gates = append(gates, gate)
		conversation := w.marked("POST", streamPath, resumableQuestion, bearer(tn.token)).until("conversation")[0].ConversationID
		w.comes("the model waits", gate.Reached())
		for range 3 {
			reader := w.dial()
			reader.write(request("GET", resumePath(conversation), tn.token, ""))
			reader.answer()
		}
		w.turnedAway(w.call("GET", resumePath(conversation), "", bearer(tn.token)), 429, 7, "3 readers of answers at once")
		w.eventually("a question is answered beside them", func() bool { // the earlier answers may not quite have ended
			return w.call("POST", chatPath, openingQuestion, bearer(tn.token)).StatusCode == http.StatusOK
		})
		release()
		w.eventually("a reader can come back", func() bool {
			return w.call("GET", resumePath(conversation), "", bearer(tn.token)).StatusCode == http.StatusOK
		})
	})
}

func TestAFullProcess(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	w := start(t, withModel(upstream), onlyTheWatch, func(c *app.Config) { c.MaxAnswers = 2 })
	baker, smith := w.newTenant("baker", plan.Enterprise, opening), w.newTenant("smith", plan.Standard, opening)
	var gates []*llmtest.Gate
	for _, token := range []string{baker.token, smith.token} {
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		w.stream(openingQuestion, bearer(token)).until("delta")
		gates = append(gates, gate)
	}
	t.Run("a process with as many answers as it can work on says so at once", func(t *testing.T) {
		w := w.within(t)
		for _, path := range []string{chatPath, streamPath} {
			w.turnedAway(w.call("POST", path, openingQuestion, bearer(baker.token)), 503, 8, "as many answers as it can")
		}
	})
	for _, gate := range gates {
		gate.Release()
	}
	t.Run("and answers again when one has ended", func(t *testing.T) {
		w := w.within(t)
		w.eventually("a question is answered", func() bool {
			return w.call("POST", chatPath, openingQuestion, bearer(smith.token)).StatusCode == http.StatusOK
		})
	})
}
