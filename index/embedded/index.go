// Package embedded owns the retrieval index that needs no server: BM25 over
// SQLite's FTS5, in a file of its own, with one table for each chatbot. So
// neither speed nor ranking of one chatbot depends on what another holds.
//
// Several processes may use one file at once. The file is derived data; it
// does not own the passages, which are in the database.
package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"

	"parley/core/knowledge"
)

// Index is a retrieval index in one SQLite file.
type Index struct {
	path string
	// write has one connection, so that writers of this process queue here
	// and not in SQLite's busy handler.
	write *sql.DB
	read  *sql.DB
	cache *cache
	// compactor is told of every table that was written to.
	compactor *compactor
}

var _ knowledge.Index = (*Index)(nil)

// Open opens the index file at path, and makes it if there is none. The
// directory must exist. The error of a damaged file says how to rebuild it.
func Open(path string) (*Index, error) {
	if err := create(path); err != nil {
		return nil, fmt.Errorf("open the index file: %w", err)
	}
	write, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, explain(err, path)
	}
	write.SetMaxOpenConns(1)
	if err := prepare(context.Background(), write, path); err != nil {
		_ = write.Close()
		return nil, err
	}
	read, err := sql.Open("sqlite", dsn(path)+"&_pragma=query_only(1)")
	if err != nil {
		_ = write.Close()
		return nil, explain(err, path)
	}
	readers := max(4, runtime.GOMAXPROCS(0))
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	x := &Index{path: path, write: write, read: read, cache: newCache(read), compactor: newCompactor()}
	go x.compactor.run(x.merge)
	return x, nil
}

// Close closes the file. Searches that run end first.
func (x *Index) Close() error {
	x.compactor.close()
	x.cache.close()
	return errors.Join(x.read.Close(), x.write.Close())
}

// Check reports whether the index can be read.
func (x *Index) Check(ctx context.Context) error {
	var n int
	err := x.read.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM scope LIMIT 1)").Scan(&n)
	return explain(err, x.path)
}

// Count returns the number of passages held for the document.
func (x *Index) Count(ctx context.Context, scope knowledge.Scope, documentID string) (int, error) {
	var n int
	err := x.read.QueryRowContext(ctx, `SELECT count(*) FROM passage
		WHERE scope = (SELECT id FROM scope WHERE workspace = ? AND chatbot = ?) AND document = ?`,
		scope.WorkspaceID, scope.ChatbotID, documentID).Scan(&n)
	return n, explain(err, x.path)
}
