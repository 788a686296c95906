package harness

import (
	"context"
	"fmt"
	"testing"

	"parley/app"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/internal/weaviatetest"
)

// BrokenIndex is an index that cannot be searched.
type BrokenIndex struct {
	retrieval.Index
	// Panics lets a search panic instead of failing.
	Panics bool
}

// Search fails, or panics.
func (x BrokenIndex) Search(context.Context, retrieval.Scope, retrieval.IndexQuery) (retrieval.Hits, error) {
	if x.Panics {
		panic("a defect of the index, secret-1234")
	}
	return retrieval.Hits{}, fault.New(fault.Upstream, "disk secret-1234 is broken")
}

// Check fails.
func (x BrokenIndex) Check(context.Context) error { return fault.New(fault.Upstream, "secret-1234") }

// WithWeaviate keeps the index on a server.
func WithWeaviate(server weaviatetest.Server, prefix string) func(*app.Config) {
	return func(c *app.Config) {
		c.WeaviateURL, c.WeaviateGRPC, c.WeaviateKey, c.WeaviateName = server.URL, server.GRPC, server.Key, prefix
	}
}

// OnBothIndexes runs a test on the embedded index and on Weaviate.
func OnBothIndexes(t *testing.T, test func(t *testing.T, index func(*app.Config))) {
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, func(*app.Config) {})
	})
	t.Run("weaviate", func(t *testing.T) {
		t.Parallel()
		server := weaviatetest.New(t)
		test(t, WithWeaviate(server, server.Prefix(t)))
	})
}

// Prepared waits until the index is built for this program: a new one is
// built when the server starts.
func (w *Instance) Prepared() {
	w.Helper()
	w.Eventually("the index is prepared", func() bool {
		current, err := w.Server.IndexIsCurrent(w.Context())
		return err == nil && current
	})
}

// ReplyTo is the answer to a question in a conversation of its own.
func (w *Instance) ReplyTo(tn Tenant, question string) string {
	w.Helper()
	r := w.Call("POST", ChatPath, fmt.Sprintf(`{"message":%q}`, question), Bearer(tn.Token))
	w.CheckAnswer(r, 200, 0)
	text, _ := r.Data["message"].(string)
	return text
}

// WantReady fails unless all documents of a chatbot are ready, the index
// counts all of their passages, and a search finds each of them.
func (w *Instance) WantReady(tn Tenant, want int) {
	w.Helper()
	documents := w.Settled(tn)
	if len(documents) != want {
		w.Errorf("%d documents, want %d", len(documents), want)
	}
	scope := retrieval.Scope{WorkspaceID: tn.Workspace, ChatbotID: tn.Chatbot}
	for _, d := range documents {
		if d.State != knowledge.Ready {
			w.Errorf("%s is %s: %s", d.Title, d.State, d.Reason)
			continue
		}
		held, err := w.Server.Index.Count(w.Context(), scope, d.ID)
		if err != nil || held != d.Passages || held == 0 {
			w.Errorf("the index counts %d passages of %s (%v), want %d", held, d.Title, err, d.Passages)
		}
		query := retrieval.Query{Text: d.Title, Limit: 100, Filter: retrieval.Filter{Documents: []string{d.ID}}}
		found, err := w.Server.Searcher.Search(w.Context(), scope, query)
		if err != nil || len(found) != d.Passages {
			w.Errorf("%d passages of %s are found (%v), want %d", len(found), d.Title, err, d.Passages)
		}
	}
}
