package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	knowledgestore "parley/store/knowledge"
	"parley/text/split"
)

func TestDocumentRoundTrip(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		at := func(minutes int) *time.Time { t := epoch.Add(time.Duration(minutes) * time.Minute); return &t }
		want := knowledge.Document{
			ID: "doc_whole", WorkspaceID: a.id, ChatbotID: a.chatbot, SourceID: a.source, URL: "https://example.com/x", Depth: 3,
			Title: "Title", Kind: knowledge.PDF, State: knowledge.Indexing, Reason: "why", Content: "# Ä\n\ntext",
			Places: []split.Place{{Offset: 0, Name: "page 1"}, {Offset: 4, Name: "page 2"}}, InputHash: "input", ContentHash: "content",
			Chars: 9, Passages: 2, Indexed: 1, Version: 3, Live: 2, Attempts: 4, DueAt: at(1), ETag: `W/"1"`, LastModified: "yesterday",
			FetchedAt: at(2), UpdatedAt: *at(4), CreatedAt: epoch,
		}
		created := want
		created.State = knowledge.Pending
		b.must(b.CreateDocument(ctx, a.id, created))
		b.must(b.UpdateDocument(ctx, a.id, knowledge.Pending, want, true))

		b.Run("a document is read as it was stored", func(t *testing.T) {
			got, err := b.Document(ctx, a.id, a.chatbot, want.ID)
			b.must(err)
			if fmt.Sprint(inText(got)) != fmt.Sprint(inText(want)) {
				t.Errorf("got\n%v\nwant\n%v", inText(got), inText(want))
			}
		})
		b.Run("in a list, without content and places", func(t *testing.T) {
			bare := want
			bare.Content, bare.Places = "", nil
			for what, list := range map[string]func() ([]knowledge.Document, error){
				"a chatbot's": func() ([]knowledge.Document, error) { return b.Documents(ctx, a.id, a.chatbot) },
				"a source's":  func() ([]knowledge.Document, error) { return b.SourceDocuments(ctx, a.id, a.source) },
				"all":         func() ([]knowledge.Document, error) { return collected(b.AllDocuments(ctx, everywhere)) },
			} {
				got, err := list()
				b.must(err)
				i := slices.IndexFunc(got, func(d knowledge.Document) bool { return d.ID == want.ID })
				if i < 0 || fmt.Sprint(inText(got[i])) != fmt.Sprint(inText(bare)) {
					t.Errorf("%s: got %+v", what, got)
				}
			}
		})
		b.Run("without content to write, the old one stays", func(t *testing.T) {
			changed := want
			changed.Content, changed.Places, changed.Title, changed.DueAt = "other", nil, "Other", nil
			b.must(b.UpdateDocument(ctx, a.id, knowledge.Indexing, changed, false))
			got, err := b.Document(ctx, a.id, a.chatbot, want.ID)
			b.must(err)
			if got.Content != want.Content || len(got.Places) != 2 || got.Title != "Other" || got.DueAt != nil {
				t.Errorf("got %+v", got)
			}
		})
	})
}

// inText has what pointers point to.
func inText(d knowledge.Document) []any {
	var times []time.Time
	for _, at := range []*time.Time{d.DueAt, d.FetchedAt} {
		if at != nil {
			times = append(times, *at)
		}
	}
	d.DueAt, d.FetchedAt = nil, nil
	return []any{d, times}
}

