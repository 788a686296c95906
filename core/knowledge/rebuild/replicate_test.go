package rebuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"parley/core/knowledge"
	"parley/core/system"
)

// feed is a database's feed, with the bookmark of an index.
type feed struct {
	*world
	changes  []Change
	horizon  int64
	bookmark string
	followed []string
	stuck    string // a document that cannot be followed
}

func (f *feed) ChangesAfter(_ context.Context, _ system.Access, after Position, limit int) (Page, error) {
	page := Page{Horizon: f.horizon}
	for _, c := range f.changes {
		if beyond := cmp.Or(cmp.Compare(c.At.Transaction, after.Transaction), cmp.Compare(c.At.Change, after.Change)); beyond > 0 && len(page.Changes) < limit {
			page.Changes = append(page.Changes, c)
		}
	}
	return page, nil
}

func (f *feed) DeleteChanges(context.Context, system.Access, time.Time) error { return nil }

func (f *feed) Bookmark(context.Context) (string, error) { return f.bookmark, nil }

func (f *feed) SetBookmark(_ context.Context, text string) error {
	f.bookmark = text
	return nil
}

// add adds a change and keeps the feed in order.
func (f *feed) add(transaction, change int64, document string) {
	f.changes = append(f.changes, Change{At: Position{transaction, change}, DocumentID: document, Held: 1})
	slices.SortFunc(f.changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.At.Transaction, b.At.Transaction), cmp.Compare(a.At.Change, b.At.Change))
	})
}

func newFeed(t *testing.T) (*feed, func() *Replicator) {
	t.Helper()
	w, rebuilder := newWorld()
	f := &feed{world: w, horizon: 100}
	rebuilder.Indexer = followed{w, f}
	return f, func() *Replicator {
		return NewReplicator(f, f, rebuilder, func() time.Time { return w.now }, slog.New(slog.DiscardHandler))
	}
}

// followed notes what is followed.
type followed struct {
	*world
	feed *feed
}

func (f followed) Follow(_ context.Context, d knowledge.Document, _ int) error {
	if d.ID == f.feed.stuck {
		return errors.New("not now")
	}
	f.feed.followed = append(f.feed.followed, d.ID)
	return nil
}

func TestFollow(t *testing.T) {
	want := func(t *testing.T, f *feed, replicator *Replicator, documents ...string) {
		t.Helper()
		f.followed = nil
		if err := replicator.CatchUp(t.Context()); err != nil && f.stuck == "" {
			t.Fatal(err)
		}
		if fmt.Sprint(f.followed) != fmt.Sprint(documents) {
			t.Errorf("followed are %v, want %v", f.followed, documents)
		}
	}
	t.Run("an index without a bookmark is rebuilt, and follows from then on", func(t *testing.T) {
		f, open := newFeed(t)
		f.add(99, 1, "old")
		replicator := open()
		want(t, f, replicator)
		if len(f.filled) != 0 || len(f.marks) != 0 || f.bookmark == "" || len(f.asked) != 1 {
			t.Errorf("filled are %v, caught up was %v, the bookmark is %q", f.filled, f.asked, f.bookmark)
		}
		f.add(100, 2, "new")
		f.horizon = 101
		want(t, f, replicator, "new")
		want(t, f, replicator)
	})
	t.Run("an index with a bookmark goes on from there", func(t *testing.T) {
		f, open := newFeed(t)
		want(t, f, open())
		f.add(100, 2, "meanwhile")
		f.horizon = 101
		rebuilt := len(f.asked)
		want(t, f, open(), "meanwhile")
		if len(f.asked) != rebuilt {
			t.Error("it was rebuilt")
		}
	})
	for name, spoil := range map[string]func(*feed){
		"the feed has forgotten":    func(f *feed) { f.now = f.now.Add(changesKept) },
		"is of another database":    func(f *feed) { f.horizon = 3 },
		"makes no sense any longer": func(f *feed) { f.bookmark = "first" },
	} {
		t.Run("an index whose bookmark "+name+" is rebuilt", func(t *testing.T) {
			f, open := newFeed(t)
			want(t, f, open())
			rebuilt := len(f.asked)
			spoil(f)
			want(t, f, open())
			if len(f.asked) != rebuilt+1 {
				t.Error("it was not rebuilt")
			}
		})
	}
	t.Run("while a transaction is open, later changes are followed once, and its own when it ends", func(t *testing.T) {
		f, open := newFeed(t)
		replicator := open()
		want(t, f, replicator)
		f.add(102, 5, "later")
		f.horizon = 101 // transaction 101 is open
		want(t, f, replicator, "later")
		want(t, f, replicator)
		f.add(101, 4, "earlier")
		f.horizon = 103
		want(t, f, replicator, "earlier")
		want(t, f, replicator)
		if len(replicator.applied) != 0 {
			t.Errorf("%v is still kept", replicator.applied)
		}
	})
	t.Run("a document that cannot be followed is tried again, and holds up no other", func(t *testing.T) {
		f, open := newFeed(t)
		replicator := open()
		want(t, f, replicator)
		f.add(100, 2, "stuck")
		f.add(100, 3, "fine")
		f.horizon, f.stuck = 101, "stuck"
		want(t, f, replicator, "fine")
		want(t, f, replicator)
		f.stuck = ""
		want(t, f, replicator, "stuck")
	})
	t.Run("of several changes of a document the last one is followed", func(t *testing.T) {
		f, open := newFeed(t)
		replicator := open()
		want(t, f, replicator)
		f.add(100, 2, "twice")
		f.add(100, 3, "other")
		f.add(100, 4, "twice")
		f.horizon = 101
		want(t, f, replicator, "other", "twice")
	})
	t.Run("a feed of many pages is followed to its end", func(t *testing.T) {
		f, open := newFeed(t)
		replicator := open()
		want(t, f, replicator)
		for i := range int64(2*pageOfFeed + 5) {
			f.add(100, 2+i, fmt.Sprint("doc", i))
		}
		f.horizon = 101
		f.followed = nil
		if err := replicator.CatchUp(t.Context()); err != nil || len(f.followed) != 2*pageOfFeed+5 {
			t.Errorf("%d are followed, %v", len(f.followed), err)
		}
	})
}
