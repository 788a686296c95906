package knowledge

import (
	"context"

	"parley/core/knowledge"
	"parley/ent/scope"
	"parley/store"
)

// knowledgeSizes reads three indexes, and neither texts nor files.
const knowledgeSizes = `SELECT COUNT(*), CAST(COALESCE(SUM(chars), 0) AS bigint), CAST(COALESCE(SUM(bytes), 0) AS bigint) +
	(SELECT CAST(COALESCE(SUM(bytes), 0) AS bigint) FROM uploads WHERE workspace_id = $1) +
	(SELECT CAST(COALESCE(SUM(bytes), 0) AS bigint) FROM originals WHERE workspace_id = $1)
	FROM documents WHERE workspace_id = $1`

// Sizes says how large a workspace's knowledge is.
type Sizes struct{ store *store.Store }

// NewSizes returns the sizes of a database.
func NewSizes(db *store.Store) *Sizes { return &Sizes{db} }

// KnowledgeSizes returns the length of all documents of a workspace in characters, and
// what they and their files count of its storage.
func (s *Sizes) KnowledgeSizes(ctx context.Context, workspaceID string) (chars, stored int, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	var documents, bytes int
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&documents, &chars, &bytes}, knowledgeSizes, workspaceID)
	return chars, knowledge.Stored(documents, bytes), store.MapError(err)
}
