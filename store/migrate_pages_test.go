package store_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/ent/scope"
	"parley/store"
	chatstore "parley/store/chat"
	knowledgestore "parley/store/knowledge"
)

// beforeSizes are the rows of a database that kept neither the sizes of documents nor
// sums of usage records. The last two records are not counted, and are of two months.
var beforeSizes = []string{
	"INSERT INTO workspaces (id, name, plan, created_at) VALUES ('ws_a', 'a', 'standard', '2026-03-01 12:00:00+00:00')",
	"INSERT INTO chatbots (id, name, image_hosts, created_at, workspace_id) VALUES ('cb_a', 'a', '[]', '2026-03-01 12:00:00+00:00', 'ws_a')",
	`INSERT INTO documents (id, workspace_id, url, title, kind, state, content, content_hash, chars, created_at, chatbot_id) VALUES
	('doc_long', 'ws_a', 'https://example.com/` + strings.Repeat("x", 600) + `', 'Öffnungszeiten', 'markdown', 'ready', 'Grüße', 'hash', 5, '2026-03-01 12:00:00+00:00', 'cb_a'),
	('doc_empty', 'ws_a', '', 'File', 'pdf', 'failed', '', '', 0, '2026-03-01 12:00:00+00:00', 'cb_a')`,
	"INSERT INTO uploads (workspace_id, name, content_type, body, document_id) VALUES ('ws_a', 'file.pdf', 'application/pdf', 'abc', 'doc_empty')",
	`INSERT INTO receipts (workspace_id, chatbot_id, message_id, attempt, status, model, prompt_tokens, completion_tokens, estimated, first_token_ms, total_ms, refuted, counted, created_at) VALUES
	('ws_a', 'cb_a', 1, 1, 'complete', 'm', 100, 10, false, 200, 1000, 1, true, '2026-03-01 00:00:00+00:00'),
	('ws_a', 'cb_a', 2, 1, 'complete', 'm', 50, 5, true, 0, 0, 0, true, '2026-03-31 23:59:59.9+00:00'),
	('ws_a', 'cb_a', 3, 1, 'complete', 'm', 7, 1, false, 400, 2000, 2, false, '2026-03-31 23:59:59.9+00:00'),
	('ws_a', 'cb_a', 4, 1, 'complete', 'm', 9, 1, false, 0, 0, 0, false, '2026-04-01 00:00:00+00:00')`,
}

func TestADatabaseFromBeforeSizes(t *testing.T) {
	onBothTargets(t, func(to *target) {
		to.before(to.named("_faster_pages.sql"))
		to.exec(beforeSizes...)
		s, err := store.Open(to.Context(), to.url)
		to.must(err)
		defer s.Close()
		ctx := to.Context()
		to.Run("what is there has its size", func(t *testing.T) {
			chars, stored, err := knowledgestore.NewSizes(s).KnowledgeSizes(ctx, "ws_a")
			if err != nil || chars != 5 || stored != knowledge.Stored(2, len("Grüße")+len("abc")) {
				t.Errorf("%d characters and %d bytes are stored: %v", chars, stored, err)
			}
		})
		to.Run("it is searched as what comes later is", func(t *testing.T) {
			for _, id := range []string{"doc_long", "doc_empty"} {
				d, err := knowledgestore.NewDocuments(s).Document(ctx, "ws_a", "cb_a", id)
				to.must(err)
				row, err := s.Client(ctx).Document.Get(scope.Workspace(ctx, "ws_a"), id)
				want := []rune(strings.ToLower(d.Title + "\n" + d.URL))
				want = want[:min(500, len(want))]
				if err != nil || strings.ToLower(row.SearchText) != string(want) {
					t.Errorf("it is found by %q, want %q: %v", row.SearchText, string(want), err)
				}
			}
			for _, text := range []string{"Öffnung", "NUNGSZEITEN", "Example.com/x"} {
				filter := browse.Filter{Search: text}
				found, err := knowledgestore.NewKnowledgePages(s).DocumentPage(ctx, "ws_a", "cb_a", filter, browse.Slice{Limit: 5})
				if err != nil || len(found) != 1 || found[0].ID != "doc_long" {
					t.Errorf("%q finds %+v: %v", text, found, err)
				}
				if n, err := knowledgestore.NewKnowledgePages(s).CountDocuments(ctx, "ws_a", "cb_a", filter); err != nil || n[knowledge.Ready] != 1 || len(n) != 1 {
					t.Errorf("%q finds %v: %v", text, n, err)
				}
			}
		})
		to.Run("what answers cost is the same, counted or not", func(t *testing.T) {
			march := time.Date(2026, time.March, 5, 0, 0, 0, 0, time.UTC)
			got, err := chatstore.NewUsageRecords(s).Spent(ctx, "ws_a", march)
			want := []chat.Spent{{
				ChatbotID: "cb_a", Model: "m", Status: chat.Complete, Answers: 3, Estimated: 1, PromptTokens: 157, CompletionTokens: 16, Refuted: 3,
				FirstToken: 300 * time.Millisecond, Total: 1500 * time.Millisecond,
			}}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v: %v", got, want, err)
			}
		})
	})
}
