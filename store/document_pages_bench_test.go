package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/pgtest"
	"parley/store"
	"parley/store/bots"
	knowledgestore "parley/store/knowledge"
	"parley/store/people"
)

// BenchmarkDocumentPages reads what the page Knowledge shows of 10,000 documents
// of 4 kB.
func BenchmarkDocumentPages(b *testing.B) {
	for name, url := range map[string]string{"sqlite": store.SQLiteScheme + filepath.Join(b.TempDir(), "parley.db"), "postgres": pgtest.New(b)} {
		b.Run(name, func(b *testing.B) {
			s, err := store.Open(b.Context(), url)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			listDocumentsFor(b, s, 10_000)
			pages := knowledgestore.NewKnowledgePages(s)
			for _, page := range []struct {
				name   string
				filter browse.Filter
				after  browse.Cursor
			}{
				{"first", browse.Filter{}, browse.Cursor{}},
				{"deep", browse.Filter{}, browse.Cursor{At: epoch.Add(5000 * time.Second), ID: "doc_5000"}},
				{"failed", browse.Filter{States: []knowledge.State{knowledge.Failed}}, browse.Cursor{}},
				{"search", browse.Filter{Search: "Opening hours 12"}, browse.Cursor{}},
				{"search nothing", browse.Filter{Search: "there is none"}, browse.Cursor{}},
			} {
				b.Run(page.name, func(b *testing.B) {
					for b.Loop() {
						if _, err := pages.DocumentPage(b.Context(), "ws", "cb", page.filter, browse.Slice{After: page.after, Limit: 51}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			b.Run("counts", func(b *testing.B) {
				for b.Loop() {
					if counts, err := pages.CountDocuments(b.Context(), "ws", "cb", browse.Filter{}); err != nil || counts[knowledge.Failed] != 100 {
						b.Fatal(counts, err)
					}
				}
			})
		})
	}
}

// listDocumentsFor adds documents to a new chatbot, of which each hundredth has
// failed.
func listDocumentsFor(b *testing.B, s *store.Store, n int) {
	b.Helper()
	ctx := b.Context()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	must(people.NewWorkspaces(s).CreateWorkspace(ctx, tenant.Workspace{ID: "ws", Plan: plan.Standard, CreatedAt: epoch}))
	must(bots.NewChatbots(s).CreateChatbot(ctx, "ws", chatbot.Chatbot{ID: "cb", CreatedAt: epoch}))
	must(knowledgestore.NewSources(s).CreateSource(ctx, "ws", knowledge.Source{ID: "src", ChatbotID: "cb", CreatedAt: epoch}))
	found := make([]knowledge.Document, n)
	for i := range found {
		at := epoch.Add(time.Duration(i) * time.Second)
		found[i] = knowledge.Document{
			ID: fmt.Sprintf("doc_%04d", i), WorkspaceID: "ws", ChatbotID: "cb", SourceID: "src", URL: fmt.Sprint("https://bakery.example/", i),
			Title: fmt.Sprint("Opening hours ", i), Kind: knowledge.HTML, State: knowledge.Ready,
			Content: strings.Repeat("The bakery opens at seven. ", 150), UpdatedAt: at, CreatedAt: at,
		}
		if i%100 == 0 {
			found[i].State = knowledge.Failed
		}
	}
	_, err := knowledgestore.NewSources(s).CreateFound(ctx, "ws", knowledge.Source{ID: "src"}, found, n, n)
	must(err)
}
