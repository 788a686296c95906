package knowledge_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/retrieval"
)

func (l *library) wantRebuilt(want int) {
	l.Helper()
	if n, err := l.Rebuild(l.Context()); err != nil || n != want {
		l.Errorf("%d documents are in the new index, want %d: %v", n, want, err)
	}
}

func (l *library) wantRepaired(want int) {
	l.Helper()
	if n, err := l.Repair(l.Context()); err != nil || n != want {
		l.Errorf("%d documents were brought back, want %d: %v", n, want, err)
	}
}

func TestRebuild(t *testing.T) {
	ctx := t.Context()

	t.Run("the new index has what is answered from, of every workspace, and nothing else", func(t *testing.T) {
		l := newLibrary(t)
		kept, removed := l.add("Bread", bread), l.add("Cakes", cakes)
		_, err := l.Documents.Add(ctx, foreign, other, knowledge.NewDocument{Title: "Theirs", Content: "Their rye is baked at noon."})
		l.must(err)
		l.world.files["scan.pdf"] = page{err: errScan}
		l.addFile("scan.pdf", bread)
		l.work()
		l.index.away = true
		l.must(l.Documents.Remove(ctx, home, bot, removed.ID))
		l.index.away = false
		// What is in no database is in no new index.
		l.must(l.index.Index.Replace(ctx, homeScope, "doc_ghost", []retrieval.Entry{{PassageID: 1 << 40, DocumentID: "doc_ghost", Terms: []string{"ghost"}}}))

		l.wantRebuilt(2)
		for id, want := range map[string]int{kept.ID: kept.Passages, removed.ID: 0, "doc_ghost": 0} {
			if n, err := l.index.Count(ctx, homeScope, id); n != want || err != nil {
				t.Errorf("%s has %d passages, want %d: %v", id, n, want, err)
			}
		}
		l.wantAnswered("When is rye baked?", "midnight", true)
		if got := l.found(retrieval.Scope{WorkspaceID: foreign, ChatbotID: other}, "When is rye baked?"); got != "Their rye is baked at noon." {
			t.Errorf("they find %q", got)
		}
		if len(l.world.extracted) != 1 {
			t.Errorf("%d files were read again", len(l.world.extracted))
		}
	})

	for name, during := range map[string]func(l *library, do func()){
		"before it is filled": func(l *library, do func()) { l.index.filling = do },
		"after it was filled": func(l *library, do func()) { l.index.filled = do },
	} {
		t.Run("what is added, changed and removed "+name+" is so in it", func(t *testing.T) {
			l := newLibrary(t)
			l.world.set(start, page{text: bread})
			source := l.pageAt(start, knowledge.Never)
			l.work()
			gone, stays := l.add("Gone", "The croissant is sold out."), l.add("Stays", "Pretzels come with salt.")
			l.clock.advance(day)
			added := ""
			during(l, func() {
				l.wantAnswered("pretzels", "salt", true) // the old one serves
				l.clock.advance(time.Minute)
				added = l.add("Added", "Baguettes are long.").ID
				l.must(l.Documents.Remove(ctx, home, bot, gone.ID))
				l.world.set(start, page{text: cakes})
				l.must(l.Sources.Sync(ctx, home, bot, source.ID))
				l.work()
			})
			if _, err := l.Rebuild(ctx); err != nil {
				t.Fatal(err)
			}
			l.wantGone(gone.ID)
			for _, id := range []string{added, stays.ID, l.at(start).ID} {
				l.wantWhole(id)
			}
			l.wantAnswered("croissant", "sold out", false)
			l.wantAnswered("baguettes", "long", true)
			l.wantAnswered("pretzels", "salt", true)
			l.wantAnswered("When is rye baked?", "midnight", false)
			l.wantAnswered("When is plum cake baked?", "Sundays", true)
		})
	}

	t.Run("a document that was put into the old index at the last moment is in the new one", func(t *testing.T) {
		for name, prepare := range map[string]func(l *library) string{
			"new": func(l *library) string { return l.addFile("a.pdf", cakes).ID },
			"changed": func(l *library) string {
				l.world.set(start, page{text: bread})
				source := l.pageAt(start, knowledge.Never)
				l.work()
				l.world.set(start, page{text: cakes})
				l.must(l.Sources.Sync(ctx, home, bot, source.ID))
				return l.at(start).ID
			},
		} {
			for _, moment := range []func(*library) *func(){
				func(l *library) *func() { return &l.index.after },
				func(l *library) *func() { return &l.index.counted },
			} {
				l := newLibrary(t)
				id := prepare(l)
				*moment(l) = func() { // it is in the old index, and not yet ready
					l.clock.advance(day)
					_, err := l.Rebuild(ctx)
					l.must(err)
				}
				l.work()
				l.wantWhole(id)
				l.wantAnswered("When is plum cake baked?", "Sundays", true)
				if t.Failed() {
					t.Fatalf("the document was %s", name)
				}
			}
		}
	})

	t.Run("whatever is done at the same time, in the end everything is found and nothing else", func(t *testing.T) {
		l := newLibrary(t)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range 12 {
				d := l.add(fmt.Sprint("Title ", i), fmt.Sprintf("The word is pastry%d.", i))
				if i%3 == 0 {
					l.must(l.Documents.Remove(ctx, home, bot, d.ID))
				}
			}
		}()
		for range 4 {
			_, err := l.Rebuild(ctx)
			l.must(err)
		}
		<-done
		l.clock.advance(time.Minute)
		l.work()
		for i := range 12 {
			word := fmt.Sprint("pastry", i)
			l.wantAnswered(word, word+".", i%3 != 0)
		}
		for _, d := range l.list() {
			l.wantWhole(d.ID)
		}
	})

	t.Run("one that fails leaves the old index serving", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		canceled, cancel := context.WithCancel(ctx)
		l.index.filling = cancel
		if _, err := l.Rebuild(canceled); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		l.wantWhole(d.ID)
		l.wantAnswered("When is rye baked?", "midnight", true)
	})
}

func TestReindex(t *testing.T) {
	ctx := t.Context()

	t.Run("every document is split and indexed again, from the database", func(t *testing.T) {
		l := newLibrary(t)
		typed, file := l.add("Bread", bread), l.addFile("a.pdf", cakes)
		l.work()
		l.index.changes()
		if n, err := l.Documents.Reindex(ctx, home, bot); err != nil || n != 2 {
			t.Errorf("%d are indexed again: %v", n, err)
		}
		if n := l.index.changes(); n != 2 || len(l.world.extracted) != 1 {
			t.Errorf("the index was changed %d times after %d extractions", n, len(l.world.extracted))
		}
		l.wantWhole(typed.ID)
		l.wantWhole(file.ID)
	})

	t.Run("what is marked is answered from until it has been indexed again", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		l.must(l.Documents.MarkReindex(ctx, home, bot))
		l.wantStates(knowledge.Indexing)
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.work()
		l.wantWhole(d.ID)
	})

	t.Run("one that breaks off is gone on with", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		l.index.away = true
		if _, err := l.Documents.Reindex(ctx, home, bot); err != nil {
			t.Error(err)
		}
		l.wantState(d.ID, knowledge.Indexing, "The index is away.")
		l.index.away = false
		l.clock.advance(time.Minute)
		l.work()
		l.wantWhole(d.ID)
	})

	t.Run("a chatbot that is not there has none", func(t *testing.T) {
		l := newLibrary(t)
		_, err := l.Documents.Reindex(ctx, home, "cb_nobody")
		l.wantKind(err, fault.NotFound)
	})
}
