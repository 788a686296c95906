package knowledge_test

import (
	"slices"
	"testing"

	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/store/bots"
	knowledgestore "parley/store/knowledge"
)

func (l *library) browser() *browse.Browser {
	return browse.New(bots.NewChatbots(l.db.Store), nil, nil, knowledgestore.NewKnowledgePages(l.db.Store), nil, nil)
}

// readByOlder makes a document one that an older reader has read.
func (l *library) readByOlder(d knowledge.Document) {
	l.Helper()
	d.ReaderVersion = 0
	l.must(l.ports.Stores.Documents.UpdateDocument(l.Context(), home, d.State, d, false))
}

func TestNotes(t *testing.T) {
	l := newLibrary(t)
	charts := []knowledge.Note{{Kind: knowledge.NoteChart, Count: 3}, {Kind: knowledge.NoteForm, Count: 1}}
	l.world.files = map[string]page{"menu.pdf": {notes: charts}}
	d := l.addFile("menu.pdf", bread)
	l.world.set(start, page{text: cakes, etag: "1", notes: charts})
	source := l.pageAt(start, knowledge.Never)
	l.work()
	t.Run("a document keeps what its reader did not read", func(t *testing.T) {
		if got, listed := l.get(d.ID).Notes, l.at(start).Notes; !slices.Equal(got, charts) || !slices.Equal(listed, charts) {
			t.Errorf("got %v, listed %v", got, listed)
		}
	})
	t.Run("a page whose text is the same has the notes of the last reading", func(t *testing.T) {
		l.world.set(start, page{text: cakes, etag: "2"})
		l.must(l.Sources.Sync(t.Context(), home, bot, source.ID))
		l.work()
		if now := l.at(start); len(now.Notes) != 0 || now.Version != 1 {
			t.Errorf("it is %+v", now)
		}
	})
}

func TestReaderVersion(t *testing.T) {
	l := newLibrary(t)
	l.world.set(start, page{text: bread, etag: "1"})
	source := l.pageAt(start, knowledge.Daily)
	typed := l.add("Cakes", cakes)
	l.work()
	t.Run("what is read has the version of its reader", func(t *testing.T) {
		if d := l.at(start); d.ReaderVersion != knowledge.ReaderVersion(knowledge.HTML) || d.ReaderOutdated() {
			t.Errorf("it is %+v", d)
		}
	})
	t.Run("a text that somebody typed needs no reader", func(t *testing.T) {
		if d := l.get(typed.ID); d.ReaderVersion != 0 || d.ReaderOutdated() {
			t.Errorf("it is %+v", d)
		}
	})
	l.readByOlder(l.at(start))
	t.Run("what an older one has read is outdated, and listed", func(t *testing.T) {
		listed, _, err := l.browser().Documents(t.Context(), home, bot, browse.Filter{ReaderOutdated: true}, browse.Slice{Limit: 10})
		counts, wrong := l.browser().Counts(t.Context(), home, bot, browse.Filter{ReaderOutdated: true})
		if err != nil || wrong != nil || len(listed) != 1 || !listed[0].ReaderOutdated() || counts[knowledge.Ready] != 1 {
			t.Errorf("listed %v (%v), counted %v (%v)", listed, err, counts, wrong)
		}
	})
	t.Run("its page is read whole on its schedule, though its server would say that nothing has changed", func(t *testing.T) {
		l.world.fetches()
		l.clock.advance(day)
		l.work()
		if asked := l.world.fetches(); len(asked) != 1 || asked[0].ETag != "" {
			t.Fatalf("asked was %+v", asked)
		}
		if d := l.at(start); d.ReaderOutdated() || d.Version != 1 {
			t.Errorf("it is %+v", d)
		}
		l.must(l.Sources.Sync(t.Context(), home, bot, source.ID))
		l.work()
		if asked := l.world.fetches(); len(asked) != 1 || asked[0].ETag != "1" {
			t.Errorf("asked was %+v", asked)
		}
	})
}
