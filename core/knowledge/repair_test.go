package knowledge_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"parley/core/knowledge"
	"parley/core/retrieval"
)

func TestRepair(t *testing.T) {
	ctx := t.Context()

	t.Run("an index that lost everything is filled again, an index that holds all is left alone", func(t *testing.T) {
		l := newLibrary(t)
		l.add("Bread", bread)
		l.add("Cakes", cakes)
		l.index.changes()
		l.wantRepaired(0)
		if n := l.index.changes(); n != 0 {
			t.Errorf("it was changed %d times", n)
		}
		l.must(l.Removals.Forget(ctx, home, bot))
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.wantRepaired(2)
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.wantRepaired(0)
	})

	t.Run("a document of which the index holds a part is brought back whole", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Long", long("wort", 4))
		passages, err := l.db.Passages(ctx, home, d.ID, d.Live)
		l.must(err)
		l.must(l.index.Index.Replace(ctx, homeScope, d.ID, []retrieval.Entry{{PassageID: passages[0].ID, DocumentID: d.ID, Terms: []string{"x"}}}))
		l.wantRepaired(1)
		l.wantWhole(d.ID)
	})

	t.Run("a document whose next version failed is held as it was, and left alone then", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(start, page{text: bread})
		source := l.pageAt(start, knowledge.Never)
		l.work()
		d := l.at(start)
		l.world.set(start, page{text: long("wort", 4)})
		l.must(l.Sources.Sync(ctx, home, bot, source.ID))
		l.index.before = func() { l.must(l.Documents.Cancel(ctx, home, bot, d.ID)) }
		l.work()
		l.must(l.Removals.Forget(ctx, home, bot))
		l.wantRepaired(1)
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.wantRepaired(0)
	})

	t.Run("an index of another version is built anew", func(t *testing.T) {
		l := newLibrary(t)
		l.add("Bread", bread)
		l.must(l.index.Rebuild(ctx, "another version", func(context.Context, retrieval.Filler) error { return nil }))
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.wantRepaired(1)
		l.wantAnswered("When is rye baked?", "midnight", true)
		if version, err := l.index.Version(ctx); err != nil || version != retrieval.IndexVersion(l.ports.Embedder) {
			t.Errorf("its version is %q: %v", version, err)
		}
	})

	for name, hook := range map[string]func(*library) *func(){
		"before it goes in": func(l *library) *func() { return &l.index.before },
		"after it went in":  func(l *library) *func() { return &l.index.after },
	} {
		t.Run("a document that changes "+name+" is held as it is then", func(t *testing.T) {
			l := newLibrary(t)
			l.world.set(start, page{text: bread})
			source := l.pageAt(start, knowledge.Never)
			l.work()
			gone := l.add("Gone", "The croissant is sold out.")
			l.must(l.Removals.Forget(ctx, home, bot))
			*hook(l) = func() {
				l.clock.advance(time.Minute)
				l.world.set(start, page{text: cakes})
				l.must(l.Sources.Sync(ctx, home, bot, source.ID))
				l.must(l.Documents.Remove(ctx, home, bot, gone.ID))
				l.work()
			}
			if _, err := l.Repair(ctx); err != nil {
				t.Fatal(err)
			}
			l.wantWhole(l.at(start).ID)
			l.wantGone(gone.ID)
			l.wantAnswered("When is plum cake baked?", "Sundays", true)
			l.wantAnswered("When is rye baked?", "midnight", false)
			l.wantRepaired(0)
		})
	}

	t.Run("an index that was lost is filled where it serves, and not again what is in it", func(t *testing.T) {
		l := newLibrary(t)
		l.add("Bread", bread)
		l.add("Cakes", cakes)
		l.must(l.index.Rebuild(ctx, "", func(context.Context, retrieval.Filler) error { return nil }))
		l.index.changes()
		l.wantRepaired(2)
		if n := l.index.changes(); n != 2 {
			t.Errorf("it was changed %d times", n)
		}
		l.must(l.index.Remove(ctx, homeScope, l.list()[0].ID))
		l.wantRepaired(1)
		l.wantAnswered("When is rye baked?", "midnight", true)
	})

	t.Run("an index that takes nothing is left alone after a few documents", func(t *testing.T) {
		l := newLibrary(t)
		for i := range 10 {
			l.add(fmt.Sprint("Title ", i), fmt.Sprintf("The word is pastry%d.", i))
		}
		l.must(l.Removals.Forget(ctx, home, bot))
		l.index.changes()
		l.index.away = true
		if n, err := l.Repair(ctx); err == nil || n != 0 {
			t.Errorf("%d documents were brought back: %v", n, err)
		}
		if n := l.index.changes(); n > 10+3 {
			t.Errorf("it was changed %d times", n)
		}
		l.index.away = false
		l.wantRepaired(10)
		l.wantAnswered("pastry7", "pastry7", true)
	})

	t.Run("documents that are on their way in or out are left to the work", func(t *testing.T) {
		l := newLibrary(t)
		gone := l.add("Bread", bread)
		l.index.away = true
		l.must(l.Documents.Remove(ctx, home, bot, gone.ID))
		added := l.add("Cakes", cakes)
		l.index.away = false
		l.wantRepaired(0)
		l.clock.advance(time.Minute)
		l.work()
		l.wantWhole(added.ID)
		l.wantGone(gone.ID)
	})
}

