package jobs

import (
	"context"
	"database/sql"
	"time"
)

// Querier runs queries.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Waiting is what no worker is at.
type Waiting struct {
	// Jobs counts the jobs of each kind of which there are any.
	Jobs map[string]int
	// Oldest is how long the job that is due longest has been so.
	Oldest time.Duration
}

// Both read along the index by which River looks for jobs. A job that is to wait is not
// due: its seconds are negative.
const (
	waitingOnPostgres = `SELECT queue, count(*), coalesce(extract(epoch FROM now() - min(scheduled_at)), 0)::float8
	FROM river_job WHERE state IN ('available', 'pending', 'retryable', 'scheduled') GROUP BY queue`
	waitingOnSQLite = `SELECT queue, count(*), coalesce((julianday('now') - julianday(min(scheduled_at))) * 86400, 0)
	FROM river_job WHERE state IN ('available', 'pending', 'retryable', 'scheduled') GROUP BY queue`
)

// Waiting counts the jobs of all processes that no worker is at.
func (q *Queue) Waiting(ctx context.Context) (Waiting, error) { return q.on.waiting(ctx) }

func (c *client[T]) waiting(ctx context.Context) (Waiting, error) {
	found := Waiting{Jobs: map[string]int{}}
	err := c.counted(ctx, func(scan func(...any) error) error {
		var work string
		var jobs int
		var seconds float64
		if err := scan(&work, &jobs, &seconds); err != nil {
			return err
		}
		found.Jobs[work] = jobs
		found.Oldest = max(found.Oldest, time.Duration(seconds*float64(time.Second)))
		return nil
	})
	return found, err
}

// countedOnSQLite reads what waits from a file.
func countedOnSQLite(on Querier) func(context.Context, func(func(...any) error) error) error {
	return func(ctx context.Context, each func(scan func(...any) error) error) error {
		rows, err := on.QueryContext(ctx, waitingOnSQLite)
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
}
