package servers

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
	"parley/internal/weaviatetest"
)

// losing is an index behind the servers' backs.
type losing interface {
	Destroy(ctx context.Context) error
	Drop(ctx context.Context, scope retrieval.Scope) error
	Remove(ctx context.Context, scope retrieval.Scope, documentID string) error
}

// TestWeaviateLosesData takes data away behind the servers' backs. Nobody is told that nothing
// was found, and it comes back by itself.
func TestWeaviateLosesData(t *testing.T) {
	server := weaviatetest.New(t)
	for name, lose := range map[string]func(ctx context.Context, x losing, scope retrieval.Scope, d knowledge.Document) error{
		"its collections": func(ctx context.Context, x losing, _ retrieval.Scope, _ knowledge.Document) error {
			return x.Destroy(ctx)
		},
		"a chatbot": func(ctx context.Context, x losing, scope retrieval.Scope, _ knowledge.Document) error {
			return x.Drop(ctx, scope)
		},
		"a document": func(ctx context.Context, x losing, scope retrieval.Scope, d knowledge.Document) error {
			return x.Remove(ctx, scope, d.ID)
		},
	} {
		t.Run("a Weaviate that loses "+name+" gets it back, and nothing is answered without it", func(t *testing.T) {
			t.Parallel()
			prefix := server.Prefix(t)
			w := harness.Start(t, harness.WithWeaviate(server, prefix))
			w.Prepared()
			baker := w.NewTenant("baker", plan.Standard, harness.Opening)
			documents := w.Settled(baker)
			w.Eventually("the index is known to be whole", func() bool { return w.Server.IndexLag().Known && w.Server.IndexLag().Behind == 0 })
			behind, err := app.OpenWeaviate(t.Context(), w.Server.Config, prefix)
			w.Must(err)
			defer func() { w.Must(behind.Close()) }()
			w.Must(lose(t.Context(), behind, retrieval.Scope{WorkspaceID: baker.Workspace, ChatbotID: baker.Chatbot}, documents[0]))
			refused := 0
			w.Eventually("the document is in answers again", func() bool {
				r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token))
				switch {
				case r.StatusCode == http.StatusServiceUnavailable && r.Header.Get("X-Error-Code") == "index_not_ready":
					refused++
				case r.StatusCode != http.StatusOK || !strings.Contains(r.Text, "seven in the morning"):
					t.Fatalf("%d: %s", r.StatusCode, r.Text)
				}
				return r.StatusCode == http.StatusOK && refused > 0
			})
			w.WantReady(baker, 1)
		})
	}
}

// TestManyDocumentsComeBack says how fast an index is filled from the database.
func TestManyDocumentsComeBack(t *testing.T) {
	const tenants, few, many = 40, 25, 9_000
	harness.OnBothIndexes(t, func(t *testing.T, index func(*app.Config)) {
		w := harness.Start(t, index)
		w.Prepared()
		for i := range tenants {
			copies := few - 1
			if i == 0 {
				copies = many - 1
			}
			w.CopyDocuments(w.NewTenant(fmt.Sprint("baker", i), plan.Standard, harness.Opening), copies)
		}
		began := time.Now()
		n, err := w.Server.Rebuilder.Repair(t.Context())
		w.Must(err)
		took := time.Since(began)
		t.Logf("%d documents in %v: %.0f a second", n, took, float64(n)/took.Seconds())
		if lag := w.Server.IndexLag(); lag.Behind != 0 {
			t.Errorf("%d are still missing", lag.Behind)
		}
	})
}
