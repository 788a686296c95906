package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"parley/core/knowledge"
)

// Replace makes passages the only ones of the document, in one transaction.
func (x *Index) Replace(ctx context.Context, scope knowledge.Scope, documentID string, passages []knowledge.Passage) error {
	if len(passages) == 0 {
		return x.Remove(ctx, scope, documentID)
	}
	for _, p := range passages {
		if p.DocumentID != documentID {
			return fmt.Errorf("passage %d belongs to document %q, not to %q", p.ID, p.DocumentID, documentID)
		}
	}
	var table int64
	err := x.change(ctx, func(tx *sql.Tx) (err error) {
		if table, err = ensureTable(ctx, tx, scope); err != nil {
			return err
		}
		if err := remove(ctx, tx, table, documentID); err != nil {
			return err
		}
		return insert(ctx, tx, table, passages)
	})
	if err == nil {
		x.compactor.wrote(table)
	}
	return err
}

// Remove takes the document's passages away.
func (x *Index) Remove(ctx context.Context, scope knowledge.Scope, documentID string) error {
	return x.change(ctx, func(tx *sql.Tx) error {
		table, err := findTable(ctx, tx, scope)
		if err != nil || table == 0 {
			return err
		}
		return remove(ctx, tx, table, documentID)
	})
}

// Drop takes all that the scope holds away, with its table.
func (x *Index) Drop(ctx context.Context, scope knowledge.Scope) error {
	err := x.change(ctx, func(tx *sql.Tx) error {
		table, err := findTable(ctx, tx, scope)
		if err != nil || table == 0 {
			return err
		}
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("DROP TABLE fts_%d", table)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM passage WHERE scope = ?", table); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM scope WHERE id = ?", table)
		return err
	})
	x.cache.forget(scope)
	return err
}

// change runs a function in a write transaction.
func (x *Index) change(ctx context.Context, run func(tx *sql.Tx) error) error {
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return explain(err, x.path)
	}
	defer func() { _ = tx.Rollback() }()
	if err := run(tx); err != nil {
		return explain(err, x.path)
	}
	return explain(tx.Commit(), x.path)
}

// rows is what can look up one row: a transaction, or a pool.
type rows interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// findTable returns the number of the scope's table, or zero.
func findTable(ctx context.Context, db rows, scope knowledge.Scope) (int64, error) {
	var table int64
	err := db.QueryRowContext(ctx, "SELECT id FROM scope WHERE workspace = ? AND chatbot = ?",
		scope.WorkspaceID, scope.ChatbotID).Scan(&table)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return table, err
}

// ensureTable returns the number of the scope's table, which it makes if there
// is none. Numbers are never used twice.
func ensureTable(ctx context.Context, tx *sql.Tx, scope knowledge.Scope) (int64, error) {
	table, err := findTable(ctx, tx, scope)
	if err != nil || table != 0 {
		return table, err
	}
	err = tx.QueryRowContext(ctx, "INSERT INTO scope (workspace, chatbot) VALUES (?, ?) RETURNING id",
		scope.WorkspaceID, scope.ChatbotID).Scan(&table)
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, createTable(table))
	return table, err
}

func remove(ctx context.Context, tx *sql.Tx, table int64, documentID string) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`DELETE FROM fts_%d
		WHERE rowid IN (SELECT id FROM passage WHERE scope = ? AND document = ?)`, table), table, documentID)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM passage WHERE scope = ? AND document = ?", table, documentID)
	return err
}

func insert(ctx context.Context, tx *sql.Tx, table int64, passages []knowledge.Passage) error {
	words, err := tx.PrepareContext(ctx, fmt.Sprintf("INSERT INTO fts_%d (rowid, title, heading, body) VALUES (?, ?, ?, ?)", table))
	if err != nil {
		return err
	}
	defer func() { _ = words.Close() }()
	owner, err := tx.PrepareContext(ctx, "INSERT INTO passage (scope, id, document) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	defer func() { _ = owner.Close() }()
	for _, p := range passages {
		if _, err := owner.ExecContext(ctx, table, p.ID, p.DocumentID); err != nil {
			return err
		}
		heading := strings.Join(p.HeadingPath, "\n")
		if _, err := words.ExecContext(ctx, p.ID, separate(p.Title), separate(heading), searchable(p.Text)); err != nil {
			return err
		}
	}
	return nil
}
