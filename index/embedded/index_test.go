package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/core/fault"
	"parley/core/retrieval"
	"parley/index/indextest"
	"parley/internal/intx"
)

func open(t testing.TB, path string, options ...Options) *Index {
	t.Helper()
	index, err := Open(path, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return index
}

func openNew(t testing.TB) *Index {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "index.db"))
}

func scope(n int) retrieval.Scope {
	return retrieval.Scope{WorkspaceID: "ws", ChatbotID: fmt.Sprint("cb_", n)}
}

func put(t testing.TB, index *Index, n int, document string, id int64, texts ...string) {
	t.Helper()
	if err := index.Replace(context.Background(), scope(n), document, indextest.Entries(document, id, texts...)); err != nil {
		t.Fatal(err)
	}
}

func found(t testing.TB, index *Index, n int, text string) []retrieval.Hit {
	t.Helper()
	hits, err := index.Search(context.Background(), scope(n), retrieval.IndexQuery{Terms: indextest.Terms(text), Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return hits.Lexical
}

func TestIndex(t *testing.T) {
	indextest.Run(t, func(t *testing.T) retrieval.Index { return openNew(t) })
}

func TestSeveralProcesses(t *testing.T) {
	indextest.RunShared(t, func(t *testing.T) (one, two retrieval.Index) {
		path := filepath.Join(t.TempDir(), "a ?#% name.db")
		return open(t, path), open(t, path)
	})
}

func TestRefuseInTx(t *testing.T) {
	index := indextest.RefuseInTx(openNew(t))
	nothing := func(context.Context, retrieval.Filler) error { return nil }
	t.Run("a call inside a transaction is refused", func(t *testing.T) {
		inside := intx.Mark(t.Context())
		_, searching := index.Search(inside, scope(1), retrieval.IndexQuery{Limit: 1})
		_, counting := index.Count(inside, scope(1), "d")
		_, versioning := index.Version(inside)
		filling := index.Rebuild(t.Context(), "1", func(_ context.Context, into retrieval.Filler) error {
			return into.Replace(inside, scope(1), "d", nil)
		})
		for i, err := range []error{
			searching, counting, versioning, index.Replace(inside, scope(1), "d", nil), index.Remove(inside, scope(1), "d"),
			index.Drop(inside, scope(1)), index.Check(inside), index.Rebuild(inside, "1", nothing), filling,
		} {
			if !errors.Is(err, indextest.ErrInTx) {
				t.Errorf("call %d gave %v", i, err)
			}
		}
	})
	t.Run("a call outside is passed on", func(t *testing.T) {
		if err := errors.Join(index.Check(t.Context()), index.Rebuild(t.Context(), "1", nothing)); err != nil {
			t.Error(err)
		}
	})
}

func TestSearchFailure(t *testing.T) {
	t.Run("a search whose file cannot be opened just now is an Unavailable fault, and works again later", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "volume")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		index := open(t, filepath.Join(dir, "index.db"))
		index.read.SetMaxIdleConns(0) // the next search opens a connection
		if err := os.Rename(dir, dir+" is away"); err != nil {
			t.Fatal(err)
		}
		query := retrieval.IndexQuery{Terms: indextest.Terms("apples"), Limit: 1}
		if _, err := index.Search(t.Context(), scope(1), query); !fault.Is(err, fault.Unavailable) {
			t.Errorf("got %v", err)
		}
		if err := os.Rename(dir+" is away", dir); err != nil {
			t.Fatal(err)
		}
		if _, err := index.Search(t.Context(), scope(1), query); err != nil {
			t.Error(err)
		}
	})
	t.Run("a search that fails is an Upstream fault", func(t *testing.T) {
		index := openNew(t)
		if err := index.read.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := index.Search(t.Context(), scope(1), retrieval.IndexQuery{Terms: indextest.Terms("apples"), Limit: 1})
		if !fault.Is(err, fault.Upstream) {
			t.Errorf("got %v", err)
		}
	})
}
