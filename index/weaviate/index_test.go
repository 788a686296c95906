package weaviate_test

import (
	"testing"

	"parley/core/retrieval"
	"parley/index/indextest"
	"parley/index/weaviate"
	"parley/internal/weaviatetest"
)

func TestIndex(t *testing.T) {
	t.Parallel()
	server := weaviatetest.New(t)
	indextest.Run(t, func(t *testing.T) retrieval.Index { return open(t, server, server.Prefix(t)) })
	indextest.RunShared(t, func(t *testing.T) (one, two retrieval.Index) {
		prefix := server.Prefix(t)
		return open(t, server, prefix), open(t, server, prefix)
	})
}

func open(t testing.TB, server weaviatetest.Server, prefix string) *weaviate.Index {
	t.Helper()
	index, err := weaviate.Open(t.Context(), weaviate.Config{URL: server.URL, GRPC: server.GRPC, APIKey: server.Key, Prefix: prefix})
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
