package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// statements prepares each statement once: SQLite's compiler costs more than
// most of what it compiles. It is an ExecQuerier of ent.
type statements struct {
	on preparer

	mu    sync.RWMutex
	known map[string]*sql.Stmt
}

// preparer is a pool of connections, or one.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// maxStatements bounds how many statements are kept; all others are prepared
// each time.
const maxStatements = 512

func newStatements(on preparer) *statements {
	return &statements{on: on, known: map[string]*sql.Stmt{}}
}

// QueryContext runs a query.
func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return s.on.QueryContext(ctx, query, args...)
	}
	return stmt.QueryContext(ctx, args...)
}

// ExecContext runs a statement.
func (s *statements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return s.on.ExecContext(ctx, query, args...)
	}
	return stmt.ExecContext(ctx, args...)
}

// prepare returns the prepared statement, or nil when no more are kept.
func (s *statements) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.RLock()
	stmt, full := s.known[query], len(s.known) >= maxStatements
	s.mu.RUnlock()
	if stmt != nil || full {
		return stmt, nil
	}
	stmt, err := s.on.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, ok := s.known[query]; ok {
		return other, stmt.Close()
	}
	s.known[query] = stmt
	return stmt, nil
}

func (s *statements) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, stmt := range s.known {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(errs...)
}
