package embedded

import (
	"context"
	"encoding/json"

	"parley/core/retrieval"
)

const (
	scopeServing = `(SELECT id FROM scope WHERE version = (SELECT version FROM serving) AND workspace = ? AND chatbot = ?)`
	holding      = `SELECT count(*), coalesce(sum(passages), 0) FROM document WHERE scope = ` + scopeServing
	counts       = `SELECT id, passages FROM document WHERE scope = ` + scopeServing + ` AND id IN (SELECT value FROM json_each(?))`
)

// Lacking implements [retrieval.Index].
func (x *Index) Lacking(ctx context.Context, expected []retrieval.Holding) ([]retrieval.Scope, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	query, err := x.read.PrepareContext(ctx, holding)
	if err != nil {
		return nil, x.explain(ctx, err)
	}
	defer func() { _ = query.Close() }()
	var lacking []retrieval.Scope
	for _, want := range expected {
		var documents, passages int
		if err := query.QueryRowContext(ctx, want.WorkspaceID, want.ChatbotID).Scan(&documents, &passages); err != nil {
			return nil, x.explain(ctx, err)
		}
		if documents < want.Documents || passages != want.Passages {
			lacking = append(lacking, want.Scope)
		}
	}
	return lacking, nil
}

// Missing implements [retrieval.Index].
func (x *Index) Missing(ctx context.Context, scope retrieval.Scope, expected map[string]int) ([]string, error) {
	ids := make([]string, 0, len(expected))
	for id := range expected {
		ids = append(ids, id)
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := x.read.QueryContext(ctx, counts, scope.WorkspaceID, scope.ChatbotID, string(list))
	if err != nil {
		return nil, x.explain(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	held := make(map[string]int, len(expected))
	for rows.Next() {
		var id string
		var passages int
		if err := rows.Scan(&id, &passages); err != nil {
			return nil, x.explain(ctx, err)
		}
		held[id] = passages
	}
	if err := rows.Err(); err != nil {
		return nil, x.explain(ctx, err)
	}
	var missing []string
	for id, want := range expected {
		if held[id] != want {
			missing = append(missing, id)
		}
	}
	return missing, nil
}
