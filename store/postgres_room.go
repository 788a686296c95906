package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// fullFor is how long PostgreSQL counts as full after it said so.
const fullFor = 5 * time.Second

var errPostgresFull = errors.New("PostgreSQL says that its disk is full")

// postgresRoom remembers that PostgreSQL said that its disk is full, whichever statement
// met that.
type postgresRoom struct {
	mu   sync.Mutex
	said time.Time // zero when there is room
}

// watch makes the connections of a pool remember.
func (r *postgresRoom) watch(config *pgx.ConnConfig) {
	told := config.OnPgError
	config.OnPgError = func(conn *pgconn.PgConn, refusal *pgconn.PgError) bool {
		if refusal.Code == postgresFull {
			r.mu.Lock()
			r.said = time.Now()
			r.mu.Unlock()
		}
		return told(conn, refusal)
	}
}

// check fails while the disk is full. After a while it tries whether there is room again.
func (r *postgresRoom) check(ctx context.Context, db *sql.DB) error {
	r.mu.Lock()
	said := r.said
	r.mu.Unlock()
	switch {
	case said.IsZero():
		return nil
	case time.Since(said) < fullFor:
		return errPostgresFull
	}
	if err := r.probe(ctx, db); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.said.Equal(said) {
		r.said = time.Time{}
	}
	return nil
}

// probe writes a table and takes it back. A temporary one uses no free space of others.
func (r *postgresRoom) probe(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(ctx, "CREATE TEMPORARY TABLE room AS SELECT repeat(md5(n::text), 60) AS filling FROM generate_series(1, 500) n")
	if saysFull(err) {
		return err
	}
	return nil // a server that does not allow temporary tables tells nothing
}
