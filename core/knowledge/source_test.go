package knowledge_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
)

const (
	start = "https://site/"
	pageA = "https://site/a"
	pageB = "https://site/b"
	pageC = "https://site/c"
)

// chain is a site whose pages link to the next: start, a, b, c.
func (l *library) chain() {
	l.world.set(start, page{text: "Start of all.", links: []string{pageA, pageA, "https://elsewhere/"}})
	l.world.set(pageA, page{text: bread, links: []string{pageB, start}})
	l.world.set(pageB, page{text: cakes, links: []string{pageC}})
	l.world.set(pageC, page{text: "The end."})
}

func TestSite(t *testing.T) {
	ctx := t.Context()
	rules := func(depth, pages int) knowledge.Rules { return knowledge.Rules{MaxDepth: depth, MaxPages: pages} }

	t.Run("the pages that it links to are read, to the depth", func(t *testing.T) {
		for depth, want := range map[int]string{
			0: start, 1: start + " " + pageA, 2: start + " " + pageA + " " + pageB, 9: start + " " + pageA + " " + pageB + " " + pageC,
		} {
			l := newLibrary(t)
			l.chain()
			source := l.site(rules(depth, 100), knowledge.Never)
			l.work()
			if got := l.urls(); got != want {
				t.Errorf("depth %d: %s, want %s", depth, got, want)
			}
			for _, d := range l.list() {
				l.wantWhole(d.ID)
			}
			if s := l.source(source.ID); s.State != knowledge.SourceReady || s.SyncedAt == nil || s.DueAt != nil {
				t.Errorf("the source is %+v", s)
			}
		}
	})

	t.Run("the pages that its sitemap names are read, and where their links lead", func(t *testing.T) {
		l := newLibrary(t)
		l.chain()
		l.world.sitemap = []string{start, pageB}
		l.site(rules(2, 100), knowledge.Never)
		l.work()
		if got, want := l.urls(), start+" "+pageA+" "+pageB+" "+pageC; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})

	t.Run("no more pages are read than its owner said", func(t *testing.T) {
		l := newLibrary(t)
		l.chain()
		l.site(rules(9, 3), knowledge.Never)
		l.work()
		if got := len(l.list()); got != 3 || len(l.world.fetches()) != 3 {
			t.Errorf("there are %d", got)
		}
	})

	t.Run("what the rules do not admit is not read", func(t *testing.T) {
		l := newLibrary(t)
		l.chain()
		l.site(knowledge.Rules{MaxDepth: 9, MaxPages: 100, Exclude: []string{"/b"}}, knowledge.Never)
		l.work()
		if got, want := l.urls(), start+" "+pageA; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})

	t.Run("a page that asks not to be read fails with that reason, and its links are followed", func(t *testing.T) {
		l := newLibrary(t)
		l.chain()
		l.world.set(pageA, page{text: bread, links: []string{pageB}, noIndex: true})
		l.site(rules(2, 100), knowledge.Never)
		l.work()
		l.wantState(l.at(pageA).ID, knowledge.Failed, "noindex")
		l.wantWhole(l.at(pageB).ID)
		l.wantAnswered("When is rye baked?", "midnight", false)
	})

	t.Run("a page that was never there fails with that reason", func(t *testing.T) {
		l := newLibrary(t)
		l.pageAt(start, knowledge.Never)
		l.work()
		l.wantState(l.at(start).ID, knowledge.Failed, "does not exist")
	})

	t.Run("the plan's limit is the reason of the page that exceeds it, and others go on", func(t *testing.T) {
		l := newLibrary(t) // Starter: 400,000 characters
		l.world.set(start, page{text: bread, links: []string{pageA, pageB}})
		l.world.set(pageA, page{text: strings.Repeat("many words ", 40_000)})
		l.world.set(pageB, page{text: cakes})
		l.site(rules(1, 100), knowledge.Never)
		l.work()
		l.wantState(l.at(pageA).ID, knowledge.Failed, "The Starter plan includes 400000 characters of knowledge.")
		l.wantWhole(l.at(start).ID)
		l.wantWhole(l.at(pageB).ID)
		l.must(l.db.SetPlan(ctx, home, plan.Standard))
		l.must(l.Retry(ctx, home, bot, l.at(pageA).ID))
		l.work()
		l.wantWhole(l.at(pageA).ID)
	})

	t.Run("a change that the plan did not admit is read when the plan does", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(start, page{text: bread, etag: "1"})
		source := l.pageAt(start, knowledge.Never)
		l.work()
		l.world.set(start, page{text: cakes + strings.Repeat("many words ", 40_000), etag: "2"})
		l.must(l.SyncSource(ctx, home, bot, source.ID))
		l.work()
		l.wantState(l.at(start).ID, knowledge.Failed, "The Starter plan")
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.must(l.db.SetPlan(ctx, home, plan.Standard))
		l.must(l.SyncSource(ctx, home, bot, source.ID))
		l.work()
		l.wantWhole(l.at(start).ID)
		l.wantAnswered("When is plum cake baked?", "Sundays", true)
	})
}

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
			l.must(l.Sweep(ctx))
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
			l.must(l.SyncSource(ctx, home, bot, source.ID))
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
		l.must(l.SyncSource(ctx, home, bot, source.ID))
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
		l.must(l.SyncSource(ctx, home, bot, source.ID))
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
		l.must(l.SyncSource(ctx, home, bot, source.ID))
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
		l.must(l.SyncSource(ctx, home, bot, source.ID))
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
		l.must(l.SyncSource(ctx, home, bot, source.ID))
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

