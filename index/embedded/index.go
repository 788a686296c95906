// Package embedded owns the retrieval index that needs no server: our own
// inverted index, with vectors, in one SQLite file. Each chatbot has segments
// of its own (package segment), so that neither speed nor ranking of one
// depends on what another holds. SQLite keeps them, and makes changes whole
// and visible at once to every process that uses the file.
//
// The file is derived data: this package does not own the passages, which are
// in the database, nor how a text becomes terms.
package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"

	"parley/core/retrieval"
)

// Options are what may be chosen of an index. The zero value is the default.
type Options struct {
	// Memory bounds what is kept of the chatbots searched last, in bytes. A
	// single chatbot that needs more is kept nevertheless. The default is
	// 256 MiB.
	Memory int64
}

const defaultMemory = 256 << 20

// Index is a retrieval index in one SQLite file.
type Index struct {
	path   string
	write  *writer
	read   *sql.DB
	lookup *sql.Stmt
	cache  *cache
	keeper *keeper
}

var _ retrieval.Index = (*Index)(nil)

// Open opens the index file at path, and makes it if there is none. The
// directory must exist. A file of another version of the program is emptied:
// it says so by having no version, and is to be filled again. The error of a
// damaged file says how to rebuild it.
func Open(path string, options ...Options) (*Index, error) {
	if err := create(path); err != nil {
		return nil, fmt.Errorf("open the index file: %w", err)
	}
	write, err := newWriter(path)
	if err != nil {
		return nil, err
	}
	read, err := sql.Open("sqlite", dsn(path)+"&_pragma=query_only(1)")
	if err != nil {
		return nil, errors.Join(explain(err, path), write.close())
	}
	readers := max(4, 2*runtime.GOMAXPROCS(0))
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	lookup, err := read.Prepare(lookupScope)
	if err != nil {
		return nil, errors.Join(explain(err, path), read.Close(), write.close())
	}
	x := &Index{path: path, write: write, read: read, lookup: lookup, cache: newCache(defaultMemory)}
	for _, o := range options {
		if o.Memory > 0 {
			x.cache.limit = o.Memory
		}
	}
	x.keeper = newKeeper(x)
	go x.keeper.run()
	return x, nil
}

// Close closes the file. Searches that run end first.
func (x *Index) Close() error {
	x.keeper.close()
	return errors.Join(x.lookup.Close(), x.read.Close(), x.write.close())
}

// Check reports whether the index can be read.
func (x *Index) Check(ctx context.Context) error {
	_, err := x.Version(ctx)
	return err
}

// Count returns the number of passages held for the document.
func (x *Index) Count(ctx context.Context, scope retrieval.Scope, documentID string) (int, error) {
	var n int
	err := x.read.QueryRowContext(ctx, `SELECT passages FROM document WHERE id = ? AND scope =
		(SELECT id FROM scope WHERE version = (SELECT version FROM serving) AND workspace = ? AND chatbot = ?)`,
		documentID, scope.WorkspaceID, scope.ChatbotID).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, x.explain(ctx, err)
}

// explain adds what a caller may want to know of an error, and that ctx is
// done if that is why.
func (x *Index) explain(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("index file %s: %w", x.path, ctx.Err())
	}
	return explain(err, x.path)
}
