package knowledge_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/system/grant"
	auditstore "parley/store/audit"
)

// withdraw removes documents as a page does, and returns what undoes it.
func (l *library) withdraw(want int, ids ...string) time.Time {
	l.Helper()
	w, err := l.Selections.Withdraw(l.Context(), home, bot, ids)
	if err != nil || w.Documents != want {
		l.Fatalf("%d of %v were withdrawn, %v; want %d", w.Documents, ids, err, want)
	}
	return w.Until
}

func (l *library) undo(until time.Time) error {
	_, err := l.Selections.Undo(l.Context(), home, bot, until)
	return err
}

func TestUndo(t *testing.T) {
	t.Run("what is withdrawn is out of every answer at once, and back when that is undone", func(t *testing.T) {
		l := newLibrary(t)
		d, rest := l.add("Bread", bread), l.add("Cakes", cakes)
		until := l.withdraw(1, d.ID)
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.clock.advance(knowledge.UndoFor - time.Second)
		l.work()
		l.must(l.undo(until))
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.wantWhole(d.ID)
		l.wantWhole(rest.ID)
		if all, err := l.Removals.List(t.Context(), home, bot); err != nil || len(all) != 0 {
			t.Errorf("the receipts are %+v, %v", all, err)
		}
		l.clock.advance(time.Hour)
		l.work()
		l.wantWhole(d.ID)
		l.wantKind(l.undo(until), fault.Conflict)
	})

	t.Run("after ten seconds it leaves the index, and cannot be undone", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		l.answerFrom(d.ID)
		requested := l.clock.Now()
		until := l.withdraw(1, d.ID)
		l.clock.advance(knowledge.UndoFor)
		l.work()
		l.wantGone(d.ID)
		l.wantReceipt(d.ID, 1)
		if r := l.receipt(d.ID); !r.RequestedAt.Equal(requested) {
			t.Errorf("it was requested at %v", r.RequestedAt)
		}
		l.wantKind(l.undo(until), fault.Conflict)
	})

	t.Run("a removal whose index fails cannot be undone once it has begun", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		until := l.withdraw(1, d.ID)
		l.clock.advance(knowledge.UndoFor)
		l.index.away = true
		l.work()
		l.wantKind(l.undo(until), fault.Conflict)
		l.index.away = false
		l.clock.advance(time.Hour)
		l.work()
		l.wantGone(d.ID)
	})

	t.Run("a process that takes over after a crash removes it, and in time it can still be undone", func(t *testing.T) {
		l := newLibrary(t)
		d, back := l.add("Bread", bread), l.add("Cakes", cakes)
		l.withdraw(1, d.ID)
		l.clock.advance(time.Second)
		until := l.withdraw(1, back.ID)
		l.open()
		l.must(l.undo(until))
		l.clock.advance(knowledge.UndoFor)
		l.must(l.Worker.Sweep(t.Context()))
		if due := l.queue.take(); len(due) != 1 {
			t.Errorf("due is %v", due)
		}
		l.work()
		l.wantGone(d.ID)
		l.wantWhole(back.ID)
	})

	t.Run("Remove leaves nothing to undo, though the document was withdrawn before", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		until := l.withdraw(1, d.ID)
		l.must(l.Documents.Remove(t.Context(), home, bot, d.ID))
		l.wantGone(d.ID)
		l.wantReceipt(d.ID, 0)
		l.wantKind(l.undo(until), fault.Conflict)
	})

	t.Run("a file that waits is withdrawn, comes back, and is read", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", bread)
		until := l.withdraw(1, d.ID)
		l.work()
		l.wantStates(knowledge.Removing)
		l.must(l.undo(until))
		l.work()
		l.wantWhole(d.ID)
	})

	for name, hook := range map[string]func(l *library, do func()){
		"while it is extracted":         func(l *library, do func()) { l.world.extracting = do },
		"before it goes into the index": func(l *library, do func()) { l.index.before = do },
		"after it went into the index":  func(l *library, do func()) { l.index.after = do },
	} {
		t.Run("a file that is withdrawn and brought back "+name+" is whole in the end", func(t *testing.T) {
			l := newLibrary(t)
			d := l.addFile("a.pdf", bread)
			hook(l, func() {
				until := l.withdraw(1, d.ID)
				l.must(l.undo(until))
			})
			l.work()
			l.clock.advance(time.Minute)
			l.work()
			l.wantWhole(d.ID)
			l.wantAnswered("When is rye baked?", "midnight", true)
		})
		t.Run("one that is withdrawn "+name+" and brought back after that, too", func(t *testing.T) {
			l := newLibrary(t)
			d := l.addFile("a.pdf", bread)
			var until time.Time
			hook(l, func() { until = l.withdraw(1, d.ID) })
			l.work()
			l.must(l.undo(until))
			l.clock.advance(time.Minute)
			l.work()
			l.wantWhole(d.ID)
		})
	}

	t.Run("an index that is rebuilt meanwhile holds what comes back", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		var until time.Time
		l.index.filling = func() { until = l.withdraw(1, d.ID) }
		_, err := l.Rebuild(t.Context())
		l.must(err)
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.must(l.undo(until))
		l.wantWhole(d.ID)
		l.wantAnswered("When is rye baked?", "midnight", true)
	})

	t.Run("a page whose address has been removed meanwhile does not come back", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set("https://site/", page{text: bread})
		source := l.pageAt("https://site/", knowledge.Never)
		l.work()
		d := l.at("https://site/")
		until := l.withdraw(1, d.ID)
		l.must(l.Sources.Remove(t.Context(), home, bot, source.ID))
		l.wantKind(l.undo(until), fault.Conflict)
		for range 3 {
			l.clock.advance(time.Minute)
			l.work()
		}
		l.wantGone(d.ID)
		if sources, err := l.Sources.List(t.Context(), home, bot); err != nil || len(sources) != 0 {
			t.Errorf("the sources are %v, %v", sources, err)
		}
	})

	t.Run("a document that was added again meanwhile is not there twice", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		until := l.withdraw(1, d.ID)
		l.add("Bread", bread)
		l.wantKind(l.undo(until), fault.Conflict)
	})

	t.Run("the audit log says who removed and who restored", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		until := l.withdraw(1, d.ID)
		l.must(l.undo(until))
		found, err := auditstore.NewAuditLog(l.db.Store).AuditEntries(t.Context(), grant.Because("a test"), audit.Query{Limit: 2})
		if err != nil || len(found) != 2 || found[0].Action != audit.DocumentRestored || found[1].Action != audit.DocumentRemoved {
			t.Errorf("it says %+v, %v", found, err)
		}
	})

	t.Run("of an undo and the worker one wins, and the index agrees", func(t *testing.T) {
		l := newLibrary(t)
		won := map[bool]int{}
		for i := range 20 {
			d := l.add(fmt.Sprintf("Bread %d", i), bread)
			until := l.withdraw(1, d.ID)
			l.clock.advance(knowledge.UndoFor)
			var undone error
			var both sync.WaitGroup
			both.Go(func() { undone = l.undo(until) })
			both.Go(func() { l.work() })
			both.Wait()
			l.work()
			won[undone == nil]++
			if undone == nil {
				l.wantWhole(d.ID)
			} else {
				l.wantGone(d.ID)
			}
		}
		t.Logf("undone and not: %v", won)
	})
}

