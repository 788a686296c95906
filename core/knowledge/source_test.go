package knowledge_test

import (
	"fmt"
	"strings"
	"testing"

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

	t.Run("and so does one whose headers ask, and its links are followed unless they ask that, too", func(t *testing.T) {
		for noFollow, want := range map[bool]string{false: start + " " + pageA + " " + pageB + " " + pageC, true: start + " " + pageA} {
			l := newLibrary(t)
			l.chain()
			l.world.set(pageA, page{text: bread, links: []string{pageB}, asked: knowledge.Fetched{NoIndex: true, NoFollow: noFollow}})
			l.site(rules(9, 100), knowledge.Never)
			l.work()
			l.wantState(l.at(pageA).ID, knowledge.Failed, "noindex")
			if got := l.urls(); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})

	t.Run("a page that sends its visitors on is no knowledge, and the other page is read", func(t *testing.T) {
		l := newLibrary(t)
		l.chain()
		l.world.set(pageA, page{text: "This page has moved.", refresh: pageB})
		l.site(rules(9, 100), knowledge.Never)
		l.work()
		l.wantState(l.at(pageA).ID, knowledge.Failed, pageB)
		l.wantWhole(l.at(pageB).ID)
		l.wantWhole(l.at(pageC).ID)
	})

	t.Run("a page that sends its visitors to another site has its text, as after a redirect", func(t *testing.T) {
		l := newLibrary(t)
		l.chain()
		l.world.set(pageA, page{text: "This page has moved.", refresh: "https://elsewhere/"})
		l.world.set("https://elsewhere/", page{text: bread, title: "Bread"})
		l.site(rules(9, 100), knowledge.Never)
		l.work()
		l.wantWhole(l.at(pageA).ID)
		if d := l.at(pageA); d.Title != "Bread" || d.ETag != "" {
			t.Errorf("the page is %q", d.Title)
		}
	})

	t.Run("of a page with several addresses one is read", func(t *testing.T) {
		l := newLibrary(t)
		const one, two = pageA + "?sort=price", pageA + "?sort=name"
		l.world.set(start, page{text: "Start of all.", links: []string{one, two}})
		for _, address := range []string{pageA, one, two} {
			l.world.set(address, page{text: bread, canonical: pageA})
		}
		l.site(rules(9, 100), knowledge.Never)
		l.work()
		l.wantWhole(l.at(pageA).ID)
		l.wantState(l.at(one).ID, knowledge.Failed, pageA)
		l.wantState(l.at(two).ID, knowledge.Failed, pageA)
	})

	t.Run("pages that all call themselves the first one, or each other, or one that is not there are read", func(t *testing.T) {
		l := newLibrary(t)
		l.chain()
		const gone = start + "gone"
		l.world.set(start, page{text: "Start of all.", links: []string{gone, pageA, pageB, pageC}})
		l.world.set(pageA, page{text: bread, canonical: start})
		l.world.set(pageB, page{text: cakes, canonical: pageC})
		l.world.set(pageC, page{text: "The end.", canonical: pageB})
		l.site(rules(1, 100), knowledge.Never)
		l.work()
		l.wantWhole(l.at(pageA).ID)
		if b, c := l.at(pageB), l.at(pageC); (b.State == knowledge.Ready) == (c.State == knowledge.Ready) {
			t.Errorf("of two pages that name each other, one is %s and the other %s", b.State, c.State)
		}
		l.world.set(pageA, page{text: bread, canonical: gone})
		l.must(l.Sources.Sync(ctx, home, bot, l.at(pageA).SourceID))
		l.work()
		l.wantState(l.at(gone).ID, knowledge.Failed, "does not exist")
		l.wantWhole(l.at(pageA).ID)
	})

	t.Run("a single page has the text of the page to which it sends its visitors", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(pageA, page{text: "This page has moved.", refresh: pageB})
		l.world.set(pageB, page{text: "Nor is it here.", refresh: pageC})
		l.world.set(pageC, page{text: bread, canonical: start})
		l.pageAt(pageA, knowledge.Never)
		l.work()
		l.wantWhole(l.at(pageA).ID)
		l.wantAnswered("When is rye baked?", "midnight", true)
	})

	t.Run("pages that send visitors to each other fail", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(pageA, page{text: "There.", refresh: pageB})
		l.world.set(pageB, page{text: "And back.", refresh: pageA})
		l.pageAt(pageA, knowledge.Never)
		l.work()
		l.wantState(l.at(pageA).ID, knowledge.Failed, "without an end")
	})

	t.Run("a page that was never there fails with that reason", func(t *testing.T) {
		l := newLibrary(t)
		l.pageAt(start, knowledge.Never)
		l.work()
		l.wantState(l.at(start).ID, knowledge.Failed, "does not exist")
	})

	t.Run("the plan's limit is the reason of the page that exceeds it, and others go on", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(start, page{text: bread, links: []string{pageA, pageB}})
		l.world.set(pageA, page{text: strings.Repeat("many words ", 40_000)})
		l.world.set(pageB, page{text: cakes})
		l.site(rules(1, 100), knowledge.Never)
		l.setPlan(plan.Starter) // 400,000 characters
		l.work()
		l.wantState(l.at(pageA).ID, knowledge.Failed, "The Starter plan includes 400000 characters of knowledge.")
		l.wantWhole(l.at(start).ID)
		l.wantWhole(l.at(pageB).ID)
		l.setPlan(plan.Standard)
		l.must(l.Documents.Retry(ctx, home, bot, l.at(pageA).ID))
		l.work()
		l.wantWhole(l.at(pageA).ID)
	})

	t.Run("a change that the plan did not admit is read when the plan does", func(t *testing.T) {
		l := newLibrary(t)
		l.setPlan(plan.Starter)
		l.world.set(start, page{text: bread, etag: "1"})
		source := l.pageAt(start, knowledge.Never)
		l.work()
		l.world.set(start, page{text: cakes + strings.Repeat("many words ", 40_000), etag: "2"})
		l.must(l.Sources.Sync(ctx, home, bot, source.ID))
		l.work()
		l.wantState(l.at(start).ID, knowledge.Failed, "The Starter plan")
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.setPlan(plan.Standard)
		l.must(l.Sources.Sync(ctx, home, bot, source.ID))
		l.work()
		l.wantWhole(l.at(start).ID)
		l.wantAnswered("When is plum cake baked?", "Sundays", true)
	})
}

func TestAddSource(t *testing.T) {
	l := newLibrary(t)
	t.Run("a page has one page, whatever else is said", func(t *testing.T) {
		source, err := l.Sources.Add(t.Context(), home, bot, knowledge.NewSource{URL: " https://site/ ", Rules: knowledge.Rules{MaxPages: 99, MaxDepth: 9}})
		if err != nil || source.Kind != knowledge.Page || source.Schedule != knowledge.Never || fmt.Sprint(source.Rules) != fmt.Sprint(knowledge.Rules{MaxPages: 1}) {
			t.Errorf("got %+v, %v", source, err)
		}
	})
	t.Run("an address is added once", func(t *testing.T) {
		_, err := l.Sources.Add(t.Context(), home, bot, knowledge.NewSource{URL: "https://site/", Kind: knowledge.Site})
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
			_, err := l.Sources.Add(t.Context(), home, bot, c.request)
			if !fault.Is(err, fault.Invalid) || fault.As(err).Field != c.field {
				t.Errorf("%+v gives %v at %q, want %q", c.request, err, fault.As(err).Field, c.field)
			}
		}
	})
}
