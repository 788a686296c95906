package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/index/indextest"
	"parley/internal/intx"
)

func open(t testing.TB, path string) *Index {
	t.Helper()
	index, err := Open(path)
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

func TestIndex(t *testing.T) {
	indextest.Run(t, func(t *testing.T) knowledge.Index {
		return open(t, filepath.Join(t.TempDir(), "index.db"))
	})
}

func TestRefuseInTx(t *testing.T) {
	index := indextest.RefuseInTx(open(t, filepath.Join(t.TempDir(), "index.db")))
	t.Run("a call inside a transaction is refused", func(t *testing.T) {
		inside := intx.Mark(t.Context())
		_, searching := index.Search(inside, scope(1), knowledge.Query{Text: "a", Limit: 1})
		_, counting := index.Count(inside, scope(1), "d")
		for i, err := range []error{
			searching, counting, index.Replace(inside, scope(1), "d", nil), index.Remove(inside, scope(1), "d"),
			index.Drop(inside, scope(1)), index.Check(inside),
		} {
			if !errors.Is(err, indextest.ErrInTx) {
				t.Errorf("call %d gave %v", i, err)
			}
		}
	})
	t.Run("a call outside is passed on", func(t *testing.T) {
		if err := index.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func scope(n int) knowledge.Scope {
	return knowledge.Scope{WorkspaceID: "ws", ChatbotID: fmt.Sprint("cb_", n)}
}

func put(t testing.TB, index *Index, n int, id int64, text string) {
	t.Helper()
	list := []knowledge.Passage{{ID: id, DocumentID: "d", Text: text}}
	if err := index.Replace(context.Background(), scope(n), "d", list); err != nil {
		t.Fatal(err)
	}
}

func found(t testing.TB, index *Index, n int, text string) []knowledge.Hit {
	t.Helper()
	hits, err := index.Search(context.Background(), scope(n), knowledge.Query{Text: text, Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

func TestSeveralProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a ?#% name.db")
	server, tool := open(t, path), open(t, path)
	t.Run("what one writes the other finds", func(t *testing.T) {
		put(t, server, 1, 1, "apples")
		if len(found(t, tool, 1, "apples")) != 1 {
			t.Error("nothing found")
		}
	})
	t.Run("a prepared search survives the other's drop", func(t *testing.T) {
		if err := server.Drop(t.Context(), scope(1)); err != nil {
			t.Fatal(err)
		}
		if hits := found(t, tool, 1, "apples"); len(hits) != 0 {
			t.Errorf("found %v", hits)
		}
	})
	t.Run("a prepared search survives a drop and a new start", func(t *testing.T) {
		put(t, server, 2, 2, "apples")
		found(t, tool, 2, "apples")
		if err := server.Drop(t.Context(), scope(2)); err != nil {
			t.Fatal(err)
		}
		put(t, server, 2, 3, "apples")
		if hits := found(t, tool, 2, "apples"); len(hits) != 1 || hits[0].PassageID != 3 {
			t.Errorf("found %v, want passage 3", hits)
		}
	})
	t.Run("writers wait for each other", func(t *testing.T) {
		failures := make(chan error, 40)
		for i := range 20 {
			for j, index := range []*Index{server, tool} {
				go func() {
					id := int64(1000 + 2*i + j)
					list := []knowledge.Passage{{ID: id, DocumentID: fmt.Sprint(id), Text: "pears"}}
					failures <- index.Replace(t.Context(), scope(3), list[0].DocumentID, list)
				}()
			}
		}
		for range cap(failures) {
			if err := <-failures; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestStatementsAreBounded(t *testing.T) {
	index := open(t, filepath.Join(t.TempDir(), "index.db"))
	const few = 8
	index.cache.max = few
	for i := range 2 * few {
		put(t, index, i, int64(i+1), "apples")
		if len(found(t, index, i, "apples")) != 1 {
			t.Fatalf("chatbot %d finds nothing", i)
		}
	}
	if n := len(index.cache.entries); n != few || index.cache.recent.Len() != n {
		t.Errorf("%d statements are kept, want %d", n, few)
	}
	if len(found(t, index, 0, "apples")) != 1 {
		t.Error("an evicted chatbot finds nothing")
	}
}

func TestOpen(t *testing.T) {
	t.Run("a damaged file is refused with the way to rebuild it", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "index.db")
		if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		wantRebuild(t, path)
	})
	t.Run("a file of another version is refused with the way to rebuild it", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "index.db")
		index := open(t, path)
		if _, err := index.write.Exec("PRAGMA user_version = 99"); err != nil {
			t.Fatal(err)
		}
		wantRebuild(t, path)
	})
	t.Run("a missing directory is an error", func(t *testing.T) {
		if _, err := Open(filepath.Join(t.TempDir(), "no", "index.db")); err == nil {
			t.Error("opened")
		}
	})
	t.Run("the file is its owner's only, and content survives reopening", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "index.db")
		first, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		put(t, first, 1, 1, "apples")
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		if len(found(t, open(t, path), 1, "apples")) != 1 {
			t.Error("nothing found")
		}
	})
}

func wantRebuild(t *testing.T, path string) {
	t.Helper()
	_, err := Open(path)
	if err == nil || !strings.Contains(err.Error(), "parley knowledge reindex") {
		t.Errorf("error %v does not say how to rebuild", err)
	}
}

func TestSearchFailure(t *testing.T) {
	t.Run("a search that fails is an Upstream fault", func(t *testing.T) {
		index := open(t, filepath.Join(t.TempDir(), "index.db"))
		if err := index.read.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := index.Search(t.Context(), scope(1), knowledge.Query{Text: "apples", Limit: 1})
		if !fault.Is(err, fault.Upstream) {
			t.Errorf("got %v", err)
		}
	})
}

func TestText(t *testing.T) {
	index := open(t, filepath.Join(t.TempDir(), "index.db"))
	put(t, index, 1, 1, "See [the **Größe** guide](https://cdn.example/archive) and 東京の天気は晴れ.")
	for question, want := range map[string]int{
		"größe": 1, "große": 1, "guides": 1, "guiding": 1, "archive": 0, "天気": 1, "大阪": 0,
	} {
		t.Run(question, func(t *testing.T) {
			if got := len(found(t, index, 1, question)); got != want {
				t.Errorf("%d hits, want %d", got, want)
			}
		})
	}
}

func TestAnyTextIsAQuestion(t *testing.T) {
	index := open(t, filepath.Join(t.TempDir(), "index.db"))
	put(t, index, 1, 1, "apples")
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom(indextest.Hostile),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(raw []byte) string { return string(raw) }))
	rapid.Check(t, func(t *rapid.T) {
		query := knowledge.Query{Text: text.Draw(t, "text"), Context: []string{text.Draw(t, "earlier")}, Limit: 3}
		if _, err := index.Search(context.Background(), scope(1), query); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzSearch(f *testing.F) {
	for _, text := range indextest.Hostile {
		f.Add(text)
	}
	index := open(f, filepath.Join(f.TempDir(), "index.db"))
	put(f, index, 1, 1, "apples")
	f.Fuzz(func(t *testing.T, text string) {
		m := buildMatches(text, []string{text, "other"})
		if n := strings.Count(m.question, " OR "); n >= maxTerms {
			t.Errorf("%d terms", n+1)
		}
		if utf8.ValidString(text) && !utf8.ValidString(m.question) {
			t.Errorf("%q is not valid", m.question)
		}
		found(t, index, 1, text)
	})
}

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"How do I reset the Password?": "reset password",
		"what is it":                   "what is it",
		"plan PLAN plan-b":             "plan b",
		"":                             "",
	} {
		if got := strings.Join(terms(text), " "); got != want {
			t.Errorf("terms of %q = %q, want %q", text, got, want)
		}
	}
	t.Run("of many terms the first and the last are kept", func(t *testing.T) {
		var words []string
		for i := range 1000 {
			words = append(words, fmt.Sprint("w", i))
		}
		got := terms(strings.Join(words, " "))
		if len(got) != maxTerms || got[0] != "w0" || got[maxTerms-1] != "w999" {
			t.Errorf("got %v", got)
		}
	})
}
