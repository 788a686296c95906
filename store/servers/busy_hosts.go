package servers

import (
	"context"
	"time"

	"parley/store"
)

// BusyHosts lets one process at a time read a host, on PostgreSQL.
type BusyHosts struct{ store *store.Store }

// NewBusyHosts returns the busy hosts of a database. On SQLite, which has one process,
// there are none to keep, and it returns nil.
func NewBusyHosts(db *store.Store) *BusyHosts {
	if db.IsSQLite() {
		return nil
	}
	return &BusyHosts{db}
}

const (
	// A row that another transaction has just changed is not seen: then the wait is
	// short.
	takeHost = `WITH taken AS (
		INSERT INTO busy_hosts (host, holder, free_at) VALUES ($1, $2, clock_timestamp() + $3 * interval '1 second')
		ON CONFLICT (host) DO UPDATE SET holder = excluded.holder, free_at = excluded.free_at WHERE busy_hosts.free_at <= clock_timestamp()
		RETURNING 1
	) SELECT CASE WHEN EXISTS (SELECT 1 FROM taken) THEN 0
		ELSE GREATEST(0.01, COALESCE((SELECT EXTRACT(EPOCH FROM free_at - clock_timestamp())::float8 FROM busy_hosts WHERE host = $1), 0)) END`
	leaveHost       = `UPDATE busy_hosts SET free_at = clock_timestamp() + $3 * interval '1 second' WHERE host = $1 AND holder = $2`
	deleteFreeHosts = `DELETE FROM busy_hosts WHERE free_at < clock_timestamp() - interval '1 minute'`
)

// TakeHost lets a holder read a host for at most a time. Otherwise it returns how long,
// at the longest, somebody else reads it, or how long it rests.
func (s *BusyHosts) TakeHost(ctx context.Context, host, holder string, most time.Duration) (wait time.Duration, err error) {
	var seconds float64
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&seconds}, takeHost, host, holder, most.Seconds())
	return time.Duration(seconds * float64(time.Second)), store.MapError(err)
}

// LeaveHost says that a holder has read a host, which then rests for a time.
func (s *BusyHosts) LeaveHost(ctx context.Context, host, holder string, rest time.Duration) error {
	_, err := s.store.Raw(ctx).ExecContext(ctx, leaveHost, host, holder, rest.Seconds())
	return store.MapError(err)
}

// DeleteFreeHosts deletes what says nothing any more. On SQLite it does nothing.
func (s *BusyHosts) DeleteFreeHosts(ctx context.Context) error {
	if s == nil {
		return nil
	}
	_, err := s.store.Raw(ctx).ExecContext(ctx, deleteFreeHosts)
	return store.MapError(err)
}
