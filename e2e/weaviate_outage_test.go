package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/internal/weaviatetest"
)

// handbook is a text of several passages, each with the word rule.
func handbook(number int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "# Handbook %d\n", number)
	for _, topic := range topics {
		fmt.Fprintf(&text, "\n## Rules for %s\n\n%s\n", topic, strings.Repeat(fmt.Sprintf("The rule for %s of handbook %d is short. ", topic, number), 20))
	}
	return text.String()
}

// addHandbooks adds documents as files, by several people at once.
func (w *instance) addHandbooks(tn tenantOf, from, count int) *errgroup.Group {
	adders := &errgroup.Group{}
	adders.SetLimit(4)
	for number := from; number < from+count; number++ {
		adders.Go(func() error {
			file := &knowledge.Upload{Name: fmt.Sprintf("handbook-%d.md", number), Body: []byte(handbook(number))}
			_, err := w.server.Knowledge.Documents.Add(w.Context(), tn.workspace, tn.chatbot, knowledge.NewDocument{File: file})
			return err
		})
	}
	return adders
}

// documents are a chatbot's, in one of the states or in any.
func (w *instance) documents(tn tenantOf, states ...knowledge.State) []knowledge.Document {
	w.Helper()
	all, err := w.server.Knowledge.Documents.List(w.Context(), tn.workspace, tn.chatbot)
	w.must(err)
	return slices.DeleteFunc(all, func(d knowledge.Document) bool { return len(states) > 0 && !slices.Contains(states, d.State) })
}

func TestWeaviateIsKilled(t *testing.T) {
	t.Parallel()
	const before, during = 24, 4
	process := weaviatetest.Start(t)
	w := start(t, withWeaviate(process.Server, ""))
	w.prepared()
	baker := w.newTenant("baker", plan.Standard)
	id := written(w.newConversation(baker.token, ""))

	adding := w.addHandbooks(baker, 0, before)
	w.eventually("some documents are ready", func() bool { return len(w.documents(baker, knowledge.Ready)) >= 3 })
	process.Kill()
	w.must(adding.Wait())
	if n := len(w.documents(baker, knowledge.Ready)); n >= before {
		t.Fatalf("all %d documents were ready before the end of the server", n)
	}
	w.play(
		scenario{
			name: "without Weaviate a question is a 503 that says when to try again", body: asking(id), headers: as(baker.token), status: 503, code: 8,
			answers: []header{{"Retry-After", "2"}, {"X-Error-Code", "unavailable"}}, lacks: []string{process.URL, process.GRPC, "weaviate"},
		},
		scenario{name: "so is its stream, before the first byte", path: streamPath, body: asking(id), headers: as(baker.token), status: 503, code: 8, answers: []header{{"Retry-After", "2"}}},
	)
	w.Run("the doors for OpenAI's clients and for agents say so, too", func(t *testing.T) {
		w := w.within(t)
		r := w.call("POST", completionsPath, whenOpenAI, bearer(baker.token))
		w.expect(r, 503)
		if r.Header.Get("Retry-After") != "2" || !strings.Contains(r.body, `"code":"unavailable"`) {
			t.Errorf("OpenAI's clients get %s, to try again after %q", r.body, r.Header.Get("Retry-After"))
		}
		_, text, failed := w.use(w.agent(baker.token), "ask", map[string]any{"question": "What is the rule?"})
		if !failed || !strings.Contains(text, "Try again") || !strings.Contains(text, "(unavailable)") {
			t.Errorf("agents get %q (failed: %t)", text, failed)
		}
	})
	w.must(w.addHandbooks(baker, before, during).Wait())
	w.Run("documents wait with a reason, and none has failed", func(t *testing.T) {
		w := w.within(t)
		w.eventually("one has a reason", func() bool {
			return slices.ContainsFunc(w.documents(baker), func(d knowledge.Document) bool { return d.Reason != "" && d.DueAt != nil })
		})
		if failed := w.documents(baker, knowledge.Failed); len(failed) > 0 {
			t.Errorf("%d have failed: %s", len(failed), failed[0].Reason)
		}
	})
	w.Run("a chatbot with that setting answers without its knowledge", func(t *testing.T) {
		w := w.within(t)
		may := func(may bool) {
			w.must(w.server.Chatbots.Update(t.Context(), baker.workspace, baker.chatbot, chatbot.Settings{Name: "Guide", AnswerWithoutKnowledge: may}))
		}
		may(true)
		w.checkAnswer(w.call("POST", chatPath, asking(id), bearer(baker.token)), 200, 0)
		may(false)
	})
	process.Restart(t)
	w.Run("when it is back all documents become ready, and are found whole", func(t *testing.T) {
		w := w.within(t)
		w.eventually("no document waits", func() bool {
			waiting := slices.DeleteFunc(w.documents(baker), func(d knowledge.Document) bool { return d.State.Settled() })
			for _, d := range waiting {
				if d.Attempts > 0 { // an owner who does not wait for the next attempt
					_ = w.server.Knowledge.Documents.Retry(t.Context(), baker.workspace, baker.chatbot, d.ID)
				}
			}
			return len(waiting) == 0
		})
		w.wantReady(baker, before+during)
	})
	w.play(scenario{name: "questions are answered again", body: asking(id), headers: as(baker.token), status: 200})
}
