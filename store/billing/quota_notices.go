package billing

import (
	"context"
	"database/sql"
	"iter"
	"time"

	"parley/core/fault"
	"parley/core/system"
	"parley/core/tenant"
	"parley/ent/scope"
	"parley/store"
)

// QuotaNotices keeps what owners were told about their messages.
type QuotaNotices struct{ store *store.Store }

// NewQuotaNotices returns the notices of a database.
func NewQuotaNotices(db *store.Store) *QuotaNotices { return &QuotaNotices{db} }

var _ tenant.QuotaStore = (*QuotaNotices)(nil)

const (
	selectQuota = `SELECT w.id, p.messages_per_month,
	CAST(COALESCE((SELECT SUM(u.messages) FROM usages u WHERE u.workspace_id = w.id AND u.month = $1), 0) AS bigint),
	COALESCE((SELECT MAX(q.percent) FROM quota_notices q WHERE q.workspace_id = w.id AND q.month = $1), 0)
	FROM workspaces w JOIN plans p ON p.id = w.plan`
	quotas   = selectQuota + ` WHERE w.id > $2 AND w.delete_at IS NULL ORDER BY w.id LIMIT $3`
	quotaUse = selectQuota + ` WHERE w.id = $2`
)

// Quotas reads the use of every workspace that is not being deleted.
func (s *QuotaNotices) Quotas(ctx context.Context, access system.Access, month string) iter.Seq2[tenant.QuotaUse, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) (uses []tenant.QuotaUse, err error) {
		err = store.EachRow(ctx, s.store.Raw(ctx), quotas, []any{month, after, store.PortionRows}, func(row *sql.Rows) error {
			var use tenant.QuotaUse
			err := row.Scan(&use.WorkspaceID, &use.Included, &use.Used, &use.Told)
			uses = append(uses, use)
			return err
		})
		return uses, err
	}, func(use tenant.QuotaUse) string { return use.WorkspaceID })
}

// QuotaUse returns the use of one workspace.
func (s *QuotaNotices) QuotaUse(ctx context.Context, workspaceID, month string) (use tenant.QuotaUse, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&use.WorkspaceID, &use.Included, &use.Used, &use.Told}, quotaUse, month, workspaceID)
	return use, store.MapError(err)
}

const (
	hasQuotaNotice     = `SELECT EXISTS (SELECT 1 FROM quota_notices WHERE workspace_id = $1 AND month = $2 AND percent = $3)`
	addQuotaNotice     = `INSERT INTO quota_notices (workspace_id, month, percent, created_at) VALUES ($1, $2, $3, $4)`
	deleteQuotaNotices = `DELETE FROM quota_notices WHERE workspace_id = $1 AND month = $2`
)

// AddQuotaNotice records that the owners are told of a share.
func (s *QuotaNotices) AddQuotaNotice(ctx context.Context, workspaceID, month string, percent int, at time.Time) error {
	return s.store.WriteRaw(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		var told bool
		if err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&told}, hasQuotaNotice, workspaceID, month, percent); err != nil {
			return err
		}
		if told { // found first, because a violation would end PostgreSQL's transaction
			return fault.New(fault.Conflict, "The owners were told.")
		}
		return s.store.Run(ctx, addQuotaNotice, workspaceID, month, percent, at)
	})
}

// DeleteQuotaNotices forgets of what the owners were told.
func (s *QuotaNotices) DeleteQuotaNotices(ctx context.Context, workspaceID, month string) error {
	return s.store.Run(scope.Workspace(ctx, workspaceID), deleteQuotaNotices, workspaceID, month)
}
