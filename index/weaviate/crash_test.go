package weaviate_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/retrieval"
	"parley/index/indextest"
	"parley/index/weaviate"
	"parley/internal/weaviatetest"
)

var home = retrieval.Scope{WorkspaceID: "ws_1", ChatbotID: "cb_1"}

const passagesEach = 7

// numbered makes the entries of a document with a word and a vector that no other
// document has.
func numbered(number int) (document string, entries []retrieval.Entry) {
	document = fmt.Sprint("doc_", number)
	for i := range passagesEach {
		angle := float64(number*passagesEach+i) / 1000
		entries = append(entries, retrieval.Entry{
			PassageID: int64(number*passagesEach + i + 1), DocumentID: document,
			Terms:  []string{"common", "words", "words", document},
			Vector: []float32{float32(math.Cos(angle)), float32(math.Sin(angle))},
		})
	}
	return document, entries
}

// wantWhole fails unless the index counts and finds all of a document.
func wantWhole(t *testing.T, index *weaviate.Index, number int) {
	t.Helper()
	document, entries := numbered(number)
	count, err := index.Count(t.Context(), home, document)
	if err != nil || count != len(entries) {
		t.Errorf("%s: count %d (%v), want %d", document, count, err, len(entries))
	}
	hits, err := index.Search(t.Context(), home, retrieval.IndexQuery{
		Terms: indextest.Terms(document), Vector: entries[0].Vector,
		Filter: retrieval.Filter{Documents: []string{document}}, Limit: 100,
	})
	if err != nil || len(hits.Lexical) != len(entries) || len(hits.Near) != len(entries) {
		t.Errorf("%s: %d and %d passages are found (%v), want %d", document, len(hits.Lexical), len(hits.Near), err, len(entries))
	}
}

func TestCrash(t *testing.T) {
	t.Parallel()
	server := weaviatetest.Start(t)
	index := open(t, server.Server, "")

	t.Run("documents that were replaced before the server is killed are there after its restart", func(t *testing.T) {
		const writers, killAfter = 4, 40
		var (
			group sync.WaitGroup
			mutex sync.Mutex
			done  []int
			kill  = make(chan struct{})
		)
		for writer := range writers {
			group.Go(func() {
				for number := writer; ; number += writers {
					document, entries := numbered(number)
					if err := index.Replace(t.Context(), home, document, entries); err != nil {
						if !fault.Is(err, fault.Unavailable) {
							t.Errorf("the end of the server gave %v, want a fault of kind Unavailable", err)
						}
						return
					}
					mutex.Lock()
					if done = append(done, number); len(done) == killAfter {
						close(kill)
					}
					mutex.Unlock()
				}
			})
		}
		<-kill
		server.Kill()
		group.Wait()
		server.Restart(t)

		for _, number := range done {
			wantWhole(t, index, number)
		}
		// Interrupted documents, and some more, can be replaced now.
		last := done[len(done)-1]
		for number := last; number < last+2*writers; number++ {
			document, entries := numbered(number)
			if err := index.Replace(t.Context(), home, document, entries); err != nil {
				t.Fatal(err)
			}
			wantWhole(t, index, number)
		}
	})

	t.Run("without a server every call fails soon, and works again after a restart", func(t *testing.T) {
		document, entries := numbered(1)
		server.Kill()
		began := time.Now()
		_, searching := index.Search(t.Context(), home, retrieval.IndexQuery{Terms: indextest.Terms("common"), Limit: 1})
		_, counting := index.Count(t.Context(), home, document)
		_, versioning := index.Version(t.Context())
		_, resting := index.Deactivate(t.Context(), 0)
		for call, err := range map[string]error{
			"search":  searching,
			"count":   counting,
			"version": versioning,
			"rest":    resting,
			"replace": index.Replace(t.Context(), home, document, entries),
			"remove":  index.Remove(t.Context(), home, document),
			"drop":    index.Drop(t.Context(), home),
			"check":   index.Check(t.Context()),
			"rebuild": index.Rebuild(t.Context(), "new", func(context.Context, retrieval.Filler) error { return nil }),
		} {
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("%s gave %v, want a fault of kind Unavailable", call, err)
			}
		}
		// Nine calls with their retries: far more than they need, and far less than
		// calls that hang.
		if took := time.Since(began); took > time.Minute {
			t.Errorf("the calls took %v", took)
		}
		server.Restart(t)
		wantWhole(t, index, 1)
		if err := index.Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
