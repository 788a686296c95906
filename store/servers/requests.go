package servers

import (
	"context"
	"database/sql"
	"time"

	"parley/core/plan"
	"parley/core/system"
	"parley/ent/scope"
	"parley/store"
)

// RequestMinutes keeps the requests that processes share.
type RequestMinutes struct{ store *store.Store }

// NewRequestMinutes returns the request minutes of a database.
func NewRequestMinutes(db *store.Store) *RequestMinutes { return &RequestMinutes{db} }

const (
	// This returns the clock even when there is no row.
	requestMinutePostgres = `SELECT m.minute, m.revision, clock_timestamp() FROM (SELECT 1) AS always
	LEFT JOIN request_minutes m ON m.workspace_id = $1`
	requestMinuteSQLite = `SELECT m.minute, m.revision, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') FROM (SELECT 1) AS always
	LEFT JOIN request_minutes m ON m.workspace_id = $1`
	addRequestMinute = `INSERT INTO request_minutes (workspace_id, minute, revision, changed_at)
	VALUES ($1, $2, 1, CURRENT_TIMESTAMP) ON CONFLICT (workspace_id) DO NOTHING`
	setRequestMinute = `UPDATE request_minutes SET minute = $1, revision = revision + 1, changed_at = CURRENT_TIMESTAMP
	WHERE workspace_id = $2 AND revision = $3`
)

// RequestMinute returns a workspace's minute of requests, its revision and the
// database's clock.
func (s *RequestMinutes) RequestMinute(ctx context.Context, workspaceID string) (minute plan.Minute, revision int64, now time.Time, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	var written []byte
	var at sql.NullInt64
	if s.store.IsSQLite() {
		var clock string
		if err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&written, &at, &clock}, requestMinuteSQLite, workspaceID); err == nil {
			now, err = time.Parse(time.RFC3339Nano, clock)
		}
	} else {
		err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&written, &at, &now}, requestMinutePostgres, workspaceID)
	}
	if err != nil {
		return minute, 0, now, store.MapError(err)
	}
	return minute, at.Int64, now, minute.UnmarshalBinary(written)
}

// SetRequestMinute stores a minute unless it was changed since the revision. An
// unlogged table makes the commit wait for no disk.
func (s *RequestMinutes) SetRequestMinute(ctx context.Context, workspaceID string, minute plan.Minute, revision int64) (stored bool, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	written, err := minute.MarshalBinary()
	if err != nil {
		return false, err
	}
	err = s.store.WriteRaw(ctx, func(ctx context.Context) error {
		if revision == 0 {
			stored, err = s.store.Changes(ctx, addRequestMinute, workspaceID, written)
		} else {
			stored, err = s.store.Changes(ctx, setRequestMinute, written, workspaceID, revision)
		}
		return err
	})
	return stored, err
}

const deleteRequestMinutes = `DELETE FROM request_minutes WHERE changed_at < $1`

// DeleteRequestMinutes deletes the minutes of workspaces without requests since
// a time, which is more than a minute ago.
func (s *RequestMinutes) DeleteRequestMinutes(ctx context.Context, access system.Access, before time.Time) error {
	return s.store.WriteRaw(scope.System(ctx, access), func(ctx context.Context) error {
		_, err := s.store.Raw(ctx).ExecContext(ctx, deleteRequestMinutes, before)
		return err
	})
}
