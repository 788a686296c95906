package rebuild

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"testing"
	"time"

	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/core/system"
)

// world is an index and a database without live documents: what they are asked
// for is what these tests are about. With documents, package knowledge tests it.
type world struct {
	retrieval.Index
	version string
	removed []string // from the index, in order
	filled  []string
	fails   error // the switch to a new index
	// kept is what the index was told to keep when it dropped all else.
	kept []retrieval.Scope

	marks    []Mark
	removals []knowledge.Removal
	asked    []time.Time // since when changes were asked for
	now      time.Time
}

func newWorld() (*world, *Rebuilder) {
	w := &world{version: "1", now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	return w, New(Ports{
		Documents: w, Chatbots: w, Removals: w, Marks: w, Index: w, Indexer: w, Version: "1", Log: slog.New(slog.DiscardHandler),
		Searcher: retrieval.NewSearcher(w, nil, nil, slog.New(slog.DiscardHandler)), Backlog: retrieval.NewBacklog(func() time.Time { return w.now }),
	}, func() time.Time { return w.now })
}

func (w *world) Version(context.Context) (string, error) { return w.version, nil }

func (w *world) Rebuild(ctx context.Context, version string, fill func(context.Context, retrieval.Filler) error) error {
	if err := fill(ctx, nil); err != nil {
		return err
	}
	if w.fails != nil {
		return w.fails
	}
	w.version = version
	return nil
}

func (w *world) Remove(_ context.Context, _ retrieval.Scope, documentID string) error {
	w.removed = append(w.removed, documentID)
	return nil
}

func (w *world) FillAll(_ context.Context, _ retrieval.Filler, documents []knowledge.Document) error {
	for _, d := range documents {
		w.filled = append(w.filled, d.ID)
	}
	return nil
}

func (w *world) FillAlone(ctx context.Context, into retrieval.Filler, d knowledge.Document) error {
	return w.FillAll(ctx, into, []knowledge.Document{d})
}

func (w *world) Restore(_ context.Context, d knowledge.Document) error {
	w.removed = append(w.removed, d.ID) // none of them is there any more
	return nil
}

func (w *world) Follow(context.Context, knowledge.Document, int) error { return nil }

func (w *world) IndexHoldings(ctx context.Context, _ system.Access) ([]Holding, error) {
	return nil, ctx.Err()
}

func (w *world) HeldDocuments(_ context.Context, _, _, _ string, _ int) ([]knowledge.Document, error) {
	return nil, nil
}

func (w *world) Lacking(context.Context, []retrieval.Holding) ([]retrieval.Scope, error) {
	return nil, nil
}

func (w *world) AllChatbots(context.Context, system.Access) iter.Seq2[retrieval.Scope, error] {
	return read([]retrieval.Scope{{WorkspaceID: "ws", ChatbotID: "cb"}}, nil)
}

func (w *world) DropOthers(_ context.Context, kept iter.Seq2[retrieval.Scope, error]) (int, error) {
	w.kept = nil
	for scope, err := range kept {
		if err != nil {
			return 0, err
		}
		w.kept = append(w.kept, scope)
	}
	return 1, nil
}

func (w *world) ChangedDocuments(_ context.Context, _ system.Access, since time.Time) iter.Seq2[knowledge.Document, error] {
	w.asked = append(w.asked, since)
	return read[knowledge.Document](nil, nil)
}

func (w *world) RemovalsSince(context.Context, system.Access, time.Time) iter.Seq2[knowledge.Removal, error] {
	return read(w.removals, nil)
}

// read is a list that ends with an error, if there is one.
func read[Row any](rows []Row, err error) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
		if err != nil {
			var none Row
			yield(none, err)
		}
	}
}

func (w *world) BeginRebuild(_ context.Context, at time.Time) (int, error) {
	w.marks = append(w.marks, Mark{len(w.marks) + 1, at})
	return len(w.marks), nil
}

func (w *world) Rebuilds(context.Context) ([]Mark, error) { return w.marks, nil }

func (w *world) EndRebuild(_ context.Context, id int) error {
	w.marks = slices.DeleteFunc(w.marks, func(m Mark) bool { return m.ID == id })
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRebuild(t *testing.T) {
	t.Run("it catches up with what changed meanwhile, and ends its mark", func(t *testing.T) {
		w, r := newWorld()
		w.removals = []knowledge.Removal{{WorkspaceID: "ws", ChatbotID: "cb", DocumentID: "doc_gone"}}
		count, err := r.Rebuild(t.Context())
		must(t, err)
		if count != 0 || !slices.Equal(w.removed, []string{"doc_gone"}) || !slices.Equal(w.asked, []time.Time{w.now.Add(-overlap)}) || len(w.marks) != 0 || len(w.filled) != 0 {
			t.Errorf("%d are in it, %v were removed, changes were asked for since %v, and the marks are %v", count, w.removed, w.asked, w.marks)
		}
	})
	t.Run("it drops what was filled of chatbots that are gone", func(t *testing.T) {
		w, r := newWorld()
		_, err := r.Rebuild(t.Context())
		must(t, err)
		if !slices.Equal(w.kept, []retrieval.Scope{{WorkspaceID: "ws", ChatbotID: "cb"}}) {
			t.Errorf("the index keeps %v", w.kept)
		}
	})
	t.Run("one that fails before the switch leaves no mark", func(t *testing.T) {
		w, r := newWorld()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.Rebuild(ctx); !errors.Is(err, context.Canceled) || len(w.marks) != 0 {
			t.Errorf("%v, and the marks are %v", err, w.marks)
		}
	})
	t.Run("one that fails at the switch leaves its mark, for whoever catches up", func(t *testing.T) {
		w, r := newWorld()
		w.fails = errors.New("away")
		if _, err := r.Rebuild(t.Context()); !errors.Is(err, w.fails) || len(w.marks) != 1 {
			t.Errorf("%v, and the marks are %v", err, w.marks)
		}
	})
}

func TestWatch(t *testing.T) {
	t.Run("an index of another version is rebuilt", func(t *testing.T) {
		w, r := newWorld()
		w.version = "0"
		must(t, r.Watch(t.Context()))
		if w.version != "1" {
			t.Errorf("the version is %s", w.version)
		}
	})
	t.Run("without marks nothing is asked for", func(t *testing.T) {
		w, r := newWorld()
		must(t, r.Watch(t.Context()))
		if len(w.asked) != 0 {
			t.Errorf("changes were asked for since %v", w.asked)
		}
	})
	t.Run("a mark that was left is caught up for whenever it is twice as old, and ended after a day", func(t *testing.T) {
		w, r := newWorld()
		began := w.now
		w.marks = []Mark{{1, began}}
		var caughtUp []time.Duration
		for ; len(w.marks) > 0; w.now = w.now.Add(time.Hour) {
			before := len(w.asked)
			must(t, r.Watch(t.Context()))
			if len(w.asked) > before {
				caughtUp = append(caughtUp, w.now.Sub(began)/time.Hour)
			}
		}
		if want := []time.Duration{0, 1, 2, 4, 8, 16, 32}; !slices.Equal(caughtUp, want) {
			t.Errorf("after hours %d, want %d", caughtUp, want)
		}
	})
}
