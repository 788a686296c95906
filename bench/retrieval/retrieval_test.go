package retrieval

import (
	"context"
	"io"
	"slices"
	"testing"
	"time"

	"parley/internal/weaviatetest"
)

func TestRun(t *testing.T) {
	server := weaviatetest.New(t)
	small := Sizes{Passages: 90, Chatbots: 3, Each: 20, Alone: 20}
	dir := t.TempDir()
	results, err := Run(t.Context(), Settings{
		Indexes:  []string{EmbeddedIndex, WeaviateIndex},
		Embedded: small, Weaviate: small, Yardstick: small,
		Duration: 5 * time.Millisecond, Rounds: 2, Server: Server(server),
	}, dir, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("every system is asked in every way, idle and busy", func(t *testing.T) {
		asked := map[string]int{}
		for _, c := range results.Cells {
			asked[c.System]++
			if c.Questions < 2 || c.P50 <= 0 || c.P99 < c.P50 || c.Rate <= 0 {
				t.Errorf("%+v has no figures", c)
			}
			if c.Busy && c.CPU != 0 {
				t.Errorf("%+v counts the processor's time for indexing", c)
			}
		}
		for _, name := range []string{Embedded, FTS5, Weaviate, RawWords, RawMeanings, RawHybrid} {
			if asked[name] != 6 {
				t.Errorf("%s has %d cells", name, asked[name])
			}
		}
	})
	t.Run("all passages go in, and whole documents of them", func(t *testing.T) {
		var got []int
		for _, l := range results.Loads {
			got = append(got, l.Passages)
			if l.Rate <= 0 {
				t.Errorf("%+v has no figures", l)
			}
		}
		// One writer alone, the large chatbot and the many; FTS5 without the first.
		if want := []int{20, 100, 100, 60, 60, 20, 100, 60}; !slices.Equal(got, want) {
			t.Errorf("%v passages, not %v", got, want)
		}
	})
	t.Run("the size of each index is read", func(t *testing.T) {
		if len(results.Indexes) != 6 {
			t.Errorf("%d indexes", len(results.Indexes))
		}
		for _, x := range results.Indexes {
			if x.Bytes <= 0 || (x.System == Weaviate) != (x.Server > 0) {
				t.Errorf("%+v", x)
			}
		}
	})
	t.Run("nothing is left behind", func(t *testing.T) {
		if bytes, err := bytesIn(dir); err != nil || bytes != 0 {
			t.Errorf("%d bytes, %v", bytes, err)
		}
		for _, name := range server.Collections(t) {
			if len(name) > 5 && name[:5] == "Bench" {
				t.Errorf("the collection %s", name)
			}
		}
	})
}

func TestServer(t *testing.T) {
	t.Run("the address is read as the script gives it", func(t *testing.T) {
		got, err := ServerOf("http://127.0.0.1:20000?grpc=20001", "key")
		if want := (Server{"http://127.0.0.1:20000", "127.0.0.1:20001", "key"}); err != nil || got != want || got.port() != "20000" {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("without a server the run fails before it begins", func(t *testing.T) {
		if _, err := ServerOf("", ""); err == nil {
			t.Error("there is a server")
		}
		if _, err := Run(context.Background(), Settings{Indexes: []string{WeaviateIndex}}, t.TempDir(), io.Discard); err == nil {
			t.Error("it ran")
		}
	})
}

func TestChoice(t *testing.T) {
	for _, c := range []choice{One, Any, Some} {
		t.Run("the same chatbots are chosen in every run: "+string(c), func(t *testing.T) {
			a, b := c.chooser(10), c.chooser(10)
			for range 100 {
				if x, y := a(), b(); x != y || x < 0 || x > 9 {
					t.Fatalf("%d and %d", x, y)
				}
			}
		})
	}
	t.Run("some are chosen more often", func(t *testing.T) {
		next, counts := Some.chooser(100), make([]int, 100)
		for range 10_000 {
			counts[next()]++
		}
		if counts[0] < 10*counts[99] {
			t.Errorf("the first %d times, the last %d", counts[0], counts[99])
		}
	})
}

func TestPrepared(t *testing.T) {
	t.Run("no passage is in two chatbots", func(t *testing.T) {
		b := newRun(Settings{}, io.Discard)
		made, err := prepare(t.Context(), b.ports, b.corpus.documents(aboutDocuments, 0, 2))
		if err != nil || len(made) != 2 {
			t.Fatal(len(made), err)
		}
		seen := map[int64]bool{}
		for chatbot := range 3 {
			for _, d := range made {
				for _, e := range d.of(chatbot) {
					if seen[e.PassageID] || len(e.Terms) == 0 || len(e.Vector) == 0 {
						t.Fatalf("passage %d, %d terms, %d numbers", e.PassageID, len(e.Terms), len(e.Vector))
					}
					seen[e.PassageID] = true
				}
			}
		}
		if len(seen) != 3*2*perDocument {
			t.Errorf("%d passages", len(seen))
		}
	})
}
