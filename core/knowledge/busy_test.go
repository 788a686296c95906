package knowledge_test

import (
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
)

func TestBusySites(t *testing.T) {
	crowded := &fault.Error{Kind: fault.RateLimited, Message: "The site has its readers.", RetryAfter: 3 * time.Second}

	t.Run("a site that takes no reader just now is no failed attempt, and keeps no other site waiting", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set("https://busy/", page{err: crowded})
		l.world.set("https://free/", page{text: bread})
		l.pageAt("https://busy/", knowledge.Never)
		l.pageAt("https://free/", knowledge.Never)
		more, pause, err := l.Worker.Work(t.Context(), home, knowledge.FetchWork)
		if !more || pause != 3*time.Second || err != nil {
			t.Errorf("there is more: %v, after %v, %v", more, pause, err)
		}
		l.work()
		l.wantWhole(l.at("https://free/").ID)
		d := l.at("https://busy/")
		l.wantState(d.ID, knowledge.Pending, "")
		if d.Attempts != 0 || d.DueAt == nil || d.DueAt.After(l.clock.Now()) {
			t.Errorf("after %d attempts it is due at %v", d.Attempts, d.DueAt)
		}
		if n := len(l.world.fetches()); n != 2 {
			t.Errorf("%d requests were made", n)
		}

		l.world.set("https://busy/", page{text: cakes})
		l.work()
		l.wantState(d.ID, knowledge.Pending, "") // it is still left alone
		l.clock.advance(3 * time.Second)
		l.work()
		l.wantWhole(d.ID)
	})

	t.Run("nor is one whose sitemap cannot be asked for yet", func(t *testing.T) {
		l := newLibrary(t)
		l.world.discovery = crowded
		l.world.set("https://site/", page{text: bread})
		source := l.site(knowledge.DefaultRules(), knowledge.Never)
		l.work()
		if got := l.source(source.ID); got.State != knowledge.SourceSyncing || got.Attempts != 0 || got.Reason != "" {
			t.Errorf("the source is %+v", got)
		}
		l.world.discovery = nil
		l.clock.advance(3 * time.Second)
		l.work()
		l.wantWhole(l.at("https://site/").ID)
	})
}

func TestKindsOfWork(t *testing.T) {
	t.Run("who reads files does not index, and who indexes does not read", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", bread)
		for _, work := range []string{knowledge.IndexWork, knowledge.FetchWork} {
			if more, _, err := l.Worker.Work(t.Context(), home, work); more || err != nil {
				t.Errorf("%s has more to do: %v, %v", work, more, err)
			}
			l.wantState(d.ID, knowledge.Pending, "")
		}
		if _, _, err := l.Worker.Work(t.Context(), home, knowledge.ExtractWork); err != nil {
			t.Error(err)
		}
		l.wantState(d.ID, knowledge.Indexing, "")
		if _, _, err := l.Worker.Work(t.Context(), home, knowledge.IndexWork); err != nil {
			t.Error(err)
		}
		l.wantWhole(d.ID)
	})
}
