// Package embedded owns the retrieval index that needs no server: our own
// inverted index, with vectors, in one SQLite file. Each chatbot has segments
// of its own (package segment), so that neither the speed nor the ranking of
// one chatbot depends on the documents of another. SQLite stores the segments
// and makes each change atomic: every process that uses the file sees it at
// once.
//
// The file is derived data: the database owns the passages, and package
// lexical owns how a text becomes terms.
package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"parley/core/retrieval"
	"parley/internal/diskspace"
	"parley/internal/sqlitelog"
)

// Options configures an index. The zero value stands for the defaults.
type Options struct {
	// Memory bounds the bytes that the index keeps in memory of the chatbots
	// searched last. It keeps a single chatbot that needs more nevertheless.
	// The default is 256 MiB.
	Memory int64
}

const defaultMemory = 256 << 20

// Index is a retrieval index in one SQLite file.
type Index struct {
	path      string
	write     *writer
	read      *sql.DB
	states    *states
	compactor *compactor
}

var _ retrieval.Index = (*Index)(nil)

// Open opens the index file at path, and creates it if there is none. The
// directory must exist. Open empties a file that another version of the
// program made: [Index.Version] is then empty, and the caller fills the index
// again. The error of a damaged file says how to rebuild it. On a full disk, which may leave
// no room for the index of the log, other processes cannot open the file until it is closed.
func Open(path string, options ...Options) (*Index, error) {
	if err := create(path); err != nil {
		return nil, fmt.Errorf("open the index file: %w", err)
	}
	sqlitelog.Keep()
	x, err := openFile(path, "", options)
	if err == nil {
		return x, nil
	}
	full := diskspace.Probe(filepath.Dir(path))
	if full == nil {
		return nil, err
	}
	if x, err = openFile(path, "&"+sqlitelog.Alone, options); err != nil {
		return nil, fmt.Errorf("%w. Free space, and start again (%w)", full, err)
	}
	return x, nil
}

// openFile opens a file that exists, with more options of the driver.
func openFile(path, more string, options []Options) (*Index, error) {
	write, err := newWriter(path, more)
	if err != nil {
		return nil, err
	}
	read, err := sql.Open("sqlite", dsn(path, more)+"&_pragma=query_only(1)")
	if err != nil {
		return nil, errors.Join(explain(err, path), write.close())
	}
	readers := max(4, 2*runtime.GOMAXPROCS(0))
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	memory := int64(defaultMemory)
	for _, o := range options {
		if o.Memory > 0 {
			memory = o.Memory
		}
	}
	states, err := newStates(read, memory)
	if err != nil {
		return nil, errors.Join(explain(err, path), read.Close(), write.close())
	}
	compactor := newCompactor(write, states)
	go compactor.run()
	return &Index{path: path, write: write, read: read, states: states, compactor: compactor}, nil
}

// Close waits for the searches that run, and closes the file.
func (x *Index) Close() error {
	x.compactor.close()
	return errors.Join(x.states.close(), x.read.Close(), x.write.close())
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

// explain adds the file's path to an error, and the error of ctx if ctx has
// ended.
func (x *Index) explain(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("index file %s: %w", x.path, ctx.Err())
	}
	return explain(err, x.path)
}
