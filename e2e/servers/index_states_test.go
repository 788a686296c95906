package servers

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/app"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
	"parley/index/indextest"
)

// gated is an index that is filled as a test admits it, one call at a time.
type gated struct {
	retrieval.Index
	admit chan struct{}
	// documents counts what was filled.
	documents *atomic.Int64
}

func newGated() gated { return gated{admit: make(chan struct{}), documents: &atomic.Int64{}} }

func (g gated) around() app.Options {
	return app.Options{WeakPasswords: true, Index: func(x retrieval.Index) retrieval.Index {
		g.Index = indextest.RefuseInTx(x)
		return g
	}}
}

func (g gated) Fill(ctx context.Context, scope retrieval.Scope, contents []retrieval.Content) error {
	select {
	case <-g.admit:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := g.Index.Fill(ctx, scope, contents)
	if err == nil {
		g.documents.Add(int64(len(contents)))
	}
	return err
}

const manyDocuments = 25_000

func TestIndexBehind(t *testing.T) {
	harness.OnAnyInstallation(t, func(s *harness.Installation) {
		t, as := s.T, func(c *app.Config) { c.DataDir, c.DatabaseURL = s.Dir, s.Database }
		var baker, miller, newcomer harness.Tenant
		t.Run("documents are put into the database, and the index is lost", func(t *testing.T) {
			w := harness.Start(t, as)
			baker, miller = w.NewTenant("baker", plan.Premium, harness.Opening), w.NewTenant("miller", plan.Premium, harness.Opening)
			newcomer = w.NewTenant("newcomer", plan.Premium)
			for _, tn := range []harness.Tenant{baker, miller} { // the miller is asked last
				w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(tn.Token)), 200, 0)
			}
			w.End()
			w.CopyDocuments(baker, manyDocuments-1)
		})
		lost, err := filepath.Glob(filepath.Join(s.Dir, "index.db*"))
		if err != nil || len(lost) == 0 {
			t.Fatalf("the index is %v: %v", lost, err)
		}
		for _, file := range lost {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		total := manyDocuments + 1
		refused := func(w *harness.Instance, tn harness.Tenant) {
			w.Helper()
			conversation := harness.Written(w.NewConversation(tn.Token, ""))
			for path, body := range map[string]string{
				harness.ChatPath: harness.OpeningQuestion, harness.StreamPath: harness.OpeningQuestion,
				harness.CompletionsPath: harness.WhenOpenAI,
			} {
				r := w.Call("POST", path, body, harness.Bearer(tn.Token))
				if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("X-Error-Code") != "index_not_ready" || r.Header.Get("Retry-After") == "" {
					t.Errorf("%s: %d, %s, again after %q: %s", path, r.StatusCode, r.Header.Get("X-Error-Code"), r.Header.Get("Retry-After"), r.Text)
				}
			}
			w.Call("POST", harness.ChatPath, harness.Asking(conversation), harness.Bearer(tn.Token))
			if n := len(w.Messages(tn.Token, conversation, "")); n != 0 {
				t.Errorf("%d messages are stored", n)
			}
		}
		answered := func(w *harness.Instance, tn harness.Tenant) {
			w.Helper()
			w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(tn.Token)), 200, 0)
		}
		var done retrieval.Lag
		t.Run("a server whose index is empty", func(t *testing.T) {
			gate := newGated()
			w := harness.StartBehind(t, gate.around(), as)
			t.Run("asks no chatbot whose documents are not in the index, and one that has none", func(t *testing.T) {
				w := w.Within(t)
				refused(w, baker)
				refused(w, miller)
				answered(w, newcomer)
			})
			t.Run("says how far the index is", func(t *testing.T) {
				w := w.Within(t)
				w.Eventually("the index is compared", func() bool { return w.Server.IndexLag().Known })
				want := fmt.Sprintf(`0 of %d,%03d documents`, total/1000, total%1000)
				w.Eventually("/readyz says "+want, func() bool {
					r := w.Call("GET", "/readyz", "")
					return r.StatusCode == 503 && strings.Contains(r.Text, want)
				})
			})
			t.Run("reads the chatbot first that was asked last, which answers while others are read", func(t *testing.T) {
				w := w.Within(t)
				refused(w, miller)
				for range 3 {
					gate.admit <- struct{}{}
				}
				w.Eventually("the miller answers", func() bool {
					return w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(miller.Token)).StatusCode == 200
				})
				refused(w, baker)
				w.Eventually("some documents of the baker are in the index", func() bool {
					done = w.Server.IndexLag()
					return done.Behind < done.Total-1
				})
			})
		})
		t.Run("a server that is started again goes on where it stopped", func(t *testing.T) {
			gate := newGated()
			w := harness.StartBehind(t, gate.around(), as)
			w.Eventually("the index is compared", func() bool { return w.Server.IndexLag().Known })
			if lag := w.Server.IndexLag(); lag.Total != total || lag.Behind > done.Behind {
				t.Errorf("it lacks %d of %d documents, after %d", lag.Behind, lag.Total, done.Behind)
			}
			answered(w, miller)
			refused(w, baker)
			began := time.Now()
			close(gate.admit)
			for left := w.Server.IndexLag().Behind; left > 0; left = w.Server.IndexLag().Behind {
				w.Eventually("more documents are read", func() bool { return w.Server.IndexLag().Behind < left })
			}
			w.Eventually("the index is whole", func() bool { return w.Call("GET", "/readyz", "").StatusCode == 200 })
			t.Logf("%d documents were read in %v", gate.documents.Load(), time.Since(began))
			if n := int(gate.documents.Load()); n > done.Behind {
				t.Errorf("%d documents were read, of %d that lacked", n, done.Behind)
			}
			answered(w, baker)
		})
		t.Run("an index that holds all is ready without anything being read", func(t *testing.T) {
			w := harness.StartBehind(t, newGated().around(), as)
			w.Eventually("it is ready", func() bool { return w.Call("GET", "/readyz", "").StatusCode == 200 })
			answered(w, baker)
		})
	})
}
