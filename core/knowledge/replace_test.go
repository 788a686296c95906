package knowledge_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"parley/core/knowledge"
	"parley/core/retrieval"
)

func TestReplaceInOneStep(t *testing.T) {
	t.Run("a question sees all of the old page or all of the new one, and never none", func(t *testing.T) {
		const sections, searchers, changes = 4, 2, 12
		l := newLibrary(t)
		// Every section says the name and the number of its version.
		text := func(version int) string {
			var b strings.Builder
			for i := range sections {
				fmt.Fprintf(&b, "## Part %d\n\n%s\n\n", i, strings.Repeat(fmt.Sprintf("The bakery of version%d. ", version), 120))
			}
			return b.String()
		}
		l.world.set(start, page{text: text(0)})
		source := l.pageAt(start, knowledge.Never)
		l.work()
		first := l.at(start)
		if first.Passages < sections {
			t.Fatalf("there are %d passages", first.Passages)
		}

		searched := [searchers]chan struct{}{make(chan struct{}), make(chan struct{})}
		done := make(chan struct{})
		var all sync.WaitGroup
		for s := range searchers {
			all.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					if err := l.oneVersion(first.Passages); err != nil {
						t.Error(err)
					}
					select {
					case searched[s] <- struct{}{}:
					default:
					}
				}
			})
		}
		for version := 1; version <= changes && !t.Failed(); version++ {
			// A whole search lies between two changes.
			for _, s := range searched {
				<-s
				<-s
			}
			l.world.set(start, page{text: text(version)})
			l.must(l.Sources.Sync(t.Context(), home, bot, source.ID))
			l.work()
		}
		close(done)
		all.Wait()
		l.wantAnswered("bakery", fmt.Sprintf("version%d.", changes), true)
		l.wantWhole(first.ID)
	})
}

// oneVersion fails unless a search finds all passages of one version.
func (l *library) oneVersion(passages int) error {
	found, err := l.Search(l.Context(), homeScope, retrieval.Query{Text: "bakery", Limit: 20})
	if err != nil {
		return err
	}
	versions := map[int]int{}
	for _, f := range found {
		versions[f.Version]++
	}
	if len(versions) != 1 || len(found) != passages {
		return fmt.Errorf("found are %v passages by version, want %d of one", versions, passages)
	}
	return nil
}
