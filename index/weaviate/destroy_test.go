package weaviate_test

import (
	"strings"
	"testing"

	"parley/core/fault"
	"parley/index/indextest"
	"parley/internal/weaviatetest"
)

func TestDestroy(t *testing.T) {
	t.Parallel()
	server := weaviatetest.New(t)
	t.Run("an index without a prefix cannot be destroyed", func(t *testing.T) {
		// No server listens here, so a failure of this test destroys nothing.
		index := open(t, weaviatetest.Server{URL: "http://127.0.0.1:1", GRPC: "127.0.0.1:1"}, "")
		if err := index.Destroy(t.Context()); !fault.Is(err, fault.Invalid) {
			t.Errorf("got %v, want a fault of kind Invalid", err)
		}
	})
	for sentence, rebuilt := range map[string]bool{
		"a destroyed index leaves no collection":         false,
		"a destroyed index that was rebuilt leaves none": true,
	} {
		t.Run(sentence, func(t *testing.T) {
			prefix := server.Prefix(t)
			index := open(t, server, prefix)
			if err := index.Replace(t.Context(), home, "doc", indextest.Entries("doc", 1, "apples")); err != nil {
				t.Fatal(err)
			}
			if rebuilt {
				if err := index.Rebuild(t.Context(), "one", failing(nil)); err != nil {
					t.Fatal(err)
				}
			}
			// Destroying a missing index is not an error.
			for range 2 {
				if err := index.Destroy(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, name := range server.Collections(t) {
					if strings.HasPrefix(name, prefix) {
						t.Errorf("%s is left", name)
					}
				}
			}
		})
	}
}
