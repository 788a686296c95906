package e2e

import (
	"fmt"
	"strings"
	"testing"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/internal/weaviatetest"
)

// withWeaviate keeps the index on a server.
func withWeaviate(server weaviatetest.Server, prefix string) func(*app.Config) {
	return func(c *app.Config) {
		c.WeaviateURL, c.WeaviateGRPC, c.WeaviateKey, c.WeaviateName = server.URL, server.GRPC, server.Key, prefix
	}
}

// onBothIndexes runs a test on the embedded index and on Weaviate.
func onBothIndexes(t *testing.T, test func(t *testing.T, index func(*app.Config))) {
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, func(*app.Config) {})
	})
	t.Run("weaviate", func(t *testing.T) {
		t.Parallel()
		server := weaviatetest.New(t)
		test(t, withWeaviate(server, server.Prefix(t)))
	})
}

// prepared waits until the index is built for this program: a new one is
// built when the server starts.
func (w *instance) prepared() {
	w.Helper()
	w.eventually("the index is prepared", func() bool {
		current, err := w.server.IndexIsCurrent(w.Context())
		return err == nil && current
	})
}

// replyTo is the answer to a question in a conversation of its own.
func (w *instance) replyTo(tn tenantOf, question string) string {
	w.Helper()
	r := w.call("POST", chatPath, fmt.Sprintf(`{"message":%q}`, question), bearer(tn.token))
	w.checkAnswer(r, 200, 0)
	text, _ := r.Data["message"].(string)
	return text
}

// wantReady fails unless all documents of a chatbot are ready, the index
// counts all of their passages, and a search finds each of them.
func (w *instance) wantReady(tn tenantOf, want int) {
	w.Helper()
	documents := w.settled(tn)
	if len(documents) != want {
		w.Errorf("%d documents, want %d", len(documents), want)
	}
	scope := retrieval.Scope{WorkspaceID: tn.workspace, ChatbotID: tn.chatbot}
	for _, d := range documents {
		if d.State != knowledge.Ready {
			w.Errorf("%s is %s: %s", d.Title, d.State, d.Reason)
			continue
		}
		held, err := w.server.Index.Count(w.Context(), scope, d.ID)
		if err != nil || held != d.Passages || held == 0 {
			w.Errorf("the index counts %d passages of %s (%v), want %d", held, d.Title, err, d.Passages)
		}
		query := retrieval.Query{Text: d.Title, Limit: 100, Filter: retrieval.Filter{Documents: []string{d.ID}}}
		found, err := w.server.Searcher.Search(w.Context(), scope, query)
		if err != nil || len(found) != d.Passages {
			w.Errorf("%d passages of %s are found (%v), want %d", len(found), d.Title, err, d.Passages)
		}
	}
}

func TestKnowledgeOnWeaviate(t *testing.T) {
	server := weaviatetest.New(t)
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start(withWeaviate(server, server.Prefix(t)))
		w.prepared()
		baker := w.newTenant("baker", plan.Standard, opening, "# Parking\n\nThe rule for parking: there are three places behind the house.\n")
		documents := w.settled(baker)
		const question, answer = "Where are places for parking?", "behind the house"
		w.Run("questions are answered from documents", func(t *testing.T) {
			if text := w.within(t).replyTo(baker, question); !strings.Contains(text, answer) {
				t.Errorf("the answer is %q", text)
			}
		})
		gone := documents[1]
		w.must(w.server.Knowledge.Documents.Remove(w.Context(), baker.workspace, baker.chatbot, gone.ID))
		w.Run("a removed document is in no answer, and not in the index", func(t *testing.T) {
			w := w.within(t)
			if text := w.replyTo(baker, question); strings.Contains(text, answer) {
				t.Errorf("the answer is %q", text)
			}
			held, err := w.server.Index.Count(t.Context(), retrieval.Scope{WorkspaceID: baker.workspace, ChatbotID: baker.chatbot}, gone.ID)
			if err != nil || held != 0 {
				t.Errorf("the index counts %d of its passages (%v)", held, err)
			}
		})
		w.Run("its receipt is confirmed, and names the answer that had the document", func(t *testing.T) {
			w := w.within(t)
			w.eventually("the removal is confirmed", func() bool {
				receipts, err := w.server.Knowledge.Removals.List(t.Context(), baker.workspace, baker.chatbot)
				w.must(err)
				return len(receipts) == 1 && receipts[0].DocumentID == gone.ID && receipts[0].ConfirmedAt != nil && receipts[0].Answers == 1
			})
		})
		w.Run("the remaining documents are in answers", func(t *testing.T) {
			if text := w.within(t).replyTo(baker, "When does the bakery open?"); !strings.Contains(text, "seven in the morning") {
				t.Errorf("the answer is %q", text)
			}
		})
	})
}

func TestCanariesOnBothIndexes(t *testing.T) {
	const questions, askers = 1000, 8
	onBothIndexes(t, func(t *testing.T, index func(*app.Config)) {
		w := start(t, index)
		w.prepared()
		holders := []canaryHolder{w.newCanaryHolder("zorblax", "quentrix"), w.newCanaryHolder("quentrix", "zorblax")}
		for _, h := range holders {
			w.settled(h.tenantOf)
		}
		for asker := range askers {
			t.Run(fmt.Sprintf("asker %d reads no canary of another workspace", asker), func(t *testing.T) {
				t.Parallel()
				w := w.within(t)
				for n := asker; n < questions; n += askers {
					h := holders[n/askers%len(holders)]
					text := w.replyTo(h.tenantOf, fmt.Sprintf("What is the rule for %s?", topics[n%len(topics)]))
					if !strings.Contains(text, h.canary) || strings.Contains(text, h.foreign) {
						t.Fatalf("the answer to %s is %q", h.canary, text)
					}
				}
			})
		}
	})
}
