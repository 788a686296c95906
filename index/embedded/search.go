package embedded

import (
	"context"
	"database/sql"
	"errors"

	"parley/core/fault"
	"parley/core/retrieval"
	"parley/index/embedded/segment"
)

// lookupScope is all that a search asks SQLite for, unless something changed.
const lookupScope = `SELECT id, generation FROM scope
	WHERE version = (SELECT version FROM serving) AND workspace = ? AND chatbot = ?`

// Search returns the best hits, best first. A failure is a fault of kind
// Upstream; that of a ctx that is done has its error as the cause.
func (x *Index) Search(ctx context.Context, scope retrieval.Scope, query retrieval.IndexQuery) (retrieval.Hits, error) {
	if err := ctx.Err(); err != nil {
		return retrieval.Hits{}, failed(err)
	}
	state, err := x.state(ctx, scope)
	if err != nil {
		return retrieval.Hits{}, failed(x.explain(ctx, err))
	}
	if state == nil {
		return retrieval.Hits{}, nil
	}
	query.Limit = max(1, query.Limit)
	hits, err := segment.Search(ctx, state.views, query)
	if err != nil {
		return retrieval.Hits{}, failed(err)
	}
	return hits, nil
}

// state returns what every process has committed of a scope, or nil if there
// is nothing.
func (x *Index) state(ctx context.Context, scope retrieval.Scope) (*state, error) {
	for {
		var id, generation int64
		// A ctx that can end would cost more here than the query.
		err := x.lookup.QueryRowContext(background, scope.WorkspaceID, scope.ChatbotID).Scan(&id, &generation)
		if errors.Is(err, sql.ErrNoRows) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		found, err := x.load(ctx, id, generation)
		if err != nil || found != nil {
			return found, err
		}
		// The scope was dropped, or another version serves by now.
	}
}

func failed(cause error) error {
	return fault.Wrap(fault.Upstream, cause, "The knowledge of this chatbot cannot be searched just now. Try again in a moment.")
}