func TestUpdateDocument(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		stored := func() knowledge.Document {
			d, err := b.Document(ctx, a.id, a.chatbot, a.document)
			b.must(err)
			return d
		}
		first := stored() // ready, version 1

		b.Run("a document that is in another state is not found and stays as it is", func(t *testing.T) {
			before := b.rows(a.id)
			for _, from := range []knowledge.State{knowledge.Pending, knowledge.Indexing, knowledge.Failed, knowledge.Removing} {
				changed := first
				changed.Title = "mine"
				b.wantKind(b.UpdateDocument(ctx, a.id, from, changed, false), fault.NotFound)
			}
			if b.rows(a.id) != before {
				t.Error("it changed")
			}
		})
		b.Run("a content is stored once for each version", func(t *testing.T) {
			changed := first
			changed.Content, changed.Version, changed.State = "second", 2, knowledge.Indexing
			b.must(b.UpdateDocument(ctx, a.id, knowledge.Ready, changed, true))
			other := changed
			other.Content = "of one who came too late"
			b.wantKind(b.UpdateDocument(ctx, a.id, knowledge.Indexing, other, true), fault.NotFound)
			if got := stored().Content; got != "second" {
				t.Errorf("the content is %q", got)
			}
		})
		b.Run("a writer with an earlier version changes nothing", func(t *testing.T) {
			late := first
			late.State = knowledge.Ready
			b.wantKind(b.UpdateDocument(ctx, a.id, knowledge.Indexing, late, false), fault.NotFound)
			if got := stored().State; got != knowledge.Indexing {
				t.Errorf("it is %s", got)
			}
		})
		b.Run("removing is final, and takes it out of answers", func(t *testing.T) {
			b.must(b.MarkRemoving(ctx, a.id, a.document, epoch))
			got := stored()
			if got.State != knowledge.Removing || got.Live != 0 || got.DueAt == nil {
				t.Errorf("it is %+v", got)
			}
			for _, from := range []knowledge.State{knowledge.Indexing, knowledge.Ready} {
				changed := got
				changed.State = knowledge.Ready
				b.wantKind(b.UpdateDocument(ctx, a.id, from, changed, false), fault.NotFound)
			}
		})
		b.Run("a document that is being removed is not the equal of a new one", func(t *testing.T) {
			_, err := b.DocumentByInput(ctx, a.id, a.chatbot, "input of "+a.document)
			b.wantKind(err, fault.NotFound)
		})
	})
}

func TestDue(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		hour := func(n int) *time.Time { t := epoch.Add(time.Duration(n) * time.Hour); return &t }
		add := func(id, url string, due *time.Time) {
			d := a.newDocument(id)
			d.URL, d.DueAt = url, due
			if url == "" {
				d.SourceID = ""
			}
			b.must(b.CreateDocument(ctx, a.id, d))
		}
		add("doc_page_late", "https://example.com/1", hour(2))
		add("doc_page_early", "https://example.com/2", hour(1))
		add("doc_page_future", "https://example.com/3", hour(9))
		add("doc_file_late", "", hour(4))
		add("doc_file_early", "", hour(3))
		add("doc_rests", "", nil)
		add("doc_removed", "https://example.com/4", nil)
		b.must(b.MarkRemoving(ctx, a.id, "doc_removed", *hour(5)))

		b.Run("each kind of work has its documents, by time", func(t *testing.T) {
			for work, want := range map[string][]string{
				knowledge.IndexWork: {"doc_removed"}, knowledge.ExtractWork: {"doc_file_early", "doc_file_late"},
				knowledge.FetchWork: {"doc_page_early", "doc_page_late"},
			} {
				var got []string
				for {
					d, err := b.DueDocument(ctx, a.id, work, *hour(5), nil)
					if fault.Is(err, fault.NotFound) {
						break
					}
					b.must(err)
					got = append(got, d.ID)
					b.must(b.DeleteDocument(ctx, a.id, d.ID))
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: got %v, want %v", work, got, want)
				}
			}
		})
		b.Run("what is due comes with its content and places", func(t *testing.T) {
			d, err := b.DueDocument(ctx, a.id, knowledge.FetchWork, *hour(9), nil)
			if err != nil || d.ID != "doc_page_future" || d.Content != a.secret {
				t.Errorf("got %+v, %v", d, err)
			}
		})
		b.Run("a removal that was postponed is due later", func(t *testing.T) {
			add("doc_stuck", "", nil)
			b.must(b.MarkRemoving(ctx, a.id, "doc_stuck", *hour(0)))
			b.must(b.PostponeRemoval(ctx, a.id, "doc_stuck", 3, *hour(6)))
			_, err := b.DueDocument(ctx, a.id, knowledge.IndexWork, *hour(5), nil)
			b.wantKind(err, fault.NotFound)
			d, err := b.DueDocument(ctx, a.id, knowledge.IndexWork, *hour(6), nil)
			if err != nil || d.ID != "doc_stuck" || d.Attempts != 3 || d.State != knowledge.Removing {
				t.Errorf("got %+v, %v", d, err)
			}
		})
		b.Run("the source whose time came first is due first", func(t *testing.T) {
			early := a.newSource("src_early")
			early.DueAt = hour(-1)
			b.must(b.CreateSource(ctx, a.id, early))
			got, err := b.DueSource(ctx, a.id, epoch)
			if err != nil || got.ID != "src_early" {
				t.Errorf("got %+v, %v", got, err)
			}
			got.DueAt = nil
			b.must(b.UpdateSource(ctx, a.id, got))
			if got, err = b.DueSource(ctx, a.id, epoch); err != nil || got.ID != a.source {
				t.Errorf("got %+v, %v", got, err)
			}
		})
		b.Run("a workspace is due once for each kind of work, for documents or sources", func(t *testing.T) {
			other, third := b.fill("b"), b.fill("c")
			for _, w := range []tenancy{other, third} {
				rests := w.newSource(w.source)
				rests.DueAt = nil
				b.must(b.UpdateSource(ctx, w.id, rests))
			}
			b.must(b.MarkReindex(ctx, other.id, other.chatbot, *hour(2)))
			fetch, index := knowledge.DueWork{WorkspaceID: a.id, Work: knowledge.FetchWork}, knowledge.DueWork{WorkspaceID: other.id, Work: knowledge.IndexWork}
			for at, want := range map[time.Time][]knowledge.DueWork{
				*hour(-1): nil, *hour(0): {fetch}, *hour(2): {fetch, index}, *hour(9): {fetch, {WorkspaceID: a.id, Work: knowledge.IndexWork}, index},
			} {
				if got, err := collected(b.WorkspacesDue(ctx, everywhere, at)); err != nil || !slices.Equal(got, want) {
					t.Errorf("at %v: %v, want %v: %v", at, got, want, err)
				}
			}
		})
	})
}

