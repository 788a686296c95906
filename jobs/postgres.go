package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"parley/internal/intx"
)

// connections is the number that River needs: one to listen on, and others to
// claim jobs and record their results. Workers use the store's connections.
const connections = 4

func openPostgres(ctx context.Context, config Config) (database, error) {
	settings, err := pgxpool.ParseConfig(config.Postgres)
	if err != nil {
		return nil, errors.New("the URL for the job queue is not a PostgreSQL URL")
	}
	settings.MaxConns, settings.MinConns = connections, 0
	if config.Role != "" {
		settings.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, "SET ROLE "+pgx.Identifier{config.Role}.Sanitize())
			return err
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("opening the job queue: %w", err)
	}
	driver := riverpgxv5.New(pool)
	c := &client[pgx.Tx]{
		driver: driver,
		within: withinPostgres,
		queued: queued,
		announce: func(ctx context.Context, _ *intx.Transaction, on pgx.Tx, work string) error {
			return driver.UnwrapExecutor(on).NotifyMany(ctx, announcement(work))
		},
		wake: func(ctx context.Context, work string) { wakeAll(ctx, driver, work, config.Log) },
		counted: func(ctx context.Context, each func(scan func(...any) error) error) error {
			return countedOnPostgres(ctx, pool, each)
		},
		prepare: func(context.Context) error { return nil },
		release: func() error { pool.Close(); return nil },
	}
	return c.finish()
}

// queuedJob finds the job of a kind that a workspace has.
const queuedJob = `SELECT EXISTS (SELECT 1 FROM river_job WHERE state IN ('available', 'pending', 'running', 'retryable', 'scheduled')
	AND queue = $1 AND args->>'workspace_id' = $2)`

// queued looks before the insert, which would lock the job that is there. Whoever
// enqueues several kinds would hold that lock while waiting for the next, and
// River, which writes what goes back to the queue in batches, may hold the two
// in the other order. To look is enough: the job is completed under the
// workspace's lock, which the caller holds.
func queued(ctx context.Context, on pgx.Tx, workspaceID, work string) (is bool, err error) {
	err = on.QueryRow(ctx, queuedJob, work, workspaceID).Scan(&is)
	return is, err
}

// countedOnPostgres reads what waits from a database.
func countedOnPostgres(ctx context.Context, pool *pgxpool.Pool, each func(scan func(...any) error) error) error {
	rows, err := pool.Query(ctx, waitingOnPostgres)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func announcement(work string) *riverdriver.NotifyManyParams {
	return &riverdriver.NotifyManyParams{Topic: insertTopic, Payload: []string{insertPayload(work)}}
}

// wakeAll wakes every process.
func wakeAll(ctx context.Context, driver *riverpgxv5.Driver, work string, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := driver.GetExecutor().NotifyMany(ctx, announcement(work)); err != nil {
		log.Warn("could not wake the job queue; it will poll", "error", err)
	}
}

// withinPostgres passes the store's transaction to fn as a pgx transaction.
func withinPostgres(tx *intx.Transaction, fn func(pgx.Tx) error) error {
	return tx.Conn.Raw(func(raw any) error {
		conn, ok := raw.(interface{ Conn() *pgx.Conn })
		if !ok {
			return fmt.Errorf("the store's transaction uses %T, not pgx", raw)
		}
		return fn(joined{conn.Conn()})
	})
}

// joined is a transaction that the store begins and ends.
type joined struct{ *connection }

// connection renames the embedded type, whose name would clash with a method.
type connection = pgx.Conn

var errNotOurs = errors.New("only the store begins and ends this transaction")

// Conn returns the connection.
func (j joined) Conn() *pgx.Conn { return j.connection }

// Begin is refused.
func (j joined) Begin(context.Context) (pgx.Tx, error) { return nil, errNotOurs }

// Commit is refused.
func (j joined) Commit(context.Context) error { return errNotOurs }

// Rollback is refused.
func (j joined) Rollback(context.Context) error { return errNotOurs }

// LargeObjects returns nothing usable.
func (j joined) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }
