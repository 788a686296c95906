package turn_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/core/chat/turn"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/store"
)

// five finds five passages of the usual size.
type five struct{}

func (five) Search(context.Context, retrieval.Scope, retrieval.Query) ([]retrieval.Result, error) {
	found := make([]retrieval.Result, 5)
	for i := range found {
		found[i].Passage = retrieval.Passage{
			ID: int64(i + 1), DocumentID: fmt.Sprintf("doc_%d", i), Title: "Opening hours", HeadingPath: []string{"Shops", "Hours"},
			Version: 1, Start: 100, End: 1300, ContentHash: strings.Repeat("a", 64),
			Text: strings.Repeat("The bakery opens at seven in the morning, every day but Monday. ", 18),
		}
	}
	return found, nil
}

// BenchmarkTurn is a first question with its answer in 50 pieces, without the
// network and the search.
func BenchmarkTurn(b *testing.B) {
	db, err := store.Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "parley.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := addWorkspace(b.Context(), db, home, plan.Enterprise); err != nil {
		b.Fatal(err)
	}
	words := strings.SplitAfter(strings.Repeat("The bakery opens at seven in the morning. ", 7), " ")
	model := &speaker{pieces: words[:50]}
	s := open(db, five{}, model, func() time.Time { return time.Now().UTC() })
	caller := callerOf(home, plan.Unlimited)
	for _, streamed := range []bool{false, true} {
		b.Run(fmt.Sprintf("streamed %v", streamed), func(b *testing.B) {
			b.ReportAllocs()
			var emit func(turn.Event) error
			if streamed {
				emit = func(turn.Event) error { return nil }
			}
			b.SetParallelism(32) // so that commits are shared
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					asked, err := s.Begin(b.Context(), caller, turn.Ask{Message: "When does the bakery open?"})
					if err != nil {
						b.Fatal(err)
					}
					if _, err := asked.Run(b.Context(), emit); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
