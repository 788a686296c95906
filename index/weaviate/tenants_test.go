package weaviate_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"parley/core/retrieval"
	"parley/index/indextest"
	"parley/internal/weaviatetest"
)

func TestTenants(t *testing.T) {
	t.Parallel()
	server := weaviatetest.New(t)

	t.Run("equal documents of two workspaces never show each other's canary", func(t *testing.T) {
		index := open(t, server, server.Prefix(t))
		const documents = 20
		scopes := []retrieval.Scope{home, {WorkspaceID: "ws_2", ChatbotID: home.ChatbotID}}
		for i, scope := range scopes {
			for n := range documents {
				document := fmt.Sprint("doc_", n)
				texts := []string{fmt.Sprintf("apples and w%d canary%d", n, i), fmt.Sprintf("pears or w%d", n%5)}
				entries := indextest.Entries(document, int64(1000*i+10*n+1), texts...)
				entries[0].Vector = []float32{1, 0}
				if err := index.Replace(t.Context(), scope, document, entries); err != nil {
					t.Fatal(err)
				}
			}
		}
		random := rand.New(rand.NewPCG(1, 2))
		for question := range 1000 {
			i := question % 2
			query := retrieval.IndexQuery{
				Terms: indextest.Terms(fmt.Sprintf("canary%d apples w%d", 1-i, random.IntN(documents))),
				Limit: 1 + random.IntN(50), OccurrencesOf: 1,
			}
			if question%4 == 0 {
				query.Vector = []float32{0, 1}
			}
			if question%3 == 0 {
				query.Filter.Documents = []string{"doc_1", "doc_2"}
			}
			hits, err := index.Search(t.Context(), scopes[i], query)
			if err != nil {
				t.Fatal(err)
			}
			if len(hits.Lexical) == 0 {
				t.Fatalf("%+v found nothing", query)
			}
			for _, hit := range append(hits.Lexical, hits.Near...) {
				if hit.PassageID/1000 != int64(i) {
					t.Fatalf("a search in %v found passage %d of the other workspace", scopes[i], hit.PassageID)
				}
			}
		}
	})

	t.Run("idle tenants are deactivated, and any call activates them", func(t *testing.T) {
		prefix := server.Prefix(t)
		index := open(t, server, prefix)
		status := func() string {
			t.Helper()
			for _, status := range server.Tenants(t, prefix+"Passage_1") {
				return status
			}
			return ""
		}
		rest := func(idle time.Duration, want int) {
			t.Helper()
			if deactivated, err := index.Deactivate(t.Context(), idle); err != nil || deactivated != want {
				t.Errorf("deactivated %d (%v), want %d", deactivated, err, want)
			}
		}
		if err := index.Replace(t.Context(), home, "doc", indextest.Entries("doc", 1, "red apples")); err != nil {
			t.Fatal(err)
		}
		rest(time.Hour, 0)
		for call, do := range map[string]func() error{
			"search": func() error {
				hits, err := index.Search(t.Context(), home, retrieval.IndexQuery{Terms: indextest.Terms("apples"), Limit: 5})
				if err == nil && len(hits.Lexical) != 1 {
					err = fmt.Errorf("found %+v", hits)
				}
				return err
			},
			"count": func() error {
				count, err := index.Count(t.Context(), home, "doc")
				if err == nil && count != 1 {
					err = fmt.Errorf("counted %d", count)
				}
				return err
			},
			"replace": func() error {
				return index.Replace(t.Context(), home, "doc", indextest.Entries("doc", 1, "apples"))
			},
			"remove": func() error { return index.Remove(t.Context(), home, "another") },
		} {
			rest(0, 1)
			if got := status(); got != "COLD" && got != "INACTIVE" {
				t.Errorf("the inactive tenant is %s", got)
			}
			rest(0, 0)
			if err := do(); err != nil {
				t.Errorf("%s in an inactive tenant: %v", call, err)
			}
			if got := status(); got != "HOT" && got != "ACTIVE" {
				t.Errorf("after %s the tenant is %s", call, got)
			}
		}
		// Another process relies on what this one has recorded.
		another := open(t, server, prefix)
		for idle, want := range map[time.Duration]int{time.Hour: 0, 0: 1} {
			if _, err := index.Count(t.Context(), home, "doc"); err != nil {
				t.Error(err)
			}
			if deactivated, err := another.Deactivate(t.Context(), idle); err != nil || deactivated != want {
				t.Errorf("another process deactivated %d (%v), want %d", deactivated, err, want)
			}
		}
	})

	t.Run("a failed rebuild leaves no collection, and the next one removes the old ones", func(t *testing.T) {
		prefix := server.Prefix(t)
		index := open(t, server, prefix)
		own := func() (names []string) {
			for _, name := range server.Collections(t) {
				if strings.HasPrefix(name, prefix) {
					names = append(names, name)
				}
			}
			return names
		}
		if err := index.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := own(); len(got) != 2 {
			t.Fatalf("a new index has the collections %v", got)
		}
		failure := fmt.Errorf("the test's own")
		if err := index.Rebuild(t.Context(), "one", failing(failure)); err == nil {
			t.Error("the failed rebuild returned no error")
		}
		if got := own(); len(got) != 2 {
			t.Errorf("after a failed rebuild there are %v", got)
		}
		if err := index.Rebuild(t.Context(), "two", failing(nil)); err != nil {
			t.Error(err)
		}
		if got := own(); len(got) != 2 || strings.HasSuffix(got[0], "_1") {
			t.Errorf("after a rebuild there are %v", got)
		}
	})
}
