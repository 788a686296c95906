package store_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"parley/core/knowledge"
	"parley/core/knowledge/browse"
)

func TestDocumentPages(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		b.must(b.DeleteDocument(ctx, a.id, a.document))
		add := func(id, title, url string, kind knowledge.Kind, state knowledge.State, at time.Time) {
			d := a.newDocument(id)
			d.Title, d.URL, d.Kind, d.State, d.CreatedAt = title, url, kind, state, at
			if url == "" {
				d.SourceID = ""
			}
			b.must(b.CreateDocument(ctx, a.id, d))
		}
		add("doc_1", "Opening hours", "", knowledge.PDF, knowledge.Ready, epoch)
		add("doc_2", "100% rye_bread", "", knowledge.Markdown, knowledge.Ready, epoch.Add(1500*time.Millisecond))
		add("doc_4", "Rye bread", "", knowledge.Markdown, knowledge.Failed, epoch.Add(2*time.Second))
		add("doc_3", "Prices", "https://shop.example/Rye", knowledge.HTML, knowledge.Pending, epoch.Add(2*time.Second))
		add("doc_5", `back\slash`, "https://shop.example/", knowledge.HTML, knowledge.Fetching, epoch.Add(3*time.Second))

		for name, want := range map[string]struct {
			filter browse.Filter
			ids    []string
		}{
			"all, the newest first":      {browse.Filter{}, []string{"doc_5", "doc_4", "doc_3", "doc_2", "doc_1"}},
			"by a word of title and url": {browse.Filter{Search: "rYe"}, []string{"doc_4", "doc_3", "doc_2"}},
			"by a percent sign":          {browse.Filter{Search: "0%"}, []string{"doc_2"}},
			"by a line":                  {browse.Filter{Search: "rye_b"}, []string{"doc_2"}},
			"by a backslash":             {browse.Filter{Search: `k\s`}, []string{"doc_5"}},
			"by a quote":                 {browse.Filter{Search: `'; --`}, nil},
			"by kind":                    {browse.Filter{Kind: knowledge.HTML}, []string{"doc_5", "doc_3"}},
			"by states":                  {browse.Filter{States: []knowledge.State{knowledge.Pending, knowledge.Failed}}, []string{"doc_4", "doc_3"}},
			"by source":                  {browse.Filter{SourceID: a.source, Search: "prices"}, []string{"doc_3"}},
		} {
			b.Run("documents are listed "+name, func(t *testing.T) {
				for _, limit := range []int{10, 1, 2} {
					if got := b.walk(a, want.filter, limit, false); !slices.Equal(got, want.ids) {
						t.Errorf("in pages of %d: %v, want %v", limit, got, want.ids)
					}
					slices.Reverse(want.ids)
					if got := b.walk(a, want.filter, limit, true); !slices.Equal(got, want.ids) {
						t.Errorf("oldest first, in pages of %d: %v, want %v", limit, got, want.ids)
					}
					slices.Reverse(want.ids)
				}
				counts, err := b.CountDocuments(ctx, a.id, a.chatbot, want.filter)
				sum := 0
				for _, n := range counts {
					sum += n
				}
				if err != nil || sum != len(want.ids) {
					t.Errorf("the counts are %v, %v", counts, err)
				}
			})
		}
		b.Run("a page leaves contents out", func(t *testing.T) {
			page, err := b.DocumentPage(ctx, a.id, a.chatbot, browse.Filter{}, browse.Slice{Limit: 1})
			if err != nil || page[0].Content != "" || page[0].Title != `back\slash` {
				t.Errorf("it is %+v, %v", page, err)
			}
		})
		b.Run("the answers that were given a document come with their questions, the newest first", func(t *testing.T) {
			answers, err := b.AnswersGiven(ctx, a.id, a.chatbot, a.document, 100, 10)
			if err != nil || len(answers) != 1 || answers[0].Question == "" || answers[0].Text == "" {
				t.Errorf("they are %+v, %v", answers, err)
			}
		})
	})
}

func TestSpanTexts(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		b.Run("spans of a version have their texts, together with neighbors, as long as it is stored", func(t *testing.T) {
			d, err := b.Document(ctx, a.id, a.chatbot, a.document)
			b.must(err)
			passages := a.newPassages(3)
			for i := range passages {
				passages[i].Start, passages[i].End, passages[i].Text = 100*i, 100*i+90, fmt.Sprint("part ", i)
			}
			b.goLive(d, passages)
			version := d.Version + 1
			span := func(from, to int) browse.Span {
				return browse.Span{DocumentID: d.ID, Version: version, Start: from, End: to}
			}
			gone, unknown := browse.Span{DocumentID: d.ID, Version: d.Version, End: 90}, browse.Span{DocumentID: "doc_none", Version: 1, End: 90}
			texts, err := b.SpanTexts(ctx, a.id, a.chatbot, []browse.Span{span(100, 190), span(100, 290), span(1, 90), gone, unknown})
			want := map[browse.Span]string{span(100, 190): "part 1", span(100, 290): "part 1\n\npart 2"}
			if err != nil || !maps.Equal(texts, want) {
				t.Errorf("they are %v, %v, want %v", texts, err, want)
			}
		})
	})
}

// walk lists documents, page by page.
func (b *bundle) walk(a tenancy, filter browse.Filter, limit int, oldestFirst bool) (ids []string) {
	b.Helper()
	slice := browse.Slice{Limit: limit, OldestFirst: oldestFirst}
	for {
		page, err := b.DocumentPage(b.Context(), a.id, a.chatbot, filter, slice)
		b.must(err)
		for _, d := range page {
			ids = append(ids, d.ID)
		}
		if len(page) < limit {
			return ids
		}
		last := page[len(page)-1]
		cursor, err := browse.ParseCursor("after", browse.Cursor{At: last.CreatedAt, ID: last.ID}.String())
		b.must(err)
		if slice.After = cursor; len(ids) > 100 {
			b.Fatal(fmt.Sprint("it does not end: ", ids))
		}
	}
}
