package weaviate_test

import (
	"context"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/core/fault"
	"parley/core/retrieval"
	"parley/index/indextest"
	"parley/index/weaviate"
	"parley/internal/weaviatetest"
)

func failing(err error) func(context.Context, retrieval.Filler) error {
	return func(context.Context, retrieval.Filler) error { return err }
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		sentence string
		config   weaviate.Config
		field    string // that is wrong; empty if none is
	}{
		{"a server on this machine needs no key", weaviate.Config{URL: "http://127.0.0.1:8080"}, ""},
		{"localhost is this machine", weaviate.Config{URL: "http://localhost:8080/"}, ""},
		{"a server elsewhere has a key", weaviate.Config{URL: "https://weaviate.example.com", APIKey: "secret", Replicas: 3}, ""},
		{"gRPC may be elsewhere", weaviate.Config{URL: "https://w.example.com", GRPC: "grpc.example.com:443", APIKey: "secret"}, ""},
		{"a server elsewhere without a key is refused", weaviate.Config{URL: "http://weaviate:8080"}, "APIKey"},
		{"a server elsewhere for gRPC alone needs a key, too", weaviate.Config{URL: "http://[::1]:8080", GRPC: "weaviate:50051"}, "APIKey"},
		{"a key with a line break is refused", weaviate.Config{URL: "http://weaviate:8080", APIKey: "secret\n"}, "APIKey"},
		{"a missing URL is refused", weaviate.Config{APIKey: "secret"}, "URL"},
		{"a host alone is not a URL", weaviate.Config{URL: "weaviate:8080", APIKey: "secret"}, "URL"},
		{"another scheme is refused", weaviate.Config{URL: "ftp://weaviate", APIKey: "secret"}, "URL"},
		{"a path is refused", weaviate.Config{URL: "http://weaviate/v1", APIKey: "secret"}, "URL"},
		{"a password in the URL is refused", weaviate.Config{URL: "http://a:b@weaviate", APIKey: "secret"}, "URL"},
		{"gRPC without a port is refused", weaviate.Config{URL: "http://localhost", GRPC: "localhost"}, "GRPC"},
		{"a cluster has several addresses", weaviate.Config{URL: "http://w1:8080, http://w2:8080", GRPC: "w1:50051,w2:50051", APIKey: "secret"}, ""},
		{"the nodes of a cluster have gRPC at its usual port", weaviate.Config{URL: "http://w1:8080,http://w2:8080,http://w3:8080", APIKey: "secret"}, ""},
		{"an empty address among several is refused", weaviate.Config{URL: "http://w1:8080,", APIKey: "secret"}, "URL"},
		{"nodes with and without TLS are refused", weaviate.Config{URL: "http://w1:8080,https://w2:8080", APIKey: "secret"}, "URL"},
		{"fewer addresses for gRPC than nodes are refused", weaviate.Config{URL: "http://w1:8080,http://w2:8080", GRPC: "w1:50051", APIKey: "secret"}, "GRPC"},
		{"one node elsewhere needs a key", weaviate.Config{URL: "http://127.0.0.1:8080,http://w2:8080"}, "APIKey"},
		{"a negative number of replicas is refused", weaviate.Config{URL: "http://localhost", Replicas: -1}, "Replicas"},
		{"an invalid prefix is refused", weaviate.Config{URL: "http://localhost", Prefix: "a b"}, "Prefix"},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			index, err := weaviate.Open(t.Context(), c.config)
			if err == nil {
				if err := index.Close(); err != nil {
					t.Error(err)
				}
			}
			if c.field == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if c.field != "" && (!fault.Is(err, fault.Invalid) || fault.As(err).Field != c.field) {
				t.Errorf("gave %v, want a fault in %s", err, c.field)
			}
		})
	}
}

func TestKey(t *testing.T) {
	server := weaviatetest.New(t)
	server.Key = "wrong"
	index := open(t, server, "Nothing")
	t.Run("a wrong API key fails the check with instructions, and no error shows the key", func(t *testing.T) {
		err := index.Check(t.Context())
		if !fault.Is(err, fault.Upstream) || !strings.Contains(fault.As(err).Message, "API key") {
			t.Errorf("check gave %v", err)
		}
		_, searching := index.Search(t.Context(), home, retrieval.IndexQuery{Terms: indextest.Terms("apples"), Limit: 1})
		replacing := index.Replace(t.Context(), home, "doc", indextest.Entries("doc", 1, "apples"))
		for _, err := range []error{err, searching, replacing} {
			if !fault.Is(err, fault.Upstream) || strings.Contains(err.Error(), "wrong") {
				t.Errorf("gave %v, want a fault of kind Upstream without the key", err)
			}
		}
	})
}

func TestClose(t *testing.T) {
	server := weaviatetest.New(t)
	prefix := server.Prefix(t)
	t.Run("a closed index leaves no goroutine behind", func(t *testing.T) {
		defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
		index, err := weaviate.Open(t.Context(), weaviate.Config{URL: server.URL, GRPC: server.GRPC, APIKey: server.Key, Prefix: prefix})
		if err != nil {
			t.Fatal(err)
		}
		if err := index.Replace(t.Context(), home, "doc", indextest.Entries("doc", 1, "apples")); err != nil {
			t.Error(err)
		}
		if err := index.Close(); err != nil {
			t.Error(err)
		}
		if _, err := index.Search(t.Context(), home, retrieval.IndexQuery{Terms: indextest.Terms("apples"), Limit: 1}); err == nil {
			t.Error("a closed index searches")
		}
	})
}
