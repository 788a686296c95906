package billing

import (
	"context"
	"database/sql"
	"iter"
	"time"

	"parley/core/fault"
	"parley/core/system"
	"parley/core/tenant"
	ent "parley/ent/generated"
	"parley/ent/generated/quotanotice"
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

// AddQuotaNotice records that the owners are told of a share.
func (s *QuotaNotices) AddQuotaNotice(ctx context.Context, workspaceID, month string, percent int, at time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		told, err := db.QuotaNotice.Query().Where(quotanotice.Month(month), quotanotice.Percent(percent)).Exist(ctx)
		if err != nil {
			return err
		}
		if told { // found first, because a violation would end PostgreSQL's transaction
			return fault.New(fault.Conflict, "The owners were told.")
		}
		return db.QuotaNotice.Create().SetWorkspaceID(workspaceID).SetMonth(month).SetPercent(percent).SetCreatedAt(at).Exec(ctx)
	})
}

// DeleteQuotaNotices forgets of what the owners were told.
func (s *QuotaNotices) DeleteQuotaNotices(ctx context.Context, workspaceID, month string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		_, err := db.QuotaNotice.Delete().Where(quotanotice.Month(month)).Exec(ctx)
		return err
	})
}
