package store_test

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"parley/core/chat"
	"parley/core/knowledge"
	"parley/store"
	chatstore "parley/store/chat"
	knowledgestore "parley/store/knowledge"
)

// ofVersionOne are the rows of a database before documents had versions.
var ofVersionOne = []string{
	"INSERT INTO workspaces (id, name, plan, created_at) VALUES ('ws_a', 'a', 'standard', '2026-03-01 12:00:00+00:00')",
	"INSERT INTO chatbots (id, name, image_hosts, created_at, workspace_id) VALUES ('cb_a', 'a', '[]', '2026-03-01 12:00:00+00:00', 'ws_a')",
	"INSERT INTO conversations (id, chatbot_id, external_user_id, status, created_at, workspace_id) VALUES (5, 'cb_a', '', 'active', '2026-03-01 12:00:00+00:00', 'ws_a')",
	"INSERT INTO messages (id, workspace_id, role, content, status, created_at, conversation_id) VALUES (7, 'ws_a', 'assistant', 'said', 'complete', '2026-03-01 12:00:00+00:00', 5)",
}

// before applies the migrations before one.
func (to *target) before(name string) {
	to.Helper()
	earlier := fstest.MapFS{}
	for file, text := range to.with(nil) {
		if file < name {
			earlier[file] = text
		}
	}
	if len(earlier) == 0 {
		to.Fatalf("no file comes before %s", name)
	}
	to.must(to.apply(fs.FS(earlier)))
}

// fillVersionOne fills a database from before documents had versions.
func (to *target) fillVersionOne() {
	to.Helper()
	to.exec(ofVersionOne...)
	for i, state := range []string{"ready", "pending", "failed", "removing"} {
		to.exec(fmt.Sprintf(`INSERT INTO documents (id, workspace_id, title, kind, state, content, content_hash, chars, passage_count, created_at, chatbot_id)
			VALUES ('doc_%s', 'ws_a', 'title', 'markdown', '%[1]s', 'text', 'hash of %[1]s', 4, 2, '2026-03-01 12:00:00+00:00', 'cb_a')`, state))
		for n := range 2 {
			to.exec(fmt.Sprintf(`INSERT INTO passages (id, workspace_id, chatbot_id, ordinal, title, heading_path, text, document_id)
				VALUES (%d, 'ws_a', 'cb_a', %d, 'title', '["Heading"]', 'text', 'doc_%s')`, 10*i+n+1, n, state))
		}
	}
}

func TestDocumentsOfBeforeVersions(t *testing.T) {
	onBothTargets(t, func(to *target) {
		to.before("20261121135400_knowledge.sql")
		to.fillVersionOne()
		s, err := store.Open(to.Context(), to.url)
		to.must(err)
		defer s.Close()
		ctx := to.Context()
		get := func(state string) knowledge.Document {
			d, err := knowledgestore.NewDocuments(s).Document(ctx, "ws_a", "cb_a", "doc_"+state)
			to.must(err)
			return d
		}

		to.Run("what was ready is answered from, whole, and has nothing left to do", func(t *testing.T) {
			d := get("ready")
			if d.Live != 1 || d.Version != 1 || d.Indexed != 2 || d.DueAt != nil || d.Content != "text" || !d.UpdatedAt.Equal(epoch) {
				t.Errorf("it is %+v", d)
			}
			live, err := knowledgestore.NewPassages(s).LivePassages(ctx, "ws_a", "cb_a", []int64{1, 2, 11, 12, 21, 31})
			if err != nil || len(live) != 2 || live[0].Version != 1 || live[0].HeadingPath[0] != "Heading" || live[0].ContentHash != "hash of ready" || live[0].End != 0 {
				t.Errorf("live are %+v, %v", live, err)
			}
		})
		to.Run("what was pending or removing is due, what had failed is not", func(t *testing.T) {
			for state, want := range map[string]bool{"pending": true, "removing": true, "failed": false} {
				if d := get(state); (d.DueAt != nil) != want || d.Live != 0 || d.State != knowledge.State(state) {
					t.Errorf("it is %+v", d)
				}
			}
			due, err := knowledgestore.NewDueWork(s).DueDocument(ctx, "ws_a", knowledge.IndexWork, epoch, nil)
			if err != nil || due.ID != "doc_removing" {
				t.Errorf("due is %+v, %v", due, err)
			}
		})
		to.Run("what was given before is still known", func(t *testing.T) {
			d, err := knowledgestore.NewDocuments(s).DocumentByInput(ctx, "ws_a", "cb_a", "hash of ready")
			if err != nil || d.ID != "doc_ready" {
				t.Errorf("got %+v, %v", d, err)
			}
		})
		to.Run("conversations are as they were", func(t *testing.T) {
			got, err := chatstore.NewConversations(s).Messages(ctx, "ws_a", 5, 0, 0)
			if err != nil || len(got) != 1 || got[0].Content != "said" || got[0].Status != chat.Complete {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	})
}
