package embedded

import (
	"context"

	sqlite3 "modernc.org/sqlite/lib"

	"parley/core/fault"
	"parley/core/retrieval"
	"parley/index/embedded/segment"
)

// Search returns the best hits, best first. A failure is a fault of kind
// Unavailable while the file cannot be reached or is locked, and Upstream otherwise;
// if ctx has ended, its cause is the error of ctx.
func (x *Index) Search(ctx context.Context, scope retrieval.Scope, query retrieval.IndexQuery) (retrieval.Hits, error) {
	if err := ctx.Err(); err != nil {
		return retrieval.Hits{}, failed(err)
	}
	state, err := x.states.current(ctx, scope)
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

func failed(cause error) error {
	kind := fault.Upstream
	switch code(cause) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		kind = fault.Unavailable
	}
	return fault.Wrap(kind, cause, "The chatbot's knowledge is not available right now, and the operator of this server has been told. Try again in a moment.").ForOperator()
}
