package store_test

import (
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
)

func TestExternalIDs(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, stranger := b.fill("a"), b.fill("b")
		ctx := b.Context()
		holder := func() string {
			d, err := b.DocumentByExternalID(ctx, a.id, a.chatbot, "hours")
			if !fault.Is(err, fault.NotFound) {
				b.must(err)
			}
			return d.ID
		}
		named := func(w *tenancy, id string) knowledge.Document {
			d := w.newDocument(id)
			d.SourceID, d.ExternalID = "", "hours"
			return d
		}
		b.must(b.CreateDocument(ctx, a.id, named(&a, "doc_hours")))
		b.must(b.CreateDocument(ctx, stranger.id, named(&stranger, "doc_strange")))

		b.Run("a chatbot has one document with an external ID, and each has its own", func(t *testing.T) {
			b.wantKind(b.CreateDocument(ctx, a.id, named(&a, "doc_second")), fault.Conflict)
			if holder() != "doc_hours" {
				t.Errorf("it is %q", holder())
			}
		})
		b.Run("a page of documents has the one with an external ID", func(t *testing.T) {
			page, err := b.DocumentPage(ctx, a.id, a.chatbot, browse.Filter{ExternalID: "hours"}, browse.Slice{Limit: 10})
			counts, failed := b.CountDocuments(ctx, a.id, a.chatbot, browse.Filter{ExternalID: "hours"})
			if err != nil || failed != nil || len(page) != 1 || page[0].ExternalID != "hours" || len(counts) != 1 {
				t.Errorf("they are %+v, %v, %v, %v", page, counts, err, failed)
			}
		})
		b.Run("the URL and what was given are stored with a new version", func(t *testing.T) {
			d, err := b.Document(ctx, a.id, a.chatbot, "doc_hours")
			b.must(err)
			d.URL, d.InputHash, d.Version = "https://example.com/moved", "another", d.Version+1
			b.must(b.UpdateDocument(ctx, a.id, d.State, d, true))
			got, err := b.DocumentByExternalID(ctx, a.id, a.chatbot, "hours")
			if err != nil || got.URL != d.URL || got.InputHash != d.InputHash {
				t.Errorf("it is %+v, %v", got, err)
			}
		})
		b.Run("a removed document has none", func(t *testing.T) {
			b.must(b.MarkRemoving(ctx, a.id, "doc_hours", epoch))
			if holder() != "" {
				t.Errorf("it is %q", holder())
			}
			b.must(b.CreateDocument(ctx, a.id, named(&a, "doc_next")))
		})
		b.Run("a withdrawn document keeps it until that is over, or it is given to another", func(t *testing.T) {
			later := epoch.Add(time.Minute)
			withdraw := func(id string) {
				if n, err := b.Withdraw(ctx, a.id, a.chatbot, []string{id}, epoch, later); err != nil || n != 1 {
					t.Errorf("%d were withdrawn, %v", n, err)
				}
			}
			withdraw("doc_next")
			b.wantKind(b.CreateDocument(ctx, a.id, named(&a, "doc_last")), fault.Conflict)
			b.must(b.ReleaseExternalID(ctx, a.id, a.chatbot, "hours"))
			b.must(b.CreateDocument(ctx, a.id, named(&a, "doc_last")))
			if left, err := b.Withdrawn(ctx, a.id, a.chatbot, later); err != nil || len(left) != 0 {
				t.Errorf("%+v can be brought back, %v", left, err)
			}
			withdraw("doc_last")
			b.must(b.EndUndo(ctx, a.id, "doc_last", later))
			b.must(b.CreateDocument(ctx, a.id, named(&a, "doc_after")))
		})
		b.Run("the documents of a removed source have none", func(t *testing.T) {
			page := named(&a, "doc_page")
			page.ExternalID, page.SourceID = "page", a.source
			b.must(b.CreateDocument(ctx, a.id, page))
			b.must(b.MarkSourceRemoving(ctx, a.id, a.source, epoch))
			got, err := b.Document(ctx, a.id, a.chatbot, page.ID)
			if err != nil || got.ExternalID != "" {
				t.Errorf("it is %+v, %v", got, err)
			}
		})
		b.Run("what another chatbot does changes nothing", func(t *testing.T) {
			b.must(b.ReleaseExternalID(ctx, a.id, stranger.chatbot, "hours"))
			if d, err := b.DocumentByExternalID(ctx, stranger.id, stranger.chatbot, "hours"); err != nil || d.ID != "doc_strange" {
				t.Errorf("it is %+v, %v", d, err)
			}
		})
	})
}

func TestReceipts(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		want := a.newRemoval("doc_gone_" + a.id)
		for name, get := range map[string]func(chatbotID string) (knowledge.Removal, error){
			"its own ID": func(chatbotID string) (knowledge.Removal, error) { return b.Removal(ctx, a.id, chatbotID, want.ID) },
			"its document's": func(chatbotID string) (knowledge.Removal, error) {
				return b.RemovalOf(ctx, a.id, chatbotID, want.DocumentID)
			},
		} {
			b.Run("a receipt is found by "+name+", for its chatbot", func(t *testing.T) {
				if got, err := get(a.chatbot); err != nil || got.ID != want.ID || got.DocumentID != want.DocumentID {
					t.Errorf("it is %+v, %v", got, err)
				}
				_, err := get("cb_another")
				b.wantKind(err, fault.NotFound)
			})
		}
	})
}
