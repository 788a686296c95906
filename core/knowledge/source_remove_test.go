package knowledge_test

import (
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
)

func TestRemoveSource(t *testing.T) {
	ctx := t.Context()
	wide := knowledge.Rules{MaxDepth: 9, MaxPages: 100}
	none := func(l *library) {
		l.Helper()
		l.work()
		l.clock.advance(time.Minute)
		l.work()
		if all, err := l.Sources.List(ctx, home, bot); err != nil || len(all) != 0 || len(l.list()) != 0 {
			l.Errorf("left are %+v and %+v, %v", all, l.list(), err)
		}
		l.wantAnswered("When is rye baked?", "midnight", false)
	}

	t.Run("it goes with all its documents, and with nothing else", func(t *testing.T) {
		l := newLibrary(t)
		l.chain()
		source := l.site(wide, knowledge.Daily)
		l.work()
		documents := l.list()
		l.must(l.Sources.Remove(ctx, home, bot, source.ID))
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.must(l.Sources.Remove(ctx, home, bot, source.ID)) // again is no failure
		l.wantKind(l.Sources.Sync(ctx, home, bot, source.ID), fault.Conflict)
		none(l)
		for _, d := range documents {
			l.wantGone(d.ID)
			l.wantReceipt(d.ID, 0)
		}
		l.add("Mine", cakes)
		l.wantAnswered("When is plum cake baked?", "Sundays", true)
	})

	for name, hook := range map[string]func(l *library, remove func()){
		"while its pages are looked up":    func(l *library, remove func()) { l.world.discovering = remove },
		"while a page is fetched":          func(l *library, remove func()) { l.world.fetching = remove },
		"while a page is extracted":        func(l *library, remove func()) { l.world.extracting = remove },
		"while a page goes into the index": func(l *library, remove func()) { l.index.before = remove },
	} {
		t.Run("it goes as well when it is removed "+name, func(t *testing.T) {
			l := newLibrary(t)
			l.chain()
			source := l.site(wide, knowledge.Never)
			hook(l, func() { l.must(l.Sources.Remove(ctx, home, bot, source.ID)) })
			none(l)
		})
	}

	t.Run("it waits for the index", func(t *testing.T) {
		l := newLibrary(t)
		l.chain()
		source := l.site(wide, knowledge.Never)
		l.work()
		l.index.away = true
		l.must(l.Sources.Remove(ctx, home, bot, source.ID))
		l.work()
		l.clock.advance(time.Minute)
		l.work()
		if s := l.source(source.ID); s.State != knowledge.SourceRemoving {
			t.Errorf("the source is %+v", s)
		}
		l.index.away = false
		l.clock.advance(2 * time.Hour)
		none(l)
	})

	t.Run("its address can be added again at once", func(t *testing.T) {
		l := newLibrary(t)
		l.chain()
		first := l.site(wide, knowledge.Never)
		l.work()
		l.must(l.Sources.Remove(ctx, home, bot, first.ID))
		again := l.site(wide, knowledge.Never)
		l.work()
		l.clock.advance(time.Minute)
		l.work()
		if all, err := l.Sources.List(ctx, home, bot); err != nil || len(all) != 1 || all[0].ID != again.ID || len(l.list()) != 4 {
			t.Errorf("there are %+v and %d documents, %v", all, len(l.list()), err)
		}
		l.wantAnswered("When is rye baked?", "midnight", true)
	})
}
