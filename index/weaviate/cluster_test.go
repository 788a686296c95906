package weaviate_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley/core/fault"
	"parley/core/retrieval"
	"parley/index/indextest"
	"parley/index/weaviate"
	"parley/internal/weaviatetest"
)

// openReplicated opens an index that each of three nodes holds whole.
func openReplicated(t testing.TB, server weaviatetest.Server) *weaviate.Index {
	t.Helper()
	index, err := weaviate.Open(t.Context(), weaviate.Config{URL: server.URL, GRPC: server.GRPC, APIKey: server.Key, Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	return index
}

func TestCluster(t *testing.T) {
	t.Parallel()
	cluster := weaviatetest.StartCluster(t)
	index := openReplicated(t, cluster.Server())
	// The index as each node has it: a node that holds a replica answers from it.
	var each []*weaviate.Index
	for _, node := range cluster.Nodes {
		each = append(each, openReplicated(t, node.Server))
	}
	for number := range 3 {
		document, entries := numbered(number)
		if err := index.Replace(t.Context(), home, document, entries); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("every node has what was replaced as soon as that is confirmed", func(t *testing.T) {
		for number := range 3 {
			for _, node := range each {
				wantWhole(t, node, number)
			}
		}
	})

	for victim := range cluster.Nodes {
		t.Run(fmt.Sprintf("while node %d is down, searches go on, changes fail as not available, and nothing confirmed is missing", victim+1), func(t *testing.T) {
			document, entries := numbered(0)
			var searched atomic.Int32
			var group sync.WaitGroup
			stop := make(chan struct{})
			for range 4 {
				group.Go(func() {
					for {
						hits, err := index.Search(t.Context(), home, retrieval.IndexQuery{
							Terms: indextest.Terms(document), Vector: entries[0].Vector,
							Filter: retrieval.Filter{Documents: []string{document}}, Limit: 100,
						})
						if err != nil || len(hits.Lexical) != len(entries) || len(hits.Near) != len(entries) {
							t.Errorf("%d and %d passages are found (%v), want %d", len(hits.Lexical), len(hits.Near), err, len(entries))
						}
						searched.Add(1)
						select {
						case <-stop:
							return
						default:
						}
					}
				})
			}
			before := searched.Load()
			cluster.Nodes[victim].Kill()
			fresh, content := numbered(100 + victim)
			if err := index.Replace(t.Context(), home, fresh, content); !fault.Is(err, fault.Unavailable) {
				t.Errorf("a change gave %v, want a fault of kind Unavailable", err)
			}
			for searched.Load() < before+20 && !t.Failed() {
				time.Sleep(time.Millisecond)
			}
			for number := range 3 {
				for other, node := range each {
					if other != victim {
						wantWhole(t, node, number)
					}
				}
			}
			cluster.Nodes[victim].Restart(t)
			for attempt := 0; ; attempt++ {
				err := index.Replace(t.Context(), home, fresh, content)
				if err == nil {
					break
				}
				if attempt == 20 {
					t.Fatal(err)
				}
			}
			close(stop)
			group.Wait()
			for _, node := range each {
				wantWhole(t, node, 100+victim)
				wantWhole(t, node, 0)
			}
		})
	}

	t.Run("the next write of a document deletes what a failed one left on the other nodes only", func(t *testing.T) {
		document, entries := numbered(2)
		left := passageOf(t, cluster.Nodes[0].Server, document)
		left["id"] = uuid.NewString()
		left["properties"].(map[string]any)["revision"] = "another"
		if err := index.Remove(t.Context(), home, document); err != nil {
			t.Fatal(err)
		}
		cluster.Nodes[2].Kill()
		// As a write of the document does that fails on the third node.
		cluster.Nodes[0].Server.Ask(t, http.MethodPost, "/v1/objects?consistency_level=ONE", left, nil)
		cluster.Nodes[2].Restart(t)
		held := make([]int, len(each))
		for i, node := range each {
			held[i], _ = node.Count(t.Context(), home, document)
		}
		if held[0] != 1 || held[2] != 0 {
			t.Fatalf("the nodes count %d passages, and the first should have one more than the third", held)
		}
		// The third node, whose own replica has nothing to delete, writes it.
		for attempt := 0; ; attempt++ {
			err := each[2].Replace(t.Context(), home, document, entries)
			if err == nil {
				break
			}
			if attempt == 20 {
				t.Fatal(err)
			}
		}
		for _, node := range each {
			wantWhole(t, node, 2)
		}
	})

	t.Run("a removal that is confirmed is one on every node", func(t *testing.T) {
		document, _ := numbered(1)
		if err := index.Remove(t.Context(), home, document); err != nil {
			t.Fatal(err)
		}
		for _, node := range each {
			if held, err := node.Count(t.Context(), home, document); err != nil || held != 0 {
				t.Errorf("a node counts %d (%v)", held, err)
			}
		}
	})
}

// passageOf returns an object of a document as the REST interface gives and takes it.
func passageOf(t *testing.T, server weaviatetest.Server, document string) map[string]any {
	t.Helper()
	for _, collection := range server.Collections(t) {
		if !strings.HasPrefix(collection, "Passage") {
			continue // no tenants
		}
		for tenant := range server.Tenants(t, collection) {
			var found struct {
				Objects []map[string]any `json:"objects"`
			}
			server.Ask(t, http.MethodGet, "/v1/objects?limit=100&include=vector&class="+collection+"&tenant="+tenant, nil, &found)
			for _, object := range found.Objects {
				if object["properties"].(map[string]any)["documentId"] == document {
					return map[string]any{"class": collection, "tenant": tenant, "properties": object["properties"], "vector": object["vector"]}
				}
			}
		}
	}
	t.Fatalf("there is no passage of %s", document)
	return nil
}
