package knowledge

import (
	"context"
	"database/sql"
	"time"

	"parley/core/knowledge/rebuild"
	"parley/core/system"
	"parley/ent/scope"
	"parley/store"
)

// IndexChanges keeps the feed of what indexes are to hold. The trigger
// note_index_change writes it on PostgreSQL.
type IndexChanges struct{ store *store.Store }

// NewIndexChanges returns the feed of a database.
func NewIndexChanges(db *store.Store) *IndexChanges { return &IndexChanges{db} }

const (
	// changesAfter also returns, even without a change, the number below which all
	// transactions have ended. What they changed is in the same snapshot.
	changesAfter = `SELECT h.horizon, COALESCE(c.id, 0), COALESCE(c.xid, 0), COALESCE(c.workspace_id, ''), COALESCE(c.chatbot_id, ''), COALESCE(c.document_id, ''), COALESCE(c.held, 0)
	FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS horizon) h LEFT JOIN (
		SELECT * FROM index_changes WHERE (xid, id) > ($1, $2) ORDER BY xid, id LIMIT $3
	) c ON TRUE ORDER BY c.xid, c.id`
	deleteChanges = `DELETE FROM index_changes WHERE id IN (SELECT id FROM index_changes WHERE created_at < $1 ORDER BY created_at LIMIT $2)`
)

// ChangesAfter returns the changes after a position, at most limit.
func (s *IndexChanges) ChangesAfter(ctx context.Context, access system.Access, after rebuild.Position, limit int) (page rebuild.Page, err error) {
	err = store.EachRow(scope.System(ctx, access), s.store.Raw(ctx), changesAfter, []any{after.Transaction, after.Change, limit}, func(row *sql.Rows) error {
		var c rebuild.Change
		err := row.Scan(&page.Horizon, &c.At.Change, &c.At.Transaction, &c.WorkspaceID, &c.ChatbotID, &c.DocumentID, &c.Held)
		if err == nil && c.At.Change != 0 {
			page.Changes = append(page.Changes, c)
		}
		return err
	})
	return page, store.MapError(err)
}

// DeleteChanges deletes changes of any workspace from before a time.
func (s *IndexChanges) DeleteChanges(ctx context.Context, access system.Access, before time.Time) error {
	for {
		result, err := s.store.Raw(ctx).ExecContext(scope.System(ctx, access), deleteChanges, before, store.TrimBatch)
		if err != nil {
			return store.MapError(err)
		}
		if n, err := result.RowsAffected(); err != nil || n < store.TrimBatch {
			return store.MapError(err)
		}
	}
}
