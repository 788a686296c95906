package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"parley/internal/intx"
	"parley/migrations"
)

func openPostgres(ctx context.Context, url string) (*Store, error) {
	config, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	if err := migratePostgres(ctx, config, migrations.Postgres()); err != nil {
		return nil, fmt.Errorf("migrating the database: %w", err)
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(16 * runtime.GOMAXPROCS(0))
	db.SetMaxIdleConns(16 * runtime.GOMAXPROCS(0))
	db.SetConnMaxIdleTime(5 * time.Minute)
	s := newStore(dialect.Postgres, db, db, pool{db}, db.Close)
	s.holder = 1 + rand.Int64N(1<<40)
	return s, nil
}

func parsePostgres(url string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("DATABASE_URL is not a PostgreSQL URL such as postgres://user:password@host:5432/parley")
	}
	return config, nil
}

// pool runs transactions on connections of their own.
type pool struct{ db *sql.DB }

func (p pool) inTx(ctx context.Context, fn inTxFunc) error {
	conn, tx, err := p.begin(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer func() { _ = tx.Rollback() }() // after a commit this does nothing
	err = fn(ctx, tx, &intx.Transaction{SQL: tx, Conn: conn})
	if err == nil {
		err = tx.Commit()
	}
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err() // database/sql rolled the transaction back because ctx ended
	}
	return err
}

// begin takes a connection, because only a connection shows its driver, and
// tries another when the one it got was broken, as [sql.DB.BeginTx] does.
func (p pool) begin(ctx context.Context) (*sql.Conn, *sql.Tx, error) {
	for tries := 0; ; tries++ {
		conn, err := p.db.Conn(ctx)
		if err != nil {
			return nil, nil, err
		}
		tx, err := conn.BeginTx(ctx, nil)
		if err == nil {
			return conn, tx, nil
		}
		_ = conn.Close()
		if tries == 2 || !errors.Is(err, driver.ErrBadConn) {
			return nil, nil, err
		}
	}
}
