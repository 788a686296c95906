package outbound

import (
	"context"
	"time"

	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/webhookdelivery"
	"parley/ent/scope"
	"parley/store"
)

// Pending counts what is on its way out.
type Pending struct{ store *store.Store }

// NewPending returns what counts in a database.
func NewPending(db *store.Store) *Pending { return &Pending{db} }

// What waits is found along the indexes of due_at: those of mails have settled ones, too, which
// a time before all others skips. It is counted up to a limit, to cost little however much waits.
const (
	pendingMails = `SELECT (SELECT count(*) FROM (SELECT 1 FROM mails WHERE due_at > $1 AND` + store.Stays + ` LIMIT 100000) AS counted)
	+ (SELECT count(*) FROM (SELECT 1 FROM account_mails WHERE due_at > $1 LIMIT 100000) AS counted)`
	pendingWebhooks = `SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries WHERE due_at IS NOT NULL AND` + store.Stays + ` LIMIT 100000) AS counted`
)

// Mails counts the mails that have not been sent. Those of workspaces that are being deleted
// are not sent, and do not count.
func (s *Pending) Mails(ctx context.Context, access system.Access) (n int, err error) {
	ctx = scope.System(ctx, access)
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&n}, pendingMails, time.Unix(0, 0).UTC())
	return n, store.MapError(err)
}

// Webhooks counts the deliveries that have not ended, and says when the first of them is or
// was due: the zero time without any. Those of workspaces that are being deleted do not count.
func (s *Pending) Webhooks(ctx context.Context, access system.Access) (n int, first time.Time, err error) {
	ctx = scope.System(ctx, access)
	if err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&n}, pendingWebhooks); err != nil || n == 0 {
		return 0, time.Time{}, store.MapError(err)
	}
	row, err := s.store.Client(ctx).WebhookDelivery.Query().Where(webhookdelivery.DueAtNotNil(), store.Staying).Order(webhookdelivery.ByDueAt()).First(ctx)
	if ent.IsNotFound(err) { // it ended in between
		return 0, time.Time{}, nil
	}
	if err != nil {
		return 0, time.Time{}, store.MapError(err)
	}
	return n, row.DueAt.UTC(), nil
}
