package embedded

import (
	"context"
	"database/sql"
	"errors"
)

// writer is this process's only connection that writes. Writers queue here, where
// they can leave, instead of in SQLite's busy handler. The other methods are for
// the function that runs in a change.
type writer struct {
	path string
	db   *sql.DB
	conn *sql.Conn
	// lock holds a token while a change runs. The lock guards the fields below.
	lock   chan struct{}
	closed bool
	// prepared holds statements by their text.
	prepared map[string]*sql.Stmt
}

var errClosed = errors.New("the index is closed")

func newWriter(path, options string) (*writer, error) {
	db, err := sql.Open("sqlite", dsn(path, options))
	if err != nil {
		return nil, explain(err, path)
	}
	conn, err := db.Conn(background)
	if err != nil {
		return nil, errors.Join(explain(err, path), db.Close())
	}
	w := &writer{path: path, db: db, conn: conn, lock: make(chan struct{}, 1), prepared: map[string]*sql.Stmt{}}
	current, err := w.isCurrent()
	if err == nil && !current { // a full disk lets nobody change what is
		err = w.change(background, func() error { return w.prepare(path) })
	}
	if err != nil {
		return nil, errors.Join(explain(err, path), w.close())
	}
	return w, nil
}

// close waits for the running change.
func (w *writer) close() error {
	w.lock <- struct{}{}
	defer func() { <-w.lock }()
	w.closed = true
	var errs []error
	for _, statement := range w.prepared {
		errs = append(errs, statement.Close())
	}
	w.prepared = nil
	return errors.Join(append(errs, w.conn.Close(), w.db.Close())...)
}

// change runs a function in a write transaction. The function ignores the end of
// ctx: it is short, and half a change is worthless.
func (w *writer) change(ctx context.Context, run func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case w.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-w.lock }()
	if w.closed {
		return errClosed
	}
	committed := false
	defer func() {
		if !committed {
			_, _ = w.conn.ExecContext(background, "ROLLBACK")
		}
	}()
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return errors.Join(explain(err, w.path), ctx.Err())
	}
	if err := run(); err != nil {
		return explain(err, w.path)
	}
	if err := w.exec("COMMIT"); err != nil {
		return explain(err, w.path)
	}
	committed = true
	return nil
}

func (w *writer) statement(query string) (*sql.Stmt, error) {
	if known := w.prepared[query]; known != nil {
		return known, nil
	}
	made, err := w.conn.PrepareContext(background, query)
	if err == nil {
		w.prepared[query] = made
	}
	return made, err
}

// exec runs a prepared statement.
func (w *writer) exec(query string, args ...any) error {
	statement, err := w.statement(query)
	if err != nil {
		return err
	}
	_, err = statement.ExecContext(background, args...)
	return err
}

// get runs a prepared query for one row and scans it into dest. It reports whether
// there is a row.
func (w *writer) get(dest []any, query string, args ...any) (bool, error) {
	statement, err := w.statement(query)
	if err != nil {
		return false, err
	}
	err = statement.QueryRowContext(background, args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// numbers runs a prepared query for rows of a single number.
func (w *writer) numbers(query string, args ...any) ([]int64, error) {
	statement, err := w.statement(query)
	if err != nil {
		return nil, err
	}
	return column[int64](statement.QueryContext(background, args...))
}

// run runs statements once; row and strings run a query once.
func (w *writer) run(statements string) error {
	_, err := w.conn.ExecContext(background, statements)
	return err
}

func (w *writer) row(query string, dest ...any) error {
	return w.conn.QueryRowContext(background, query).Scan(dest...)
}

func (w *writer) strings(query string) ([]string, error) {
	return column[string](w.conn.QueryContext(background, query))
}

// column reads rows of a single value.
func column[T any](rows *sql.Rows, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var values []T
	for rows.Next() {
		var value T
		if err := rows.Scan(&value); err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, rows.Err()
}
