package servers

import (
	"fmt"
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
	"parley/internal/weaviatetest"
)

func TestKnowledgeOnWeaviate(t *testing.T) {
	server := weaviatetest.New(t)
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start(harness.WithWeaviate(server, server.Prefix(t)))
		w.Prepared()
		baker := w.NewTenant("baker", plan.Standard, harness.Opening, "# Parking\n\nThe rule for parking: there are three places behind the house.\n")
		documents := w.Settled(baker)
		const question, answer = "Where are places for parking?", "behind the house"
		w.Run("questions are answered from documents", func(t *testing.T) {
			if text := w.Within(t).ReplyTo(baker, question); !strings.Contains(text, answer) {
				t.Errorf("the answer is %q", text)
			}
		})
		gone := documents[1]
		w.Must(w.Server.Knowledge.Documents.Remove(w.Context(), baker.Workspace, baker.Chatbot, gone.ID))
		w.Run("a removed document is in no answer, and not in the index", func(t *testing.T) {
			w := w.Within(t)
			if text := w.ReplyTo(baker, question); strings.Contains(text, answer) {
				t.Errorf("the answer is %q", text)
			}
			held, err := w.Server.Index.Count(t.Context(), retrieval.Scope{WorkspaceID: baker.Workspace, ChatbotID: baker.Chatbot}, gone.ID)
			if err != nil || held != 0 {
				t.Errorf("the index counts %d of its passages (%v)", held, err)
			}
		})
		w.Run("its receipt is confirmed, and names the answer that had the document", func(t *testing.T) {
			w := w.Within(t)
			w.Eventually("the removal is confirmed", func() bool {
				receipts, err := w.Server.Knowledge.Removals.List(t.Context(), baker.Workspace, baker.Chatbot)
				w.Must(err)
				return len(receipts) == 1 && receipts[0].DocumentID == gone.ID && receipts[0].ConfirmedAt != nil && receipts[0].Answers == 1
			})
		})
		w.Run("the remaining documents are in answers", func(t *testing.T) {
			if text := w.Within(t).ReplyTo(baker, "When does the bakery open?"); !strings.Contains(text, "seven in the morning") {
				t.Errorf("the answer is %q", text)
			}
		})
	})
}

func TestCanariesOnBothIndexes(t *testing.T) {
	const questions, askers = 1000, 8
	harness.OnBothIndexes(t, func(t *testing.T, index func(*app.Config)) {
		w := harness.Start(t, index)
		w.Prepared()
		holders := []harness.CanaryHolder{w.NewCanaryHolder("zorblax", "quentrix"), w.NewCanaryHolder("quentrix", "zorblax")}
		for _, h := range holders {
			w.Settled(h.Tenant)
		}
		for asker := range askers {
			t.Run(fmt.Sprintf("asker %d reads no canary of another workspace", asker), func(t *testing.T) {
				t.Parallel()
				w := w.Within(t)
				for n := asker; n < questions; n += askers {
					h := holders[n/askers%len(holders)]
					text := w.ReplyTo(h.Tenant, fmt.Sprintf("What is the rule for %s?", harness.Topics[n%len(harness.Topics)]))
					if !strings.Contains(text, h.Canary) || strings.Contains(text, h.Foreign) {
						t.Fatalf("the answer to %s is %q", h.Canary, text)
					}
				}
			})
		}
	})
}
