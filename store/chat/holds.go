package chat

import (
	"context"
	"database/sql"
	"time"

	"parley/core/chat/quota"
	"parley/core/system"
	"parley/ent/scope"
	"parley/store"
)

// Months counts the messages of months.
type Months struct{ store *store.Store }

// NewMonths returns the months of a database.
func NewMonths(db *store.Store) *Months { return &Months{db} }

// On PostgreSQL a process reserves messages of a month in a row of
// message_holds, and counts those that it begins in rows of usages of its own.
// The transaction that stores the question changes both, so that what is begun
// and what is reserved never overlap. The rows of a process have the shards
// from holder*256 to holder*256+255; the shards below 256 count messages that
// no process had reserved.

// firstShard returns the first of the shards in which this process counts.
func firstShard(s *store.Store, reserved bool) int64 {
	if !reserved {
		return 0
	}
	return s.Holder() * shardsEach
}

const shardsEach = 256

const (
	// lockMonth lets one process at a time reserve messages of a workspace, and
	// lets the commit wait for no disk: a crash of the database may forget the
	// reservations of its last moment.
	lockMonth = `SELECT pg_advisory_xact_lock(hashtextextended('messages ' || $1, 0)), set_config('synchronous_commit', 'off', true)`
	monthUse  = `WITH begun AS (
	SELECT shard / 256 AS holder, SUM(messages) AS messages FROM usages WHERE workspace_id = $1 AND month = $2 GROUP BY 1
), held AS (
	SELECT h.holder, h.granted - COALESCE(b.messages, 0) AS kept FROM message_holds h LEFT JOIN begun b USING (holder)
	WHERE h.workspace_id = $1 AND h.month = $2 AND h.lease_until > clock_timestamp()
) SELECT (SELECT COALESCE(SUM(messages), 0)::bigint FROM begun),
	(SELECT COALESCE(SUM(messages), 0)::bigint FROM begun WHERE holder = $3),
	(SELECT COALESCE(SUM(GREATEST(kept, 0)), 0)::bigint FROM held WHERE holder <> $3),
	(SELECT kept::bigint FROM held WHERE holder = $3)`
	setHold = `INSERT INTO message_holds (workspace_id, month, holder, granted, lease_until)
	VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5::float8))
	ON CONFLICT (workspace_id, month, holder) DO UPDATE SET granted = excluded.granted, lease_until = excluded.lease_until`
)

// ReserveMessages reserves messages of a month. SQLite has one process, which
// gets all that are left and writes nothing.
func (s *Months) ReserveMessages(ctx context.Context, workspaceID string, asked quota.Reservation) (free int, err error) {
	if s.store.IsSQLite() {
		messages, err := s.MessagesOf(ctx, workspaceID, asked.Month)
		asked.Want = asked.Limit
		free, _ = asked.Grant(quota.MonthUse{Messages: messages, Mine: asked.Free + asked.Open, Held: true})
		return free, err
	}
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		free, err = s.reserve(ctx, workspaceID, asked)
		return err
	})
	return free, err
}

func (s *Months) reserve(ctx context.Context, workspaceID string, asked quota.Reservation) (free int, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	if _, err := s.store.Raw(ctx).ExecContext(ctx, lockMonth, workspaceID); err != nil {
		return 0, store.MapError(err)
	}
	var use quota.MonthUse
	var begun int
	var mine sql.NullInt64
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&use.Messages, &begun, &use.Others, &mine}, monthUse, workspaceID, asked.Month, s.store.Holder())
	if err != nil {
		return 0, store.MapError(err)
	}
	use.Mine, use.Held = int(mine.Int64), mine.Valid
	free, kept := asked.Grant(use)
	if free == 0 && kept == use.Mine { // refused: there is nothing to write
		return 0, nil
	}
	_, err = s.store.Raw(ctx).ExecContext(ctx, setHold, workspaceID, asked.Month, s.store.Holder(), begun+kept, asked.Lease.Seconds())
	return free, store.MapError(err)
}

const releaseHolds = `UPDATE message_holds SET lease_until = clock_timestamp() WHERE holder = $1 AND lease_until > clock_timestamp()`

// ReleaseMessages ends the leases of this process. Its rows stay until they are
// settled.
func (s *Months) ReleaseMessages(ctx context.Context, access system.Access) error {
	if s.store.IsSQLite() {
		return nil
	}
	_, err := s.store.Raw(ctx).ExecContext(scope.System(ctx, access), releaseHolds, s.store.Holder())
	return store.MapError(err)
}

const (
	lapsedHolds = `SELECT workspace_id, month, holder FROM message_holds WHERE lease_until < $1 ORDER BY lease_until LIMIT 1000`
	// lockForHold makes a deletion of the workspace wait, or waits for it: they
	// touch the same rows in another order.
	lockForHold = `SELECT id FROM workspaces WHERE id = $1 FOR KEY SHARE`
	settleHold  = `WITH hold AS (
	DELETE FROM message_holds WHERE workspace_id = $1 AND month = $2 AND holder = $3 AND lease_until < $4 RETURNING holder
), begun AS (
	DELETE FROM usages USING hold WHERE workspace_id = $1 AND month = $2 AND shard / 256 = hold.holder RETURNING messages
) INSERT INTO usages (workspace_id, month, shard, messages)
	SELECT $1, $2, 0, SUM(messages) FROM begun HAVING COUNT(*) > 0
	ON CONFLICT (workspace_id, month, shard) DO UPDATE SET messages = usages.messages + excluded.messages`
)

// messageHold is a row of message_holds.
type messageHold struct {
	workspaceID, month string
	holder             int64
}

// SettleMessages moves the counts of reservations that have ended to the shards
// that belong to no process, and deletes the reservations.
func (s *Months) SettleMessages(ctx context.Context, access system.Access, before time.Time) error {
	if s.store.IsSQLite() {
		return nil
	}
	for {
		lapsed, err := s.lapsedHolds(ctx, access, before)
		if err != nil {
			return store.MapError(err)
		}
		for _, h := range lapsed {
			if err := s.settle(ctx, h, before); err != nil {
				return err
			}
		}
		if len(lapsed) < 1000 {
			return nil
		}
	}
}

func (s *Months) lapsedHolds(ctx context.Context, access system.Access, before time.Time) (lapsed []messageHold, err error) {
	rows, err := s.store.Raw(ctx).QueryContext(scope.System(ctx, access), lapsedHolds, before)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var h messageHold
		if err := rows.Scan(&h.workspaceID, &h.month, &h.holder); err != nil {
			return nil, err
		}
		lapsed = append(lapsed, h)
	}
	return lapsed, rows.Err()
}

func (s *Months) settle(ctx context.Context, h messageHold, before time.Time) error {
	return s.store.InTx(scope.Workspace(ctx, h.workspaceID), func(ctx context.Context) error {
		if _, err := s.store.Raw(ctx).ExecContext(ctx, lockForHold, h.workspaceID); err != nil {
			return store.MapError(err)
		}
		if _, err := s.store.Raw(ctx).ExecContext(ctx, lockMonth, h.workspaceID); err != nil {
			return store.MapError(err)
		}
		_, err := s.store.Raw(ctx).ExecContext(ctx, settleHold, h.workspaceID, h.month, h.holder, before)
		return store.MapError(err)
	})
}
