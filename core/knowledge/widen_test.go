package knowledge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/text/lexical"
)

// placed stores a document of passages as they are given, each with its
// headings before a colon, and puts it into the index.
func (l *library) placed(title string, passages ...string) {
	l.Helper()
	ctx, now := l.Context(), l.clock.Now()
	d := knowledge.Document{
		ID: "doc_" + title, WorkspaceID: home, ChatbotID: bot, Title: title, Kind: knowledge.Markdown, State: knowledge.Ready,
		Version: 1, Live: 1, Passages: len(passages), UpdatedAt: now, CreatedAt: now,
	}
	l.must(l.db.CreateDocument(ctx, home, d))
	l.must(l.db.UpdateDocument(ctx, home, d.State, d, true))
	var rows []retrieval.Passage
	for i, text := range passages {
		headings, text, _ := strings.Cut(text, ":")
		rows = append(rows, retrieval.Passage{DocumentID: d.ID, Ordinal: i, Title: title, HeadingPath: strings.Fields(headings), Text: text})
	}
	l.must(l.db.AddPassages(ctx, home, d, rows))
	stored, err := l.db.Passages(ctx, home, d.ID, 1)
	l.must(err)
	var entries []retrieval.Entry
	for _, p := range stored {
		entries = append(entries, retrieval.Entry{PassageID: p.ID, DocumentID: d.ID, Terms: lexical.Passage("", nil, p.Text)})
	}
	l.must(l.index.Index.Replace(ctx, homeScope, d.ID, entries))
}

// texts are the texts that are found for a word, best first.
func (l *library) texts(word string, limit int) []string {
	l.Helper()
	found, err := l.Search(l.Context(), homeScope, retrieval.Query{Text: word, Limit: limit})
	l.must(err)
	var texts []string
	for _, f := range found {
		texts = append(texts, f.Text)
	}
	return texts
}

func TestWiden(t *testing.T) {
	full := strings.Repeat("word ", 250)
	for name, c := range map[string]struct {
		passages []string
		limit    int
		want     []string
	}{
		"a short passage takes its neighbor on each side, and no more": {
			[]string{"A:one", "A:two", "A:rye", "A:four", "A:five"}, 5, []string{"two\n\nrye\n\nfour"},
		},
		"the first and the last have one": {
			[]string{"A:rye", "A:two"}, 5, []string{"rye\n\ntwo"},
		},
		"the answer to a question takes none": {
			[]string{"Why?:one", "Why?:rye", "Why?:three"}, 5, []string{"rye"},
		},
		"none is taken across headings": {
			[]string{"A:one", "A B:rye", "A:three"}, 5, []string{"rye"},
		},
		"nor across one in the text": {
			[]string{"A:one", "A:## Rye\n\nrye", "A:### Next\n\nthree"}, 5, []string{"## Rye\n\nrye"},
		},
		"nor across one that is underlined": {
			[]string{"A:one", "A:Rye\n---\nrye", "A:Next\n====\nthree"}, 5, []string{"Rye\n---\nrye"},
		},
		"a passage that is found itself is in no other": {
			[]string{"A:rye rye", "A:rye x"}, 5, []string{"rye rye", "rye x"},
		},
		"one between two that are found goes to the better one": {
			[]string{"A:rye x y", "A:two", "A:rye rye"}, 5, []string{"two\n\nrye rye", "rye x y"},
		},
		"a long passage takes none": {
			[]string{"A:one", "A:rye " + full, "A:three"}, 5, []string{"rye " + full},
		},
		"but of two long ones that are neighbors each takes the other side": {
			[]string{"A:one", "A:rye rye " + full, "A:rye " + full, "A:four"},
			5,
			[]string{"one\n\nrye rye " + full, "rye " + full + "\n\nfour"},
		},
		"what there is no room for is left out": {
			[]string{"A:" + full, "A:rye", "A:" + full}, 1, []string{"rye\n\n" + full},
		},
		"the header of a table that goes on is not repeated": {
			[]string{"A:Loaves\n\n| a | b |\n|---|---|\n| c | rye |", "A:| a | b |\n|---|---|\n| e | f |", "A:end"},
			5,
			[]string{"Loaves\n\n| a | b |\n|---|---|\n| c | rye |\n| e | f |"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLibrary(t)
			l.placed("it", c.passages...)
			l.placed("another", "A:oats", "A:barley")
			if got := l.texts("rye", c.limit); !slices.Equal(got, c.want) {
				t.Errorf("found %.300q\n want %.300q", got, c.want)
			}
		})
	}

	t.Run("a passage that takes its neighbors says where all of them stand", func(t *testing.T) {
		l := newLibrary(t)
		paragraph := func(word string, n int) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }
		all := paragraph("ä", 250) + "\n\n" + paragraph("rye", 110) + "\n\n" + paragraph("ö", 250)
		l.add("Bread", "# Größe\n\n"+all+"\n")
		found, err := l.Search(t.Context(), homeScope, retrieval.Query{Text: "rye", Limit: 5})
		l.must(err)
		if len(found) != 1 || found[0].Text != all || found[0].Start != len([]rune("# Größe\n\n")) || found[0].End-found[0].Start != len([]rune(all)) {
			t.Errorf("found %.900v", found)
		}
	})

	t.Run("and nothing where that was not kept", func(t *testing.T) {
		l := newLibrary(t)
		l.placed("it", "A:one", "A:rye", "A:three")
		found, err := l.Search(t.Context(), homeScope, retrieval.Query{Text: "rye", Limit: 5})
		l.must(err)
		if len(found) != 1 || found[0].Start != 0 || found[0].End != 0 {
			t.Errorf("found %+v", found)
		}
	})

	t.Run("a removed document lends nothing", func(t *testing.T) {
		l := newLibrary(t)
		l.placed("it", "A:one", "A:rye", "A:three")
		l.must(l.db.MarkRemoving(t.Context(), home, "doc_it", l.clock.Now()))
		if got := l.texts("rye", 5); len(got) != 0 {
			t.Errorf("found %q", got)
		}
	})

	t.Run("neighbors that cannot be read are left out", func(t *testing.T) {
		l := newLibrary(t)
		l.placed("it", "A:one", "A:rye", "A:three")
		l.passages = blind{l.db}
		l.open()
		if got := l.texts("rye", 5); !slices.Equal(got, []string{"rye"}) {
			t.Errorf("found %q", got)
		}
	})

	t.Run("an evaluation shows the passages as they are", func(t *testing.T) {
		l := newLibrary(t)
		l.placed("it", "A:one", "A:rye", "A:three")
		got, err := l.Evaluate(t.Context(), home, bot, []retrieval.Probe{{Question: "rye"}}, 5)
		l.must(err)
		if found := got.Probes[0].Found; len(found) != 1 || found[0].Text != "rye" {
			t.Errorf("found %+v", found)
		}
	})
}