func TestReadAgain(t *testing.T) {
	l := newLibrary(t)
	ready, waits := l.add("Bread", bread), l.addFile("a.pdf", cakes)
	l.world.set("https://site/", page{text: bread})
	l.pageAt("https://site/", knowledge.Never)
	removed := l.add("Cakes", cakes)
	l.index.changes()
	l.withdraw(1, removed.ID)
	got, err := l.Selections.ReadAgain(t.Context(), home, bot, []string{ready.ID, waits.ID, removed.ID, "doc_unknown"})
	if err != nil || got != (knowledge.Reading{Started: 1, Skipped: 2, Unknown: 1}) {
		t.Fatalf("got %+v, %v", got, err)
	}
	l.work()
	l.wantWhole(ready.ID)
	found := l.at("https://site/")
	l.world.set("https://site/", page{text: cakes})
	got, err = l.Selections.ReadAgain(t.Context(), home, bot, []string{found.ID})
	if err != nil || got.Started != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	l.work()
	l.wantWhole(found.ID)
	l.wantAnswered("When is the plum cake baked?", "Sundays", true)
	_, err = l.Selections.ReadAgain(t.Context(), home, bot, make([]string, knowledge.MostAtOnce+1))
	l.wantKind(err, fault.Invalid)
	_, err = l.Selections.Withdraw(t.Context(), home, bot, make([]string, knowledge.MostAtOnce+1))
	l.wantKind(err, fault.Invalid)
}
