package knowledge_test

import (
	"strings"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
)

func TestSync(t *testing.T) {
	ctx := t.Context()

	t.Run("a page is read again by its schedule", func(t *testing.T) {
		for schedule, every := range map[knowledge.Schedule]time.Duration{knowledge.Daily: day, knowledge.Weekly: 7 * day} {
			l := newLibrary(t)
			l.world.set(start, page{text: bread})
			l.pageAt(start, schedule)
			l.work()
			l.world.set(start, page{text: cakes})
			l.queue.take()
			l.clock.advance(every - time.Second)
			l.work()
			l.wantAnswered("When is plum cake baked?", "Sundays", false)
			l.clock.advance(time.Second)
			l.must(l.Worker.Sweep(ctx))
			if got := l.queue.take(); len(got) != 1 {
				t.Errorf("enqueued is %v", got)
			}
			l.work()
			l.wantAnswered("When is plum cake baked?", "Sundays", true)
			l.wantAnswered("When is rye baked?", "midnight", false)
			l.wantWhole(l.at(start).ID)
		}
	})

	t.Run("what is unchanged is not indexed again, whether the server says so or its text is the same", func(t *testing.T) {
		for _, etag := range []string{"1", ""} {
			l := newLibrary(t)
			l.world.set(start, page{text: bread, title: "Bread", etag: etag})
			source := l.pageAt(start, knowledge.Never)
			l.work()
			before := l.at(start)
			l.index.changes()
			l.world.fetches()
			l.clock.advance(day)
			l.must(l.Sources.Sync(ctx, home, bot, source.ID))
			l.work()
			if n := l.index.changes(); n != 0 {
				t.Errorf("the index was changed %d times", n)
			}
			if asked := l.world.fetches(); len(asked) != 1 || asked[0].ETag != etag {
				t.Errorf("asked was %+v", asked)
			}
			l.wantWhole(before.ID)
			if now := l.at(start); now.Version != before.Version || !now.FetchedAt.Equal(l.clock.Now()) {
				t.Errorf("it is %+v", now)
			}
		}
	})

	t.Run("a new title is indexed", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(start, page{text: bread, title: "Old"})
		source := l.pageAt(start, knowledge.Never)
		l.work()
		l.world.set(start, page{text: bread, title: "Croissants"})
		l.must(l.Sources.Sync(ctx, home, bot, source.ID))
		l.work()
		l.wantAnswered("croissants", "midnight", true)
	})

	t.Run("a header that has no room is not sent back", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(start, page{text: bread, etag: strings.Repeat("e", 5000)})
		source := l.pageAt(start, knowledge.Never)
		l.work()
		l.wantWhole(l.at(start).ID)
		l.world.fetches()
		l.must(l.Sources.Sync(ctx, home, bot, source.ID))
		l.work()
		if asked := l.world.fetches(); len(asked) != 1 || asked[0].ETag != "" {
			t.Errorf("asked was %.100v", asked)
		}
	})

	t.Run("a page that has gone is removed, with a receipt", func(t *testing.T) {
		l := newLibrary(t)
		l.chain()
		source := l.site(knowledge.Rules{MaxDepth: 1, MaxPages: 100}, knowledge.Never)
		l.work()
		gone := l.at(pageA)
		l.world.set(pageA, page{gone: true})
		l.must(l.Sources.Sync(ctx, home, bot, source.ID))
		l.work()
		l.wantGone(gone.ID)
		l.wantReceipt(gone.ID, 0)
		if r := l.receipt(gone.ID); r.URL != pageA {
			t.Errorf("the receipt is %+v", r)
		}
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.wantWhole(l.at(start).ID)
	})

	t.Run("a page that cannot be read just now is answered from as it was", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(start, page{text: bread})
		source := l.pageAt(start, knowledge.Never)
		l.work()
		l.world.set(start, page{err: fault.New(fault.Upstream, "The server answers with status 503.")})
		l.must(l.Sources.Sync(ctx, home, bot, source.ID))
		l.work()
		l.wantState(l.at(start).ID, knowledge.Pending, "503")
		l.wantAnswered("When is rye baked?", "midnight", true)
	})

	t.Run("a site whose pages cannot be looked up is tried again, and then fails with the reason", func(t *testing.T) {
		l := newLibrary(t)
		l.world.discovery = fault.New(fault.Upstream, "The server answers with status 503.")
		source := l.site(knowledge.DefaultRules(), knowledge.Never)
		for range 8 {
			l.work()
			l.clock.advance(2 * time.Hour)
		}
		if s := l.source(source.ID); s.State != knowledge.SourceFailed || s.DueAt != nil || !strings.Contains(s.Reason, "503") {
			t.Errorf("the source is %+v", s)
		}
		l.world.discovery = nil
		l.chain()
		l.must(l.Sources.Sync(ctx, home, bot, source.ID))
		l.work()
		if s := l.source(source.ID); s.State != knowledge.SourceReady || s.Reason != "" || s.Attempts != 0 {
			t.Errorf("the source is %+v", s)
		}
	})

	t.Run("one that has a schedule is tried again at its next time", func(t *testing.T) {
		l := newLibrary(t)
		l.world.discovery = fault.New(fault.Invalid, "The site refuses to be read (robots.txt).")
		source := l.site(knowledge.DefaultRules(), knowledge.Daily)
		l.work()
		if s := l.source(source.ID); s.State != knowledge.SourceFailed || s.DueAt == nil || s.DueAt.Sub(l.clock.Now()) != day {
			t.Errorf("the source is %+v", s)
		}
		l.world.discovery = nil
		l.chain()
		l.clock.advance(day)
		l.work()
		if s := l.source(source.ID); s.State != knowledge.SourceReady || len(l.list()) == 0 {
			t.Errorf("the source is %+v", s)
		}
	})
}
