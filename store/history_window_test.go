package store_test

import (
	"context"
	"fmt"
	"testing"

	"parley/core/insight/history"
	"parley/ent/scope"
)

func TestWindowOfConversations(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		b.must(b.InTx(ctx, func(ctx context.Context) error {
			_, err := b.Raw(ctx).ExecContext(scope.System(ctx, everywhere), fmt.Sprintf(`INSERT INTO conversations (id, workspace_id, chatbot_id, status, title, origin, begun_by, created_at)
				WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				SELECT 1000000 + i, '%s', '%s', 'active', CASE i WHEN 1 THEN 'The oldest' ELSE 'Another' END, 'api', '', '2026-03-02 12:00:00+00:00' FROM n`,
				history.Window+1, a.id, a.chatbot))
			return err
		}))
		found, end, err := b.ListedConversations(ctx, a.id, a.chatbot, history.Query{Text: "the oldest", Limit: 5})
		if err != nil || len(found) != 0 || end != 1_000_002 {
			t.Errorf("a search that finds nothing in the window finds %+v, and ends at %d: %v", found, end, err)
		}
		found, end, err = b.ListedConversations(ctx, a.id, a.chatbot, history.Query{Text: "the oldest", Limit: 5, Before: end})
		if err != nil || len(found) != 1 || found[0].ID != 1_000_001 || end != 0 {
			t.Errorf("the next finds %+v, and ends at %d: %v", found, end, err)
		}
	})
}