// blind is a store that cannot look at neighbors.
type blind struct{ retrieval.Passages }

func (blind) LivePassagesAt(context.Context, string, string, []retrieval.Position) ([]retrieval.Passage, error) {
	return nil, errors.New("the database is away")
}

func TestWidenKeepsTheRanking(t *testing.T) {
	l, round := newLibrary(t), 0
	rapid.Check(t, func(r *rapid.T) {
		round++
		rye, oats := fmt.Sprint("rye", round), fmt.Sprint("oats", round)
		var all []string
		for d := range rapid.IntRange(1, 3).Draw(r, "documents") {
			var passages []string
			for range rapid.IntRange(1, 8).Draw(r, "passages") {
				text := fmt.Sprintf("%s:p%dq %s", rapid.SampledFrom([]string{"A", "A B", ""}).Draw(r, "headings"), len(all),
					rapid.SampledFrom([]string{rye, oats, rye + " " + oats, strings.Repeat(rye+" ", 200), "# head\n\n" + rye}).Draw(r, "text"))
				all = append(all, text)
				passages = append(passages, text)
			}
			l.placed(fmt.Sprint(round, "_", d), passages...)
		}
		query := retrieval.Query{Text: rye + " " + oats, Limit: rapid.IntRange(1, 12).Draw(r, "limit")}
		l.passages = l.db
		l.open()
		wide, err := l.Search(t.Context(), homeScope, query)
		l.must(err)
		l.passages = blind{l.db}
		l.open()
		plain, err := l.Search(t.Context(), homeScope, query)
		l.must(err)
		total, joined := 0, ""
		for i := range plain {
			if wide[i].ID != plain[i].ID || wide[i].Score != plain[i].Score || wide[i].Place != plain[i].Place || !strings.Contains(wide[i].Text, plain[i].Text) {
				r.Fatalf("hit %d is %+v, and was %+v", i, wide[i], plain[i])
			}
			total += len(wide[i].Text) - len(plain[i].Text)
			joined += wide[i].Text
		}
		if total > 2000*query.Limit+4*len(plain) {
			r.Fatalf("%d bytes were added for %d passages", total, query.Limit)
		}
		for i := range all {
			if n := strings.Count(joined, fmt.Sprintf("p%dq", i)); n > 1 {
				r.Fatalf("passage %d is there %d times", i, n)
			}
		}
	})
}