func TestMarks(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		later := epoch.Add(time.Hour)
		states := []knowledge.State{
			knowledge.Pending, knowledge.Fetching, knowledge.Extracting, knowledge.Indexing, knowledge.Ready, knowledge.Failed, knowledge.Removing,
		}
		add := func(prefix string, version int) {
			for _, state := range states {
				d := a.newDocument(prefix + string(state))
				d.State = state
				b.must(b.CreateDocument(ctx, a.id, d))
				d.Version, d.Live, d.Attempts, d.Reason = version, version, 5, "why"
				b.must(b.UpdateDocument(ctx, a.id, state, d, version > 0))
			}
		}
		marked := func(prefix string, as knowledge.State) (got []string) {
			all, err := b.Documents(ctx, a.id, a.chatbot)
			b.must(err)
			for _, d := range all {
				if d.State == as && d.DueAt != nil && d.DueAt.Equal(later) && d.Attempts == 0 && d.Reason == "" && d.UpdatedAt.Equal(later) {
					got = append(got, d.ID)
				}
			}
			slices.Sort(got)
			return got
		}

		b.Run("reindexing takes settled documents that have a content, and keeps them in answers", func(t *testing.T) {
			add("doc_with_", 1)
			add("doc_without_", 0)
			b.must(b.MarkReindex(ctx, a.id, a.chatbot, later))
			if got := marked("doc_", knowledge.Indexing); fmt.Sprint(got) != "[doc_a doc_with_failed doc_with_ready]" {
				t.Errorf("marked are %v", got)
			}
			d, err := b.Document(ctx, a.id, a.chatbot, "doc_with_ready")
			b.must(err)
			if d.Live != 1 || d.ContentHash != "" || d.Content == "" {
				t.Errorf("it is %+v", d)
			}
		})
		b.Run("refreshing takes the settled documents of the source", func(t *testing.T) {
			own := a.newDocument("doc_own")
			own.SourceID, own.State = "", knowledge.Ready
			b.must(b.CreateDocument(ctx, a.id, own))
			add("doc_again_", 1)
			b.must(b.RefreshFound(ctx, a.id, a.source, later))
			want := "[doc_again_failed doc_again_ready doc_without_failed doc_without_ready]"
			if got := marked("doc_again_", knowledge.Pending); fmt.Sprint(got) != want {
				t.Errorf("marked are %v, want %v", got, want)
			}
		})
		b.Run("changed since a time are those that were changed then or later, and all that are being indexed", func(t *testing.T) {
			for since, want := range map[time.Time]int{epoch: 23, later: 10, later.Add(time.Second): 6} {
				if got, err := collected(b.ChangedDocuments(ctx, everywhere, since)); err != nil || len(got) != want {
					t.Errorf("%d since %v, want %d: %v", len(got), since, want, err)
				}
			}
		})
	})
}

