package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"parley/migrations"
)

func openPostgres(ctx context.Context, url string) (*Store, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("DATABASE_URL is not a PostgreSQL URL such as postgres://user:password@host:5432/parley")
	}
	if err := migratePostgres(ctx, config, migrations.Postgres()); err != nil {
		return nil, fmt.Errorf("migrating the database: %w", err)
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(16 * runtime.GOMAXPROCS(0))
	db.SetMaxIdleConns(16 * runtime.GOMAXPROCS(0))
	db.SetConnMaxIdleTime(5 * time.Minute)
	return newStore(dialect.Postgres, db, db, pool{db}, db.Close), nil
}

// pool runs transactions on connections of their own.
type pool struct{ db *sql.DB }

func (p pool) inTx(ctx context.Context, fn func(context.Context, entsql.ExecQuerier) error) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit this does nothing
	if err := fn(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}
