package knowledge_test

import (
	"context"
	"testing"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/text/split"
)

func TestRetryAndCancel(t *testing.T) {
	ctx := context.Background()

	t.Run("a failed document is read again when its owner says so", func(t *testing.T) {
		l := newLibrary(t)
		l.world.files["a.pdf"] = page{err: errScan}
		d := l.addFile("a.pdf", bread)
		l.work()
		l.queue.take()
		delete(l.world.files, "a.pdf")
		l.must(l.Documents.Retry(ctx, home, bot, d.ID))
		if got := l.queue.take(); len(got) != 1 {
			t.Errorf("enqueued is %v", got)
		}
		l.work()
		l.wantWhole(d.ID)
	})

	t.Run("one that waits for another try need not wait", func(t *testing.T) {
		l := newLibrary(t)
		l.index.away = true
		d := l.add("Bread", bread)
		l.index.away = false
		l.work()
		l.wantState(d.ID, knowledge.Indexing, "The index is away.")
		l.must(l.Documents.Retry(ctx, home, bot, d.ID))
		l.work()
		l.wantWhole(d.ID)
	})

	t.Run("a text whose file is not kept any more keeps its places", func(t *testing.T) {
		l := newLibrary(t)
		l.world.files["a.pdf"] = page{places: []split.Place{{Offset: 0, Name: "page 1"}}}
		l.index.away = true
		d := l.addFile("a.pdf", bread)
		l.work()
		l.must(l.Documents.Cancel(ctx, home, bot, d.ID))
		l.index.away = false
		l.must(l.Documents.Retry(ctx, home, bot, d.ID))
		l.work()
		l.wantWhole(d.ID)
		if got := l.get(d.ID).Places; len(got) != 1 || len(l.world.extracted) != 1 {
			t.Errorf("its places are %v after %d extractions", got, len(l.world.extracted))
		}
	})

	t.Run("there is nothing to retry or to cancel of what is ready", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		l.wantKind(l.Documents.Retry(ctx, home, bot, d.ID), fault.Conflict)
		l.wantKind(l.Documents.Cancel(ctx, home, bot, d.ID), fault.Conflict)
		l.index.lie = true
		l.must(l.Documents.Remove(ctx, home, bot, d.ID))
		l.wantKind(l.Documents.Retry(ctx, home, bot, d.ID), fault.Conflict)
		l.wantKind(l.Documents.Cancel(ctx, home, bot, d.ID), fault.Conflict)
	})

	t.Run("a canceled document is not worked on", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", bread)
		l.must(l.Documents.Cancel(ctx, home, bot, d.ID))
		l.work()
		l.wantState(d.ID, knowledge.Failed, "Canceled.")
		if len(l.world.extracted) != 0 {
			t.Error("it was extracted")
		}
		l.wantKind(l.Documents.Retry(ctx, home, bot, d.ID), fault.Conflict) // its file has gone
		l.addFile("a.pdf", bread)
		l.work()
		l.wantWhole(d.ID)
	})

	for name, hook := range map[string]func(l *library, cancel func()){
		"while it is extracted":         func(l *library, cancel func()) { l.world.extracting = cancel },
		"before it goes into the index": func(l *library, cancel func()) { l.index.before = cancel },
		"after it went into the index":  func(l *library, cancel func()) { l.index.after = cancel },
	} {
		t.Run("a document can be canceled "+name, func(t *testing.T) {
			l := newLibrary(t)
			d := l.addFile("a.pdf", bread)
			hook(l, func() { l.must(l.Documents.Cancel(ctx, home, bot, d.ID)) })
			l.work()
			l.wantState(d.ID, knowledge.Failed, "Canceled.")
			l.wantAnswered("When is rye baked?", "midnight", false)
			if n, err := l.index.Count(ctx, homeScope, d.ID); n != 0 || err != nil {
				t.Errorf("the index holds %d of its passages: %v", n, err)
			}
			if l.get(d.ID).Content == "" {
				l.addFile("a.pdf", bread)
			} else {
				l.must(l.Documents.Retry(ctx, home, bot, d.ID))
			}
			l.work()
			l.wantWhole(d.ID)
		})
		t.Run("what it was before is answered from if that is done "+name, func(t *testing.T) {
			l := newLibrary(t)
			l.world.set("https://site/", page{text: bread})
			source := l.pageAt("https://site/", knowledge.Never)
			l.work()
			d := l.at("https://site/")
			l.world.set("https://site/", page{text: cakes})
			l.must(l.Sources.Sync(ctx, home, bot, source.ID))
			hook(l, func() { l.must(l.Documents.Cancel(ctx, home, bot, d.ID)) })
			l.work()
			l.wantState(d.ID, knowledge.Failed, "Canceled.")
			l.wantAnswered("When is rye baked?", "midnight", true)
			l.wantAnswered("When is plum cake baked?", "Sundays", false)
			l.must(l.Documents.Retry(ctx, home, bot, d.ID))
			l.work()
			l.wantWhole(d.ID)
			l.wantAnswered("When is rye baked?", "midnight", false)
			l.wantAnswered("When is plum cake baked?", "Sundays", true)
		})
	}

	t.Run("canceling and retrying in the middle of the work is in order", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", bread)
		l.index.after = func() {
			l.must(l.Documents.Cancel(ctx, home, bot, d.ID))
			l.must(l.Documents.Retry(ctx, home, bot, d.ID))
		}
		l.work()
		l.wantWhole(d.ID)
	})
}
