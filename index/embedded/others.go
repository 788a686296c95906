package embedded

import (
	"context"
	"iter"

	"parley/core/retrieval"
)

// DropOthers implements [retrieval.Index], for the version that serves. What it drops is
// not in the file afterwards.
func (x *Index) DropOthers(ctx context.Context, kept iter.Seq2[retrieval.Scope, error]) (int, error) {
	others, err := scopesServing(ctx, x.read)
	if err != nil {
		return 0, x.explain(ctx, err)
	}
	for scope, err := range kept {
		if err != nil {
			return 0, err
		}
		delete(others, scope)
	}
	dropped := 0
	for scope := range others {
		if err := x.Drop(ctx, scope); err != nil {
			return dropped, err
		}
		dropped++
	}
	if dropped == 0 {
		return 0, nil
	}
	return dropped, x.Scrub(ctx)
}

// scopesServing returns the scopes of the version that serves.
func scopesServing(ctx context.Context, from querier) (map[retrieval.Scope]bool, error) {
	rows, err := from.QueryContext(ctx, "SELECT workspace, chatbot FROM scope WHERE version = (SELECT version FROM serving)")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	found := map[retrieval.Scope]bool{}
	for rows.Next() {
		var scope retrieval.Scope
		if err := rows.Scan(&scope.WorkspaceID, &scope.ChatbotID); err != nil {
			return nil, err
		}
		found[scope] = true
	}
	return found, rows.Err()
}
