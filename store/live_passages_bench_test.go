package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/core/tenant"
	"parley/internal/pgtest"
	"parley/store"
	"parley/store/bots"
	chatstore "parley/store/chat"
	knowledgestore "parley/store/knowledge"
	"parley/store/people"
)

// BenchmarkLivePassages looks up what a question finds: five passages of five
// documents of 20 kB, among 1,000, and the version of what the chatbot knows.
func BenchmarkLivePassages(b *testing.B) {
	for name, url := range map[string]string{"sqlite": store.SQLiteScheme + filepath.Join(b.TempDir(), "parley.db"), "postgres": pgtest.New(b)} {
		b.Run(name, func(b *testing.B) {
			s, err := store.Open(b.Context(), url)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			ids := manyDocuments(b, s, 1000)
			b.Run("passages", func(b *testing.B) {
				for b.Loop() {
					if found, err := knowledgestore.NewPassages(s).LivePassages(b.Context(), "ws", "cb", ids); err != nil || len(found) != 5 {
						b.Fatal(found, err)
					}
				}
			})
			b.Run("version", func(b *testing.B) {
				for b.Loop() {
					if version, err := chatstore.NewCachedAnswers(s).KnowledgeVersion(b.Context(), "ws", "cb"); err != nil || version == "v0" {
						b.Fatal(version, err)
					}
				}
			})
		})
	}
}

// manyDocuments adds documents to a new chatbot, and returns the passages of
// five of them.
func manyDocuments(b *testing.B, s *store.Store, n int) (ids []int64) {
	b.Helper()
	ctx := b.Context()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	must(people.NewWorkspaces(s).CreateWorkspace(ctx, tenant.Workspace{ID: "ws", Plan: plan.Standard, CreatedAt: epoch}))
	must(bots.NewChatbots(s).CreateChatbot(ctx, "ws", chatbot.Chatbot{ID: "cb", CreatedAt: epoch}))
	for i := range n {
		d := knowledge.Document{
			ID: fmt.Sprint("doc_", i), WorkspaceID: "ws", ChatbotID: "cb", Kind: knowledge.Markdown, State: knowledge.Indexing, Version: 1, Live: 1,
			Content: strings.Repeat("The bakery opens at seven. ", 750), ContentHash: fmt.Sprintf("%064d", i), UpdatedAt: epoch, CreatedAt: epoch,
		}
		must(knowledgestore.NewDocuments(s).CreateDocument(ctx, "ws", d))
		must(knowledgestore.NewDocuments(s).UpdateDocument(ctx, "ws", d.State, d, true))
		must(knowledgestore.NewPassages(s).AddPassages(ctx, "ws", d, []retrieval.Passage{{Title: "t", HeadingPath: []string{"h"}, Text: strings.Repeat("word ", 300)}}))
		if i%200 == 7 {
			passages, err := knowledgestore.NewPassages(s).Passages(ctx, "ws", d.ID, 1)
			must(err)
			ids = append(ids, passages[0].ID)
		}
	}
	return ids
}
