package outbound

import (
	"context"
	"time"

	"parley/core/system"
	"parley/ent/scope"
	"parley/store"
)

// Pending counts what is on its way out.
type Pending struct{ store *store.Store }

// NewPending returns what counts in a database.
func NewPending(db *store.Store) *Pending { return &Pending{db} }

// What waits is found along the indexes of due_at, whose values are all later than the one
// that is given, and counted up to a limit: it must cost little however much waits.
const (
	pendingMails = `SELECT (SELECT count(*) FROM (SELECT 1 FROM mails WHERE due_at > $1 AND` + store.Stays + ` LIMIT 100000) AS some)
	+ (SELECT count(*) FROM (SELECT 1 FROM account_mails WHERE due_at > $1 LIMIT 100000) AS some)`
	pendingWebhooks = `SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries WHERE due_at IS NOT NULL AND due_at > $1 AND` + store.Stays + ` LIMIT 100000) AS some`
	dueWebhook      = `SELECT due_at FROM webhook_deliveries WHERE due_at IS NOT NULL AND due_at > $1 AND` + store.Stays + ` ORDER BY due_at LIMIT 1`
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
	since := time.Unix(0, 0).UTC()
	if err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&n}, pendingWebhooks, since); err != nil || n == 0 {
		return 0, time.Time{}, store.MapError(err)
	}
	due, err := store.Rows(ctx, s.store, func(at *time.Time) []any { return []any{store.InUTC(at)} }, dueWebhook, since)
	if err != nil || len(due) == 0 {
		return n, time.Time{}, err
	}
	return n, due[0], nil
}