func TestCreateFound(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // the source has one document
		ctx := b.Context()
		source := a.newSource(a.source)
		found := func(ids ...string) (all []knowledge.Document) {
			for _, id := range ids {
				all = append(all, a.newDocument(id))
			}
			return all
		}
		add := func(t *testing.T, documents []knowledge.Document, limit, want int) {
			t.Helper()
			if n, err := b.CreateFound(ctx, a.id, source, documents, limit, 10_000); err != nil || n != want {
				t.Errorf("%d were added, want %d: %v", n, want, err)
			}
		}
		b.Run("an address is added once, whether it is known or named twice", func(t *testing.T) {
			twice := found("doc_1", "doc_1b", "doc_2")
			twice[1].URL = twice[0].URL
			add(t, append(twice, a.newDocument(a.document)), 100, 2)
			add(t, twice, 100, 0)
		})
		b.Run("the first are added until the source has its limit", func(t *testing.T) {
			add(t, found("doc_3", "doc_4", "doc_5"), 5, 2)
			add(t, found("doc_6"), 5, 0)
			_, err := b.Document(ctx, a.id, a.chatbot, "doc_4")
			b.must(err)
		})
		b.Run("the same address can be another source's", func(t *testing.T) {
			source = a.newSource("src_other")
			b.must(b.CreateSource(ctx, a.id, source))
			same := found("doc_7")
			same[0].SourceID, same[0].URL = source.ID, found("doc_1")[0].URL
			add(t, same, 5, 1)
		})
		b.Run("the pages of a source are counted by their states", func(t *testing.T) {
			failed := found("doc_8")
			failed[0].SourceID, failed[0].State = source.ID, knowledge.Failed
			add(t, failed, 5, 1)
			counts, err := knowledgestore.NewKnowledgePages(b.Store).CountPages(ctx, a.id, []string{source.ID, "src_none"})
			b.must(err)
			if got := counts[source.ID]; len(counts) != 1 || got[knowledge.Failed] != 1 || got[knowledge.Pending] != 1 || len(got) != 2 {
				t.Errorf("they are %v", counts)
			}
		})
		b.Run("10,000 addresses are added at once", func(t *testing.T) {
			source = a.newSource("src_large")
			b.must(b.CreateSource(ctx, a.id, source))
			all := make([]knowledge.Document, knowledge.MaxPages+10)
			for i := range all {
				all[i] = a.newDocument(fmt.Sprint("doc_large_", i))
				all[i].SourceID = source.ID
			}
			add(t, all, knowledge.MaxPages, knowledge.MaxPages)
		})
	})
}

func TestUploads(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		body := make([]byte, 1<<20)
		for i := range body {
			body[i] = byte(i * 7)
		}
		b.must(b.CreateDocument(ctx, a.id, a.newDocument("doc_file")))
		b.must(b.CreateUpload(ctx, a.id, "doc_file", knowledge.Upload{Name: "a.pdf", ContentType: "application/pdf", Body: body}))
		got, err := b.Upload(ctx, a.id, "doc_file")
		b.must(err)
		if got.Name != "a.pdf" || got.ContentType != "application/pdf" || !slices.Equal(got.Body, body) {
			b.Error("the file came back changed")
		}
		b.must(b.DeleteUpload(ctx, a.id, "doc_file"))
		b.must(b.DeleteUpload(ctx, a.id, "doc_file"))
		_, err = b.Upload(ctx, a.id, "doc_file")
		b.wantKind(err, fault.NotFound)
	})
}
