package knowledge_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"parley/core/knowledge"
)

const givenUp = "The server stopped while it read this document, 3 times in a row. Split it"

// diesWhile works in a process that dies in a hook. After that, the library belongs to the next
// process.
func (l *library) diesWhile(hook *func(), do func(context.Context) error) {
	l.Helper()
	ctx, kill := context.WithCancelCause(l.Context())
	defer kill(nil)
	m := &mortal{dies: math.MaxInt, kill: kill}
	died := false
	*hook = func() {
		m.mu.Lock()
		m.dies = 0
		m.mu.Unlock()
		died = m.step() != nil
	}
	whole := l.ports
	l.ports.Stores, l.ports.Index = storesOf(mortalStore{l.db, m}), mortalIndex{l.index, m}
	l.open()
	l.ports = whole
	err := do(ctx)
	if !died {
		l.Fatalf("the process lives, %v", err)
	}
	l.open()
	l.clock.advance(time.Minute)
}

func (l *library) workOff(ctx context.Context) error {
	_, err := l.Worker.WorkOff(ctx, home)
	return err
}

func TestAttemptsThatEndTheProcess(t *testing.T) {
	t.Run("a file whose reading ends the process three times is failed, and others are read", func(t *testing.T) {
		l := newLibrary(t)
		poison := l.addFile("poison.pdf", cakes).ID
		for range 3 {
			l.diesWhile(&l.world.extracting, l.workOff)
		}
		good := l.addFile("good.pdf", bread).ID
		l.work()
		l.wantState(poison, knowledge.Failed, givenUp)
		l.wantWhole(good)
		l.must(l.Documents.Retry(t.Context(), home, bot, poison))
		l.work()
		l.wantWhole(poison) // this time the process lives
	})

	t.Run("one that ends it twice is read at last, and begins anew then", func(t *testing.T) {
		l := newLibrary(t)
		id := l.addFile("a.pdf", cakes).ID
		for range 2 {
			l.diesWhile(&l.world.extracting, l.workOff)
		}
		l.work()
		l.wantWhole(id)
		if d := l.get(id); d.Begun != 0 {
			t.Errorf("%d attempts are still counted", d.Begun)
		}
	})

	t.Run("a document whose indexing ends the process three times is failed, and answered from as it was", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set("https://site/", page{text: bread, etag: "1"})
		source := l.pageAt("https://site/", knowledge.Daily)
		l.work()
		l.world.set("https://site/", page{text: cakes, etag: "2"})
		l.must(l.db.RefreshFound(l.Context(), home, source.ID, l.clock.Now()))
		for range 3 {
			l.diesWhile(&l.index.before, l.workOff)
		}
		l.work()
		id := l.at("https://site/").ID
		l.wantState(id, knowledge.Failed, givenUp)
		l.wantAnswered("When is rye baked?", "midnight", true)

		l.must(l.db.RefreshFound(l.Context(), home, source.ID, l.clock.Now()))
		l.world.fetches()
		l.work()
		l.wantState(id, knowledge.Failed, givenUp)
		if n := len(l.world.fetches()); n != 0 {
			t.Errorf("a schedule has it read again, %d times", n)
		}

		_, err := l.Selections.ReadAgain(l.Context(), home, bot, []string{id})
		l.must(err)
		l.work()
		l.wantWhole(id) // since its owner asked for it
	})

	t.Run("a text whose adder waits counts, too", func(t *testing.T) {
		l := newLibrary(t)
		l.diesWhile(&l.index.before, func(ctx context.Context) error {
			_, err := l.Documents.Add(ctx, home, bot, knowledge.NewDocument{Title: "Cakes", Content: cakes})
			return err
		})
		for range 2 {
			l.diesWhile(&l.index.before, l.workOff)
		}
		l.work()
		l.wantState(l.list()[0].ID, knowledge.Failed, givenUp)
	})

	t.Run("a server that stops, however often, uses up none", func(t *testing.T) {
		l := newLibrary(t)
		id := l.addFile("a.pdf", cakes).ID
		for range 5 {
			ctx, stop := context.WithCancelCause(t.Context())
			l.world.extracting = func() { stop(errors.New("the server stops")) }
			_ = l.workOff(ctx)
			if d := l.get(id); d.Begun != 0 {
				t.Errorf("%d attempts are counted", d.Begun)
			}
			l.open()
		}
		l.work()
		l.wantWhole(id)
	})

	t.Run("of the documents that were in work when the process ended, one at a time is worked on", func(t *testing.T) {
		l := newLibrary(t)
		first, second := l.addFile("a.pdf", cakes).ID, l.addFile("b.pdf", bread).ID
		for _, id := range []string{first, second} {
			l.must(l.db.SetBegun(t.Context(), home, id, 0, 1))
		}
		l.world.extracting = func() {
			waits := first
			if l.get(first).Begun == 2 {
				waits = second
			}
			l.must(l.workOff(t.Context()))
			if d := l.get(waits); d.State != knowledge.Pending || d.Begun != 1 {
				t.Errorf("the other one is %s meanwhile, with %d attempts", d.State, d.Begun)
			}
		}
		l.work()
		l.clock.advance(time.Minute)
		l.work()
		l.wantWhole(first)
		l.wantWhole(second)
	})

	t.Run("a site whose addresses end the process is failed, and looked up again when its owner asks", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set("https://site/", page{text: bread})
		source := l.site(knowledge.Rules{MaxPages: 3}, knowledge.Daily)
		for range 3 {
			l.diesWhile(&l.world.discovering, l.workOff)
		}
		l.work()
		if s := l.source(source.ID); s.State != knowledge.SourceFailed || !strings.Contains(s.Reason, "The server stopped") || s.DueAt != nil {
			t.Errorf("it is %s, %q, due %v", s.State, s.Reason, s.DueAt)
		}
		l.must(l.Sources.Sync(t.Context(), home, bot, source.ID))
		ctx, stop := context.WithCancelCause(t.Context())
		l.world.discovering = func() { stop(errors.New("the server stops")) }
		l.world.discovery = errors.New("cut off")
		_ = l.workOff(ctx)
		l.world.discovery = nil
		if s := l.source(source.ID); s.Begun != 0 {
			t.Errorf("a stop counts, %d", s.Begun)
		}
		l.work()
		if s := l.source(source.ID); s.State != knowledge.SourceReady || s.Begun != 0 {
			t.Errorf("it is %s, %q", s.State, s.Reason)
		}
	})

	t.Run("a document that ends the process while the index is repaired is left out", func(t *testing.T) {
		l := newLibrary(t)
		poison, good := l.add("Cakes", cakes).ID, l.add("Bread", bread).ID
		l.must(l.index.Remove(t.Context(), homeScope, poison))
		for range 3 {
			l.diesWhile(&l.index.before, func(ctx context.Context) error {
				_, err := l.Repair(ctx)
				return err
			})
		}
		_, err := l.Repair(t.Context())
		l.must(err)
		l.wantState(poison, knowledge.Failed, givenUp)
		l.wantWhole(good)
		if n, err := l.Repair(t.Context()); err != nil || n != 0 {
			t.Errorf("%d are repaired again, %v", n, err)
		}
	})

	t.Run("a removal is never given up", func(t *testing.T) {
		l := newLibrary(t)
		id := l.add("Cakes", cakes).ID
		l.must(l.db.SetBegun(t.Context(), home, id, 0, 7))
		l.must(l.Documents.Remove(t.Context(), home, bot, id))
		l.work()
		l.wantGone(id)
	})
}
