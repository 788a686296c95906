package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app/config"
)

func TestServersWithDifferentIndexes(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, open func(Config) *Program) {
		p := open(Config{})
		start := p.now()
		mark := func(config Config) {
			other := *p
			other.Config = &config
			must(t, other.markIndex(t.Context(), start))
		}
		want := func(t *testing.T, since time.Time, others ...string) {
			t.Helper()
			got, err := p.otherIndexes(t.Context(), since)
			if err != nil || !slices.Equal(got, others) {
				t.Errorf("others use %q, %v", got, err)
			}
		}

		t.Run("servers with the same index differ in nothing", func(t *testing.T) {
			mark(Config{})
			mark(*p.Config)
			want(t, start)
			if d := p.diagnoseIndexes(t.Context()); !d.OK {
				t.Errorf("the doctor says %+v", d)
			}
		})
		t.Run("a server with Weaviate is told apart, and the doctor says what to do", func(t *testing.T) {
			mark(Config{Weaviate: config.Weaviate{WeaviateURL: "http://w1:8080"}})
			mark(Config{Weaviate: config.Weaviate{WeaviateURL: "http://w2:8080"}})
			want(t, start, "Weaviate")
			if d := p.diagnoseIndexes(t.Context()); d.OK || !strings.Contains(d.Detail, "Weaviate") || d.Remedy == "" {
				t.Errorf("the doctor says %+v", d)
			}
		})
		t.Run("so are two with collections of their own", func(t *testing.T) {
			mark(Config{Weaviate: config.Weaviate{WeaviateURL: "http://w1:8080", WeaviateName: "Mine"}})
			want(t, start, "Weaviate", "Weaviate Mine")
		})
		t.Run("what was used before does not count", func(t *testing.T) {
			want(t, p.now().Add(time.Minute))
		})
	})
}