func TestRemoveSource(t *testing.T) {
	ctx := t.Context()
	wide := knowledge.Rules{MaxDepth: 9, MaxPages: 100}
	none := func(l *library) {
		l.Helper()
		l.work()
		l.clock.advance(time.Minute)
		l.work()
		if all, err := l.Sources(ctx, home, bot); err != nil || len(all) != 0 || len(l.list()) != 0 {
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
		l.must(l.RemoveSource(ctx, home, bot, source.ID))
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.must(l.RemoveSource(ctx, home, bot, source.ID)) // again is no failure
		l.wantKind(l.SyncSource(ctx, home, bot, source.ID), fault.Conflict)
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
			hook(l, func() { l.must(l.RemoveSource(ctx, home, bot, source.ID)) })
			none(l)
		})
	}

	t.Run("it waits for the index", func(t *testing.T) {
		l := newLibrary(t)
		l.chain()
		source := l.site(wide, knowledge.Never)
		l.work()
		l.index.away = true
		l.must(l.RemoveSource(ctx, home, bot, source.ID))
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
		l.must(l.RemoveSource(ctx, home, bot, first.ID))
		again := l.site(wide, knowledge.Never)
		l.work()
		l.clock.advance(time.Minute)
		l.work()
		if all, err := l.Sources(ctx, home, bot); err != nil || len(all) != 1 || all[0].ID != again.ID || len(l.list()) != 4 {
			t.Errorf("there are %+v and %d documents, %v", all, len(l.list()), err)
		}
		l.wantAnswered("When is rye baked?", "midnight", true)
	})
}

func TestAddSource(t *testing.T) {
	l := newLibrary(t)
	t.Run("a page has one page, whatever else is said", func(t *testing.T) {
		source, err := l.AddSource(t.Context(), home, bot, knowledge.NewSource{URL: " https://site/ ", Rules: knowledge.Rules{MaxPages: 99, MaxDepth: 9}})
		if err != nil || source.Kind != knowledge.Page || source.Schedule != knowledge.Never || fmt.Sprint(source.Rules) != fmt.Sprint(knowledge.Rules{MaxPages: 1}) {
			t.Errorf("got %+v, %v", source, err)
		}
	})
	t.Run("an address is added once", func(t *testing.T) {
		_, err := l.AddSource(t.Context(), home, bot, knowledge.NewSource{URL: "https://site/", Kind: knowledge.Site})
		l.wantKind(err, fault.Conflict)
	})
	t.Run("what is wrong is refused at its field", func(t *testing.T) {
		site := func(rules knowledge.Rules) knowledge.NewSource {
			return knowledge.NewSource{URL: "https://other/", Kind: knowledge.Site, Rules: rules}
		}
		for _, c := range []struct {
			field   string
			request knowledge.NewSource
		}{
			{"url", knowledge.NewSource{URL: "ftp://site/"}},
			{"kind", knowledge.NewSource{URL: "https://other/", Kind: "web"}},
			{"schedule", knowledge.NewSource{URL: "https://other/", Schedule: "hourly"}},
			{"max_pages", site(knowledge.Rules{MaxPages: knowledge.MaxPages + 1})},
			{"max_pages", site(knowledge.Rules{MaxPages: -1})},
			{"max_depth", site(knowledge.Rules{MaxDepth: knowledge.MaxDepth + 1})},
			{"max_depth", site(knowledge.Rules{MaxDepth: -1})},
			{"include", site(knowledge.Rules{Include: []string{"docs"}})},
			{"include", site(knowledge.Rules{Include: []string{"/\x00"}})},
			{"exclude", site(knowledge.Rules{Exclude: []string{"/" + strings.Repeat("x", 500)}})},
			{"exclude", site(knowledge.Rules{Exclude: make([]string, 51)})},
		} {
			_, err := l.AddSource(t.Context(), home, bot, c.request)
			if !fault.Is(err, fault.Invalid) || fault.As(err).Field != c.field {
				t.Errorf("%+v gives %v at %q, want %q", c.request, err, fault.As(err).Field, c.field)
			}
		}
	})
}