// wantMarks fails unless so many rebuilds are marked.
func (l *library) wantMarks(want int) {
	l.Helper()
	marks, err := l.db.Rebuilds(l.Context())
	if err != nil || len(marks) != want {
		l.Errorf("there are the marks %v, want %d: %v", marks, want, err)
	}
}

func TestRebuildThatBreaksOff(t *testing.T) {
	ctx := t.Context()

	// changing has a page with an old and a new text of as many passages, so
	// that counting them tells nothing.
	changing := func(t *testing.T) (l *library, changed, gone, orphan string, change func()) {
		l = newLibrary(t)
		l.world.set(start, page{text: bread})
		source := l.pageAt(start, knowledge.Never)
		l.work()
		gone = l.add("Gone", "The croissant is sold out.").ID
		elsewhere, err := l.Documents.Add(ctx, foreign, other, knowledge.NewDocument{Title: "Elsewhere", Content: bread})
		l.must(err)
		l.clock.advance(day)
		return l, l.at(start).ID, gone, elsewhere.ID, func() {
			l.clock.advance(time.Minute)
			l.world.set(start, page{text: cakes})
			l.must(l.Sources.Sync(ctx, home, bot, source.ID))
			l.must(l.Documents.Remove(ctx, home, bot, gone))
			l.must(l.Removals.Forget(ctx, foreign, other))
			l.must(l.db.DeleteChatbot(ctx, foreign, other))
			l.work()
		}
	}

	t.Run("wherever it does, the next start makes the index hold what the database says", func(t *testing.T) {
		calls := 0
		for died := true; died; {
			calls++
			l, changed, gone, orphan, change := changing(t)
			// Another process works on while this one, which dies, rebuilds.
			l.index.filled = func() {
				dying := l.Rebuilder
				l.open()
				change()
				l.Rebuilder = dying
			}
			died = l.dyingIn(calls, func(ctx context.Context) error {
				_, err := l.Rebuild(ctx)
				return err
			})
			if l.index.filled != nil { // it died before
				l.index.filled = nil
				change()
			}
			_, err := l.Repair(ctx)
			l.must(err)
			l.wantWhole(changed)
			l.wantGone(gone)
			if n, err := l.index.Count(ctx, retrieval.Scope{WorkspaceID: foreign, ChatbotID: other}, orphan); err != nil || n != 0 {
				t.Errorf("%d passages of a deleted chatbot are in the index: %v", n, err)
			}
			l.wantAnswered("When is plum cake baked?", "Sundays", true)
			l.wantAnswered("When is rye baked?", "midnight", false)
			l.wantAnswered("croissant", "sold out", false)
			if t.Failed() {
				t.Fatalf("dead at call %d", calls)
			}
		}
		if calls < 8 {
			t.Errorf("there were only %d calls to die at", calls)
		}
	})

	t.Run("one that ends, or fails before the switch, leaves no mark", func(t *testing.T) {
		l := newLibrary(t)
		l.add("Bread", bread)
		l.wantRebuilt(1)
		l.wantMarks(0)
		canceled, cancel := context.WithCancel(ctx)
		l.index.filling = cancel
		if _, err := l.Rebuild(canceled); err == nil {
			t.Error("it did not fail")
		}
		l.wantMarks(0)
	})

	t.Run("another process catches up as well, now and then, and forgets it after a day", func(t *testing.T) {
		l, changed, _, _, change := changing(t)
		_, err := l.db.BeginRebuild(ctx, l.clock.Now())
		l.must(err)
		old, err := l.db.Passages(ctx, home, changed, 1)
		l.must(err)
		change()
		lose := func() { // what the process that died left in the index
			l.must(l.index.Index.Replace(ctx, homeScope, changed, []retrieval.Entry{
				{PassageID: old[0].ID, DocumentID: changed, Terms: []string{"rye"}},
			}))
			l.wantAnswered("When is plum cake baked?", "Sundays", false)
		}
		for _, c := range []struct {
			after  time.Duration
			caught bool
		}{{4 * time.Minute, true}, {4 * time.Minute, false}, {time.Hour, true}, {50 * time.Minute, false}, {21 * time.Hour, true}} {
			lose()
			l.clock.advance(c.after)
			l.must(l.Watch(ctx))
			l.wantAnswered("When is plum cake baked?", "Sundays", c.caught)
			l.wantMarks(1)
		}
		l.clock.advance(2 * day)
		l.must(l.Watch(ctx))
		l.wantMarks(0)
		lose()
		l.must(l.Watch(ctx))
		l.wantAnswered("When is plum cake baked?", "Sundays", false)
	})
}
