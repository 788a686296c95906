package knowledge_test

import (
	"fmt"
	"testing"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/retrieval"
	chatstore "parley/store/chat"
)

// version is the version of what the chatbot knows.
func (l *library) version() string {
	l.Helper()
	version, err := chatstore.NewCachedAnswers(l.db.Store).KnowledgeVersion(l.Context(), home, bot)
	l.must(err)
	return version
}

// answeredFrom names the versions of documents that are answered from.
func (l *library) answeredFrom() (live string) {
	l.Helper()
	for _, d := range l.list() {
		if d.Live > 0 {
			live += fmt.Sprintf("%s %d\n", d.ID, d.Live)
		}
	}
	return live
}

// The clock stands still: a version must not go by it.
func TestKnowledgeVersion(t *testing.T) {
	l := newLibrary(t)
	ctx := t.Context()
	l.world.set(start, page{text: bread, etag: "1"})
	l.world.files["scan.pdf"] = page{err: errScan}
	var text, scan knowledge.Document
	var source knowledge.Source
	seen := map[string]bool{l.version(): true}
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"a text is added while the index is away", func() {
			l.index.away = true
			text = l.add("Cakes", cakes)
		}},
		{"it goes in at the next try", func() {
			l.index.away = false
			l.must(l.Documents.Retry(ctx, home, bot, text.ID))
			l.work()
		}},
		{"the same text is added again", func() { l.add("Cakes", cakes) }},
		{"a page is added", func() {
			source = l.pageAt(start, knowledge.Never)
			l.work()
		}},
		{"the page is read again and is unchanged", func() {
			l.must(l.Sources.Sync(ctx, home, bot, source.ID))
			l.work()
		}},
		{"the page cannot be read", func() {
			l.world.set(start, page{err: fault.New(fault.Invalid, "It is a riddle.")})
			l.must(l.Sources.Sync(ctx, home, bot, source.ID))
			l.work()
		}},
		{"the page has changed and the index is away", func() {
			l.world.set(start, page{text: "# Oats\n\nOats are for horses.\n"})
			l.index.away = true
			l.must(l.Documents.Retry(ctx, home, bot, l.at(start).ID))
			l.work()
		}},
		{"its owner cancels the work", func() { l.must(l.Documents.Cancel(ctx, home, bot, l.at(start).ID)) }},
		{"and retries it when the index is back", func() {
			l.index.away = false
			l.must(l.Documents.Retry(ctx, home, bot, l.at(start).ID))
			l.work()
		}},
		{"a file fails", func() {
			scan = l.addFile("scan.pdf", bread)
			l.work()
		}},
		{"and fails again", func() {
			l.must(l.Documents.Retry(ctx, home, bot, scan.ID))
			l.work()
		}},
		{"everything is split anew", func() {
			_, err := l.Documents.Reindex(ctx, home, bot)
			l.must(err)
		}},
		{"the text is removed and the index holds it still", func() {
			l.index.lie = true
			l.must(l.Documents.Remove(ctx, home, bot, text.ID))
		}},
		{"its removal is confirmed", func() {
			l.index.lie = false
			l.clock.advance(day)
			l.must(l.Worker.Sweep(ctx))
			l.work()
			l.wantGone(text.ID)
		}},
		{"the text is added again", func() { text = l.add("Cakes", cakes) }},
		{"one text goes and another comes", func() {
			l.must(l.Documents.Remove(ctx, home, bot, text.ID))
			text = l.add("Cakes", cakes)
		}},
		{"another chatbot learns something", func() {
			_, err := l.Documents.Add(ctx, foreign, other, knowledge.NewDocument{Title: "Cakes", Content: cakes})
			l.must(err)
		}},
		{"the page goes with its source", func() {
			l.must(l.Sources.Remove(ctx, home, bot, source.ID))
			l.work()
		}},
		{"the last text goes", func() { l.must(l.Documents.Remove(ctx, home, bot, text.ID)) }},
	} {
		live, version := l.answeredFrom(), l.version()
		step.do()
		changed := l.answeredFrom() != live
		t.Run(fmt.Sprintf("%s: a new version is %v", step.name, changed), func(t *testing.T) {
			got := l.version()
			if changed && seen[got] || !changed && got != version {
				t.Errorf("the version is %s after %s", got, version)
			}
			seen[got] = true
		})
	}
	if len(seen) < 9 {
		t.Errorf("there were only the versions %v", seen)
	}
}

// stands fails unless what is found for a question is of a version of a
// document, says so, and stands where it says.
func (l *library) stands(question string, version int, content, hash string) {
	l.Helper()
	found, err := l.Search(l.Context(), homeScope, retrieval.Query{Text: question, Limit: 5})
	l.must(err)
	if len(found) == 0 || hash == "" {
		l.Fatalf("%d passages are found, and the hash is %q", len(found), hash)
	}
	for _, f := range found {
		if f.Version != version || f.ContentHash != hash || f.Text != string([]rune(content)[f.Start:f.End]) {
			l.Errorf("found is %+v, want version %d with the hash %s", f, version, hash)
		}
	}
}

func TestFoundSaysWhereItStands(t *testing.T) {
	const first, second = "# Größe\n\nThe rye loaf weighs 2 kg.\n", "# Größe der Brote\n\nThe rye loaf weighs 3 kg.\n"
	l := newLibrary(t)
	l.world.set(start, page{text: first})
	source := l.pageAt(start, knowledge.Never)
	l.work()
	before := l.at(start).ContentHash
	l.world.set(start, page{text: second})
	renew := func() {
		l.must(l.Sources.Sync(t.Context(), home, bot, source.ID))
		l.work()
	}

	t.Run("a passage has the hash of the version that it is of", func(t *testing.T) {
		l.stands("rye", 1, first, before)
	})
	t.Run("until the next version is in the index, and as soon as it is", func(t *testing.T) {
		l.index.before = func() { l.stands("rye", 1, first, before) }
		l.index.after = func() { l.stands("rye", 2, second, l.at(start).ContentHash) }
		renew()
		l.stands("rye", 2, second, l.at(start).ContentHash)
	})
	t.Run("and while it waits to be split again, for which its own hash is cleared", func(t *testing.T) {
		before := l.at(start).ContentHash
		l.must(l.Documents.MarkReindex(t.Context(), home, bot))
		l.stands("rye", 2, second, before)
		l.index.away = true
		l.work()
		l.stands("rye", 2, second, before)
	})
}
