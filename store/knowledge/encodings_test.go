package knowledge

import (
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/core/tenant"
	"parley/store"
	"parley/store/bots"
	"parley/store/people"
	"parley/store/storetest"
	"parley/text/encode"
)

func TestEncodingsOfAnotherProcess(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(testing.TB) string{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		t.Run("what another process encodes is seen a moment later, on "+name, func(t *testing.T) {
			t.Parallel()
			ctx, epoch := t.Context(), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			db, err := store.Open(ctx, database(t))
			must(err)
			defer db.Close()
			must(people.NewWorkspaces(db).CreateWorkspace(ctx, tenant.Workspace{ID: "ws_a", Plan: plan.Standard, CreatedAt: epoch}))
			must(bots.NewChatbots(db).CreateChatbot(ctx, "ws_a", chatbot.Chatbot{ID: "cb_a", CreatedAt: epoch}))
			d := knowledge.Document{
				ID: "doc_a", WorkspaceID: "ws_a", ChatbotID: "cb_a", Kind: knowledge.Markdown, State: knowledge.Ready,
				InputHash: "input", ContentHash: "content", Version: 1, Live: 1, UpdatedAt: epoch, CreatedAt: epoch,
			}
			must(NewDocuments(db).CreateDocument(ctx, "ws_a", d))
			passages := NewPassages(db)
			must(passages.AddPassages(ctx, "ws_a", d, []retrieval.Passage{{Start: 0, End: 4, Text: "text"}}))
			stored, err := passages.Passages(ctx, "ws_a", "doc_a", 1)
			must(err)
			id := stored[0].ID

			now := time.Now()
			here, there := NewEncodings(db), NewEncodings(db)
			here.now = func() time.Time { return now }
			seen := func() int {
				t.Helper()
				got, err := here.Encodings(ctx, "ws_a", "cb_a", []int64{id})
				must(err)
				return len(got)
			}
			before := seen()
			must(there.SaveEncodings(ctx, "ws_a", map[int64]encode.Encoding{id: encode.New([]float32{0.6, -0.8})}))
			at := seen()
			now = now.Add(missingFor)
			if later := seen(); before != 0 || at != 0 || later != 1 {
				t.Errorf("seen are %d, %d and %d", before, at, later)
			}
		})
	}
}
