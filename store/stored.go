package store

import (
	"context"

	"parley/core/knowledge"
	"parley/ent"
	"parley/ent/document"
)

// storedBytes is SQL by hand: neither database reads a text or file to say how
// long it is.
const storedBytes = `SELECT
	(SELECT COALESCE(SUM(octet_length(content)), 0) + $2 * COUNT(*) FROM documents WHERE workspace_id = $1) +
	(SELECT COALESCE(SUM(octet_length(body)), 0) FROM uploads WHERE workspace_id = $1)`

// knowledgeSizes is storedBytes with the number of characters, in one pass.
const knowledgeSizes = `SELECT COALESCE(SUM(chars), 0), COALESCE(SUM(octet_length(content)), 0) + $2 * COUNT(*) +
	(SELECT COALESCE(SUM(octet_length(body)), 0) FROM uploads WHERE workspace_id = $1)
	FROM documents WHERE workspace_id = $1`

// Sizes says how large a workspace's knowledge is.
type Sizes struct{ store *Store }

// NewSizes returns the sizes of a database.
func NewSizes(db *Store) *Sizes { return &Sizes{db} }

// StoredBytes is the size of a workspace's files and texts, and
// [knowledge.DocumentBytes] for each document.
func (s *Sizes) StoredBytes(ctx context.Context, workspaceID string) (n int, err error) {
	err = scanOne(ctx, s.store.raw(ctx), []any{&n}, storedBytes, workspaceID, int64(knowledge.DocumentBytes))
	return n, mapError(err)
}

// KnowledgeSizes returns KnowledgeChars and StoredBytes.
func (s *Sizes) KnowledgeSizes(ctx context.Context, workspaceID string) (chars, bytes int, err error) {
	err = scanOne(ctx, s.store.raw(ctx), []any{&chars, &bytes}, knowledgeSizes, workspaceID, int64(knowledge.DocumentBytes))
	return chars, bytes, mapError(err)
}

// KnowledgeChars is the length of all documents of a workspace.
func (s *Sizes) KnowledgeChars(ctx context.Context, workspaceID string) (int, error) {
	var sums []struct{ Sum *int }
	err := s.store.db(ctx).Document.Query().Where(document.WorkspaceID(workspaceID)).
		Aggregate(ent.As(ent.Sum(document.FieldChars), "sum")).Scan(within(ctx, workspaceID), &sums)
	if err != nil {
		return 0, mapError(err)
	}
	if len(sums) == 0 || sums[0].Sum == nil {
		return 0, nil
	}
	return *sums[0].Sum, nil
}
