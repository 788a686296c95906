package embedded

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/core/fault"
	"parley/core/retrieval"
	"parley/index/embedded/segment"
	"parley/index/indextest"
)

func TestMemory(t *testing.T) {
	const scopes, limit = 30, 100_000
	index := open(t, filepath.Join(t.TempDir(), "index.db"), Options{Memory: limit})
	for i := range scopes {
		put(t, index, i, "doc", int64(i+1), strings.Repeat(fmt.Sprintf("apples %d ", i), 3000))
	}
	t.Run("the cache stays below the limit, and searches find every chatbot", func(t *testing.T) {
		for range 3 {
			for i := range scopes {
				if hits := found(t, index, i, fmt.Sprint("apples ", i)); len(hits) != 1 || hits[0].PassageID != int64(i+1) {
					t.Fatalf("chatbot %d finds %v", i, hits)
				}
				if index.states.cache.used > limit {
					t.Fatalf("%d bytes are kept", index.states.cache.used)
				}
			}
		}
		if n := index.states.cache.entries.Len(); n < 2 || n >= scopes {
			t.Errorf("%d chatbots are kept", n)
		}
	})
	t.Run("a chatbot that is larger than the limit is kept alone", func(t *testing.T) {
		var texts []string
		for i := range 200 {
			texts = append(texts, strings.Repeat(fmt.Sprintf("pears %d ", i), 500))
		}
		put(t, index, scopes, "large", 1000, texts...)
		for range 2 {
			if hits := found(t, index, scopes, "pears"); len(hits) != 200 {
				t.Fatalf("%d hits", len(hits))
			}
		}
		if index.states.cache.entries.Len() != 1 || index.states.cache.used <= limit {
			t.Errorf("%d chatbots and %d bytes are kept", index.states.cache.entries.Len(), index.states.cache.used)
		}
	})
	t.Run("all chatbots can be searched at once", func(t *testing.T) {
		var group sync.WaitGroup
		for i := range scopes {
			group.Go(func() {
				query := retrieval.IndexQuery{Terms: indextest.Terms("apples"), Limit: 5}
				hits, err := index.Search(t.Context(), scope(i), query)
				if err != nil || len(hits.Lexical) != 1 || hits.Lexical[0].PassageID != int64(i+1) {
					t.Errorf("chatbot %d finds %v, %v", i, hits, err)
				}
			})
		}
		group.Wait()
	})
}

// TestContentIsOurs checks what readContent relies on: the driver does not reuse
// the bytes of a row for other rows.
func TestContentIsOurs(t *testing.T) {
	index := openNew(t)
	index.compactor.close()
	for i := range 20 {
		put(t, index, 1, fmt.Sprint("doc_", i), int64(i+1), strings.Repeat(fmt.Sprintf("apples only%d ", i), 200))
	}
	index.read.SetMaxOpenConns(1)
	read := func() (views []segment.View) {
		for _, p := range segments(t, index)[0] {
			decoded, err := readContent(t.Context(), index.read, p.id)
			if err != nil {
				t.Fatal(err)
			}
			views = append(views, segment.View{Segment: decoded})
		}
		return views
	}
	first := read()
	read()
	for i := range 20 {
		query := retrieval.IndexQuery{Terms: indextest.Terms(fmt.Sprint("only", i)), Limit: 5, OccurrencesOf: 1}
		hits, err := segment.Search(t.Context(), first, query)
		if err != nil || len(hits.Lexical) != 1 || hits.Lexical[0].PassageID != int64(i+1) || hits.Lexical[0].Length != 400 {
			t.Errorf("found %+v, %v", hits, err)
		}
	}
}

func TestDamage(t *testing.T) {
	for sentence, statement := range map[string]string{
		"a changed segment is refused, with instructions to rebuild":   "UPDATE content SET data = CAST(substr(data, 1, 200) || x'ff' || substr(data, 202) AS BLOB)",
		"a truncated segment is refused, with instructions to rebuild": "UPDATE content SET data = substr(data, 1, 100)",
		"a missing segment is refused, with instructions to rebuild":   "DELETE FROM content",
	} {
		t.Run(sentence, func(t *testing.T) {
			index := openNew(t)
			put(t, index, 1, "doc", 1, "apples and some other words, so that there is something to be damaged")
			if err := index.write.change(t.Context(), func() error { return index.write.exec(statement) }); err != nil {
				t.Fatal(err)
			}
			_, err := index.Search(t.Context(), scope(1), retrieval.IndexQuery{Terms: indextest.Terms("apples"), Limit: 1})
			if !fault.Is(err, fault.Upstream) || !strings.Contains(err.Error(), "parley reindex") {
				t.Errorf("got %v", err)
			}
			if err := index.Rebuild(t.Context(), "new", func(ctx context.Context, into retrieval.Filler) error {
				return into.Replace(ctx, scope(1), "doc", indextest.Entries("doc", 1, "apples"))
			}); err != nil {
				t.Fatal(err)
			}
			if len(found(t, index, 1, "apples")) != 1 {
				t.Error("nothing is found in the rebuilt index")
			}
		})
	}
	t.Run("a document in a damaged segment can be replaced", func(t *testing.T) {
		index := openNew(t)
		put(t, index, 1, "doc", 1, "apples")
		if err := index.write.change(t.Context(), func() error { return index.write.exec("UPDATE content SET data = x'00'") }); err != nil {
			t.Fatal(err)
		}
		put(t, index, 1, "doc", 2, "apples")
		if hits := found(t, index, 1, "apples"); !slices.EqualFunc(hits, []int64{2}, func(h retrieval.Hit, id int64) bool { return h.PassageID == id }) {
			t.Errorf("found %v", hits)
		}
	})
}
