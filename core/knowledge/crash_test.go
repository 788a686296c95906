package knowledge_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/retrieval"
)

func TestCrash(t *testing.T) {
	const before, after = "midnight", "Sundays"
	for name, c := range map[string]struct {
		prepare func(l *library) (id string)
		// fresh says that nothing was answered before.
		fresh   bool
		removed bool
	}{
		"a file": {fresh: true, prepare: func(l *library) string {
			return l.addFile("a.pdf", cakes+long("lang", 4)).ID
		}},
		"a new page": {fresh: true, prepare: func(l *library) string {
			l.world.set("https://site/", page{text: cakes + long("lang", 4)})
			source := l.pageAt("https://site/", knowledge.Never)
			d := knowledge.Document{
				ID: "doc_page", ChatbotID: bot, SourceID: source.ID, URL: source.URL, Title: "page", Kind: knowledge.HTML,
				State: knowledge.Pending, DueAt: source.DueAt, UpdatedAt: source.CreatedAt, CreatedAt: source.CreatedAt,
			}
			source.DueAt, source.State = nil, knowledge.SourceReady // it was looked up already
			l.must(l.db.UpdateSource(l.Context(), home, source))
			l.must(l.db.CreateDocument(l.Context(), home, d))
			return d.ID
		}},
		"a changed page": {prepare: func(l *library) string {
			l.world.set("https://site/", page{text: bread + long("kurz", 2), etag: "1"})
			source := l.pageAt("https://site/", knowledge.Never)
			l.work()
			l.world.set("https://site/", page{text: cakes + long("lang", 4), etag: "2"})
			l.must(l.db.RefreshFound(l.Context(), home, source.ID, l.clock.Now()))
			return l.at("https://site/").ID
		}},
		"a document that is removed": {removed: true, prepare: func(l *library) string {
			id := l.add("Bread", bread+long("kurz", 2)).ID
			l.index.away = true
			l.must(l.Documents.Remove(l.Context(), home, bot, id))
			l.index.away = false
			return id
		}},
	} {
		t.Run("wherever the work on "+name+" breaks off, it ends as if it had not", func(t *testing.T) {
			t.Parallel()
			calls, step := 0, 1
			if testing.Short() {
				step = 2
			}
			for died := true; died; {
				calls += step
				l := newLibrary(t)
				id := c.prepare(l)
				died = l.dyingAt(calls)
				answers := l.found(homeScope, "When is rye or plum cake baked?")
				old, now := strings.Contains(answers, before), strings.Contains(answers, after)
				switch {
				case old && now, !old && !now && !c.fresh && !c.removed, c.removed && (old || now):
					t.Errorf("dead at call %d, the answers come from %q", calls, answers)
				}
				l.work()
				if c.removed {
					l.wantGone(id)
					l.wantReceipt(id, 0)
				} else {
					l.wantWhole(id)
					l.wantAnswered("When is rye baked?", before, false)
					l.wantAnswered("When is plum cake baked?", after, true)
					_, err := l.db.Upload(t.Context(), home, id)
					l.wantKind(err, fault.NotFound)
				}
				if t.Failed() {
					t.Fatalf("dead at call %d", calls)
				}
			}
			if calls < 5 {
				t.Errorf("there were only %d calls to die at", calls)
			}
		})
	}
}

// hooked runs something before passages are added, once.
type hooked struct {
	*everything
	adding func()
}

func (h *hooked) AddPassages(ctx context.Context, workspaceID string, d knowledge.Document, passages []retrieval.Passage) error {
	adding := h.adding
	h.adding = nil
	call(adding)
	return h.everything.AddPassages(ctx, workspaceID, d, passages)
}

func TestTwoWorkersAtOnce(t *testing.T) {
	t.Run("passages that another has added in between are no failure of the document", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", bread)
		h := &hooked{everything: l.db}
		l.ports.Stores = storesOf(h)
		l.open()
		h.adding = func() { // whose index is away
			l.index.away = true
			l.work()
			l.index.away = false
		}
		l.work()
		l.clock.advance(time.Minute)
		l.work()
		l.wantWhole(d.ID)
		l.wantAnswered("When is rye baked?", "midnight", true)
	})

	t.Run("of two who work on the same documents, each ends whole", func(t *testing.T) {
		l := newLibrary(t)
		var ids []string
		for i := range 8 {
			ids = append(ids, l.addFile(fmt.Sprintf("%d.pdf", i), bread+long("wort", 8)).ID)
		}
		for range 3 {
			var all sync.WaitGroup
			for range 3 {
				all.Go(l.work)
			}
			all.Go(func() {
				if _, err := l.Documents.Reindex(t.Context(), home, bot); err != nil {
					t.Error(err)
				}
			})
			all.Wait()
			l.work()
			for _, id := range ids {
				l.wantWhole(id)
			}
			l.wantAnswered("wort7", "wort7", true)
		}
	})
}
