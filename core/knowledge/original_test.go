package knowledge_test

import (
	"io"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
)

// original reads the file of a document as it was uploaded.
func (l *library) original(id string) (knowledge.Original, string, error) {
	l.Helper()
	o, body, err := l.Documents.Original(l.Context(), home, bot, id)
	if err != nil {
		return o, "", err
	}
	read, err := io.ReadAll(body)
	return o, string(read), err
}

func TestOriginal(t *testing.T) {
	large := bread + strings.Repeat("A longer line about bread.\n\n", 3*knowledge.OriginalPartBytes/28)

	t.Run("a file is kept as it was uploaded, and counts", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("große Karte.pdf", large)
		l.work()
		o, body, err := l.original(d.ID)
		if err != nil || body != large || o.Bytes != len(large) || o.Name != "große Karte.pdf" {
			t.Fatalf("got %+v with %d bytes: %v", o, len(body), err)
		}
		if want := knowledge.Stored(1, 2*len(large)); l.stored() != want {
			t.Errorf("%d bytes are stored, want %d", l.stored(), want)
		}
		_, _, err = l.Documents.Original(t.Context(), foreign, other, d.ID)
		l.wantKind(err, fault.NotFound)
	})

	t.Run("it goes with its document", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("menu.pdf", bread)
		l.work()
		l.must(l.Documents.Remove(t.Context(), home, bot, d.ID))
		l.work()
		_, err := l.db.Original(t.Context(), home, d.ID)
		l.wantKind(err, fault.NotFound)
		if l.stored() != 0 {
			t.Errorf("%d bytes are stored", l.stored())
		}
	})

	t.Run("what replaces the document replaces it", func(t *testing.T) {
		l := newLibrary(t)
		put := func(body string) knowledge.Document {
			d, err := l.Documents.Add(t.Context(), home, bot, knowledge.NewDocument{ExternalID: "menu", File: &knowledge.Upload{Name: "menu.pdf", Body: []byte(body)}})
			l.must(err)
			return d
		}
		d := put(bread)
		l.work()
		put(cakes)
		_, _, err := l.original(d.ID)
		l.wantKind(err, fault.NotFound)
		l.work()
		if _, body, err := l.original(d.ID); body != cakes || err != nil {
			t.Errorf("got %q: %v", body, err)
		}
		if want := knowledge.Stored(1, 2*len(cakes)); l.stored() != want {
			t.Errorf("%d bytes are stored, want %d", l.stored(), want)
		}
	})

	t.Run("it is not kept where the owner does not want that", func(t *testing.T) {
		l := newLibrary(t)
		l.must(l.db.UpdateChatbot(t.Context(), home, bot, chatbot.Settings{Name: "Baker", DiscardFiles: true}))
		d := l.addFile("menu.pdf", bread)
		l.work()
		_, _, err := l.original(d.ID)
		l.wantKind(err, fault.NotFound)
		l.wantWhole(d.ID)
		if now := l.get(d.ID); now.Original != "" || l.stored() != knowledge.Stored(1, len(bread)) {
			t.Errorf("it is %q, and %d bytes are stored", now.Original, l.stored())
		}
	})

	t.Run("where the plan has no room for it the document is read, and says so", func(t *testing.T) {
		l := newLibrary(t)
		l.limited(knowledge.Stored(1, 2*len(bread)-1))
		d := l.addFile("menu.pdf", bread)
		l.work()
		l.wantWhole(d.ID)
		if now := l.get(d.ID); now.Original != knowledge.OriginalTooLarge {
			t.Errorf("it is %q", now.Original)
		}
		_, _, err := l.original(d.ID)
		l.wantKind(err, fault.NotFound)
	})

	t.Run("after an upgrade it is read again by itself, once", func(t *testing.T) {
		l := newLibrary(t)
		kept := l.addFile("menu.pdf", bread)
		l.must(l.db.UpdateChatbot(t.Context(), home, bot, chatbot.Settings{Name: "Baker", DiscardFiles: true}))
		l.must(l.Selections.RereadOutdated(t.Context())) // nothing is outdated
		l.must(l.db.UpdateChatbot(t.Context(), home, bot, chatbot.Settings{Name: "Baker"}))
		l.work()
		l.readByOlder(l.get(kept.ID))
		l.world.extracted = nil
		for range 2 {
			l.must(l.Selections.RereadOutdated(t.Context()))
			l.work()
		}
		if len(l.world.extracted) != 1 || string(l.world.extracted[0].Body) != bread || l.world.extracted[0].Name != "menu.pdf" {
			t.Errorf("read were %d files", len(l.world.extracted))
		}
		if d := l.get(kept.ID); d.ReaderOutdated() || d.Original != knowledge.OriginalKept || d.State != knowledge.Ready {
			t.Errorf("it is %+v", d)
		}
	})

	t.Run("the file of a version before is none, and not tried again", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("menu.pdf", bread)
		l.work()
		l.must(l.db.KeepOriginal(t.Context(), home, d.ID, "of another", knowledge.Upload{Name: "menu.pdf", Body: []byte(cakes)}))
		_, _, err := l.original(d.ID)
		l.wantKind(err, fault.NotFound)
		l.readByOlder(l.get(d.ID))
		l.must(l.Selections.RereadOutdated(t.Context()))
		l.work()
		l.wantAnswered("When is rye baked?", "midnight", true)
		if found, err := l.db.OutdatedOriginals(t.Context(), l.ports.Stores.System, 10); len(found) != 0 || err != nil {
			t.Errorf("found %v: %v", found, err)
		}
	})

	t.Run("one that cannot be read any more is answered from as before, and not tried again", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("menu.pdf", bread)
		l.work()
		l.readByOlder(l.get(d.ID))
		l.world.files["menu.pdf"] = page{err: errScan}
		l.world.extracted = nil
		for range 2 {
			l.must(l.Selections.RereadOutdated(t.Context()))
			l.work()
		}
		l.wantState(d.ID, knowledge.Failed, "scan")
		l.wantAnswered("When is rye baked?", "midnight", true)
		if len(l.world.extracted) != 1 {
			t.Errorf("it was read %d times", len(l.world.extracted))
		}
	})
}
