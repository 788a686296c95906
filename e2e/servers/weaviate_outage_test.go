package servers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/internal/weaviatetest"
)

// handbook is a text of several passages, each with the word rule.
func handbook(number int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "# Handbook %d\n", number)
	for _, topic := range harness.Topics {
		fmt.Fprintf(&text, "\n## Rules for %s\n\n%s\n", topic, strings.Repeat(fmt.Sprintf("The rule for %s of handbook %d is short. ", topic, number), 20))
	}
	return text.String()
}

// addHandbooks adds documents as files, by several people at once.
func addHandbooks(w *harness.Instance, tn harness.Tenant, from, count int) *errgroup.Group {
	adders := &errgroup.Group{}
	adders.SetLimit(4)
	for number := from; number < from+count; number++ {
		adders.Go(func() error {
			file := &knowledge.Upload{Name: fmt.Sprintf("handbook-%d.md", number), Body: []byte(handbook(number))}
			_, err := w.Server.Knowledge.Documents.Add(w.Context(), tn.Workspace, tn.Chatbot, knowledge.NewDocument{File: file})
			return err
		})
	}
	return adders
}

// documentsIn are a chatbot's, in one of the states or in any.
func documentsIn(w *harness.Instance, tn harness.Tenant, states ...knowledge.State) []knowledge.Document {
	w.Helper()
	all, err := w.Server.Knowledge.Documents.List(w.Context(), tn.Workspace, tn.Chatbot)
	w.Must(err)
	return slices.DeleteFunc(all, func(d knowledge.Document) bool { return len(states) > 0 && !slices.Contains(states, d.State) })
}

func TestWeaviateIsKilled(t *testing.T) {
	t.Parallel()
	const before, during = 24, 4
	process := weaviatetest.Start(t)
	w := harness.Start(t, harness.WithWeaviate(process.Server, ""))
	w.Prepared()
	baker := w.NewTenant("baker", plan.Standard)
	id := harness.Written(w.NewConversation(baker.Token, ""))

	adding := addHandbooks(w, baker, 0, before)
	w.Eventually("some documents are ready", func() bool { return len(documentsIn(w, baker, knowledge.Ready)) >= 3 })
	process.Kill()
	w.Must(adding.Wait())
	if n := len(documentsIn(w, baker, knowledge.Ready)); n >= before {
		t.Fatalf("all %d documents were ready before the end of the server", n)
	}
	w.Play(
		harness.Scenario{
			Name: "without Weaviate a question is a 503 that says when to try again", Body: harness.Asking(id), Headers: harness.As(baker.Token), Status: 503, Code: 8,
			Answers: []harness.Header{{Name: "Retry-After", Value: "2"}, {Name: "X-Error-Code", Value: "unavailable"}}, Lacks: []string{process.URL, process.GRPC, "weaviate"},
		},
		harness.Scenario{Name: "so is its stream, before the first byte", Path: harness.StreamPath, Body: harness.Asking(id), Headers: harness.As(baker.Token), Status: 503, Code: 8, Answers: []harness.Header{{Name: "Retry-After", Value: "2"}}},
	)
	w.Run("/readyz, the log and the doctor name the index", func(t *testing.T) {
		w := w.Within(t)
		w.Shows(harness.Fault{Part: "index", Vital: true, Says: "does not answer", Remedy: "Weaviate"}, w.Beside("doctor"))
	})
	w.Run("the doors for OpenAI's clients and for agents say so, too", func(t *testing.T) {
		w := w.Within(t)
		r := w.Call("POST", harness.CompletionsPath, harness.WhenOpenAI, harness.Bearer(baker.Token))
		w.Expect(r, 503)
		if r.Header.Get("Retry-After") != "2" || !strings.Contains(r.Text, `"code":"unavailable"`) {
			t.Errorf("OpenAI's clients get %s, to try again after %q", r.Text, r.Header.Get("Retry-After"))
		}
		_, text, failed := w.UseTool(w.NewAgent(baker.Token), "ask", map[string]any{"question": "What is the rule?"})
		if !failed || !strings.Contains(text, "Try again") || !strings.Contains(text, "(unavailable)") {
			t.Errorf("agents get %q (failed: %t)", text, failed)
		}
	})
	w.Must(addHandbooks(w, baker, before, during).Wait())
	w.Run("documents wait with a reason, and none has failed", func(t *testing.T) {
		w := w.Within(t)
		w.Eventually("one has a reason", func() bool {
			return slices.ContainsFunc(documentsIn(w, baker), func(d knowledge.Document) bool { return d.Reason != "" && d.DueAt != nil })
		})
		if failed := documentsIn(w, baker, knowledge.Failed); len(failed) > 0 {
			t.Errorf("%d have failed: %s", len(failed), failed[0].Reason)
		}
	})
	w.Run("a chatbot with that setting answers without its knowledge", func(t *testing.T) {
		w := w.Within(t)
		may := func(may bool) {
			w.Must(w.Server.Chatbots.Update(t.Context(), baker.Workspace, baker.Chatbot, chatbot.Settings{Name: "Guide", AnswerWithoutKnowledge: may}))
		}
		may(true)
		w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.Asking(id), harness.Bearer(baker.Token)), 200, 0)
		may(false)
	})
	process.Restart(t)
	w.Mended("index")
	w.Run("when it is back all documents become ready, and are found whole", func(t *testing.T) {
		w := w.Within(t)
		w.Eventually("no document waits", func() bool {
			waiting := slices.DeleteFunc(documentsIn(w, baker), func(d knowledge.Document) bool { return d.State.Settled() })
			for _, d := range waiting {
				if d.Waits() { // an owner who does not wait for the next attempt
					_ = w.Server.Knowledge.Documents.Retry(t.Context(), baker.Workspace, baker.Chatbot, d.ID)
				}
			}
			return len(waiting) == 0
		})
		w.WantReady(baker, before+during)
	})
	w.Play(harness.Scenario{Name: "questions are answered again", Body: harness.Asking(id), Headers: harness.As(baker.Token), Status: 200})
}
