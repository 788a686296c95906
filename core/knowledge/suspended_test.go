package knowledge_test

import (
	"strings"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
	billingstore "parley/store/billing"
)

// overLimit says whether the chatbot is over the limit of its workspace's plan.
func (l *library) overLimit(over bool) {
	l.Helper()
	var ids []string
	if over {
		ids = []string{bot}
	}
	l.must(billingstore.NewHoldings(l.db.Store).SetOverLimit(l.Context(), home, plan.Chatbots, ids))
}

// refuses fails unless the error is Forbidden and says so.
func (l *library) refuses(err error, says string) {
	l.Helper()
	l.wantKind(err, fault.Forbidden)
	if err != nil && !strings.Contains(fault.As(err).Message, says) {
		l.Errorf("it says %q, not %q", fault.As(err).Message, says)
	}
}

func TestChatbotOverTheLimit(t *testing.T) {
	ctx := t.Context()
	l := newLibrary(t)
	l.world.set(start, page{text: bread})
	source := l.pageAt(start, knowledge.Daily)
	l.work()
	kept := l.add("Cakes", cakes)
	l.world.files["scan.pdf"] = page{err: errScan}
	failed := l.addFile("scan.pdf", bread)
	l.work()
	l.overLimit(true)

	t.Run("takes no documents and no sources, and reads none again", func(t *testing.T) {
		for name, do := range map[string]func() error{
			"a text": func() error {
				_, err := l.Documents.Add(ctx, home, bot, knowledge.NewDocument{Title: "Rolls", Content: "Rolls are baked at dawn."})
				return err
			},
			"a text that is there": func() error {
				_, err := l.Documents.Add(ctx, home, bot, knowledge.NewDocument{Title: "Cakes", Content: cakes})
				return err
			},
			"a file": func() error {
				_, err := l.Documents.Add(ctx, home, bot, knowledge.NewDocument{File: &knowledge.Upload{Name: "a.pdf", Body: []byte(bread)}})
				return err
			},
			"a page": func() error {
				_, err := l.Sources.Add(ctx, home, bot, knowledge.NewSource{URL: pageA})
				return err
			},
			"a retry":           func() error { return l.Documents.Retry(ctx, home, bot, failed.ID) },
			"a synchronization": func() error { return l.Sources.Sync(ctx, home, bot, source.ID) },
		} {
			if err := do(); !fault.Is(err, fault.Forbidden) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if all := l.list(); len(all) != 3 || l.get(failed.ID).State != knowledge.Failed {
			t.Errorf("there are %+v", all)
		}
	})

	t.Run("is not read by its schedule, says why, and is within an hour of its waking", func(t *testing.T) {
		l.world.set(start, page{text: "Rye is baked at noon."})
		l.world.fetches()
		l.clock.advance(day)
		l.work()
		if asked := l.world.fetches(); len(asked) != 0 {
			t.Errorf("fetched was %v", asked)
		}
		if s := l.source(source.ID); s.State != knowledge.SourceReady || !strings.Contains(s.Reason, "suspended") {
			t.Errorf("the source is %+v", s)
		}
		l.overLimit(false)
		l.clock.advance(time.Hour)
		l.work()
		l.wantAnswered("When is rye baked?", "noon", true)
		if s := l.source(source.ID); s.Reason != "" || !s.DueAt.Equal(l.clock.Now().Add(day)) {
			t.Errorf("the source is %+v", s)
		}
		l.overLimit(true)
	})

	t.Run("still has documents and sources taken away", func(t *testing.T) {
		l.must(l.Documents.Remove(ctx, home, bot, kept.ID))
		l.wantGone(kept.ID)
		l.must(l.Sources.Remove(ctx, home, bot, source.ID))
		l.work()
		l.wantStates(knowledge.Failed)
	})
}

func TestSourcesOfThePlan(t *testing.T) {
	ctx := t.Context()
	t.Run("sites and schedules are refused under a plan without them", func(t *testing.T) {
		l := newLibrary(t)
		for name, c := range map[plan.Name]struct{ site, schedule string }{
			plan.Starter:  {"does not read whole sites", "does not read sources again"},
			plan.Basic:    {"", "does not read sources again"},
			plan.Standard: {"", ""},
		} {
			l.setPlan(name)
			_, site := l.Sources.Add(ctx, home, bot, knowledge.NewSource{URL: "https://site/" + string(name), Kind: knowledge.Site})
			_, schedule := l.Sources.Add(ctx, home, bot, knowledge.NewSource{URL: "https://page/" + string(name), Schedule: knowledge.Weekly})
			_, page := l.Sources.Add(ctx, home, bot, knowledge.NewSource{URL: "https://page/once/" + string(name)})
			for _, got := range []struct {
				err  error
				says string
			}{{site, c.site}, {schedule, c.schedule}, {page, ""}} {
				if got.says == "" {
					l.must(got.err)
					continue
				}
				l.refuses(got.err, got.says)
			}
		}
	})

	t.Run("under a plan without schedules a source rests, is read by hand, and goes on after an upgrade", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(start, page{text: bread})
		source := l.pageAt(start, knowledge.Daily)
		l.work()
		l.setPlan(plan.Basic)
		l.world.set(start, page{text: "Rye is baked at noon."})
		for range 3 {
			l.clock.advance(day)
			l.work()
		}
		l.wantAnswered("When is rye baked?", "noon", false)
		if s := l.source(source.ID); !strings.Contains(s.Reason, "Read them again by hand") {
			t.Errorf("the source is %+v", s)
		}
		l.must(l.Sources.Sync(ctx, home, bot, source.ID))
		l.work()
		l.wantAnswered("When is rye baked?", "noon", true)
		l.world.set(start, page{text: "Rye is baked at dusk."})
		l.clock.advance(day)
		l.work()
		l.wantAnswered("When is rye baked?", "dusk", false)
		l.setPlan(plan.Standard)
		l.clock.advance(time.Hour)
		l.work()
		l.wantAnswered("When is rye baked?", "dusk", true)
	})
}
