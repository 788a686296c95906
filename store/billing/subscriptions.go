// Package billing keeps plans, subscriptions and what a workspace has by them.
package billing

import (
	"cmp"
	"context"
	"database/sql"
	"iter"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/system"
	"parley/ent/scope"
	"parley/store"
)

// Subscriptions keeps what Parley last read at Stripe.
type Subscriptions struct{ store *store.Store }

// NewSubscriptions returns the subscriptions of a database.
func NewSubscriptions(db *store.Store) *Subscriptions { return &Subscriptions{db} }

// subscriptionsTable is reached with statements that are built: it has many columns.
const subscriptionsTable = "subscriptions"

// subscriptionColumns are those that a later write replaces, and before them the workspace.
var subscriptionColumns = []string{
	"workspace_id", "customer_id", "account_id", "account_mode", "missing_at", "customer_stale", "subscription_id", "status", "plan", "interval",
	"period_end", "ends_at", "trial_end", "past_due_since", "amount", "currency", "invoice_url", "next_plan", "next_at",
	"access_plan", "access_until", "access_unknown", "unverified_until", "trial_used", "checkout_at", "revision", "fetched_at",
}

func subscriptionValues(workspaceID string, v *subscription.Subscription) []any {
	return []any{
		workspaceID, v.CustomerID, v.Account.ID, string(v.Account.Mode), v.MissingAt, v.CustomerStale, v.ID, string(v.Status), string(v.Plan), string(v.Interval),
		v.PeriodEnd, v.EndsAt, v.TrialEnd, v.PastDueSince, v.Amount, v.Currency, v.InvoiceURL, string(v.NextPlan), v.NextAt,
		string(v.Access.Plan), v.Access.Until, v.Access.Unknown, v.UnverifiedUntil, v.TrialUsed, v.CheckoutAt, v.Revision, v.FetchedAt,
	}
}

// subscriptionRow is a subscription with its key.
type subscriptionRow struct {
	subscription.Subscription
	id int
}

func intoSubscription(v *subscriptionRow) []any {
	return []any{
		&v.id, &v.WorkspaceID, &v.CustomerID, &v.Account.ID, &v.Account.Mode, maybe(&v.MissingAt), &v.CustomerStale, &v.ID, &v.Status, &v.Plan, &v.Interval,
		maybe(&v.PeriodEnd), maybe(&v.EndsAt), maybe(&v.TrialEnd), maybe(&v.PastDueSince), &v.Amount, &v.Currency, &v.InvoiceURL, &v.NextPlan, maybe(&v.NextAt),
		&v.Access.Plan, maybe(&v.Access.Until), &v.Access.Unknown, maybe(&v.UnverifiedUntil), &v.TrialUsed, maybe(&v.CheckoutAt), &v.Revision, maybe(&v.FetchedAt),
	}
}

// maybe is where a column with a time goes that may be none.
func maybe(into **time.Time) sql.Scanner {
	return store.Taking[time.Time](func(at sql.Null[time.Time]) error {
		if at.Valid {
			*into = store.UTC(&at.V)
		}
		return nil
	})
}

// found returns rows for which a condition holds.
func (s *Subscriptions) found(ctx context.Context, where func(*entsql.Selector)) ([]subscriptionRow, error) {
	rows := s.store.Builder().Select("id").AppendSelect(subscriptionColumns...).From(entsql.Table(subscriptionsTable))
	where(rows)
	query, args := rows.Query()
	return store.Rows(ctx, s.store, intoSubscription, query, args...)
}

// one returns the row whose column has a value, or NotFound.
func (s *Subscriptions) one(ctx context.Context, column, value, missing string) (subscription.Subscription, error) {
	rows, err := s.found(ctx, func(row *entsql.Selector) { row.Where(entsql.EQ(column, value)) })
	if err != nil || len(rows) == 0 {
		return subscription.Subscription{}, cmp.Or(err, error(fault.New(fault.NotFound, "%s", missing)))
	}
	return rows[0].Subscription, nil
}

// Subscription returns how a workspace pays, as it was last read.
func (s *Subscriptions) Subscription(ctx context.Context, workspaceID string) (subscription.Subscription, error) {
	return s.one(scope.Workspace(ctx, workspaceID), "workspace_id", workspaceID, "Subscription not found.")
}

// SaveSubscription creates or replaces the row of a workspace. A customer that
// another workspace has is a Conflict.
func (s *Subscriptions) SaveSubscription(ctx context.Context, workspaceID string, v subscription.Subscription) error {
	return s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		return s.store.Exec(ctx, s.store.Into(subscriptionsTable).Columns(append([]string{"created_at"}, subscriptionColumns...)...).
			Values(append([]any{time.Now().UTC()}, subscriptionValues(workspaceID, &v)...)...).
			OnConflict(entsql.ConflictColumns("workspace_id"), store.Overwrite(subscriptionColumns[1:]...)))
	})
}

// WorkspaceByCustomer finds the workspace of one of Stripe's customers.
func (s *Subscriptions) WorkspaceByCustomer(ctx context.Context, access system.Access, customerID string) (workspaceID string, err error) {
	found, err := s.one(scope.System(ctx, access), "customer_id", customerID, "Customer not found.")
	return found.WorkspaceID, err
}

// Subscriptions reads the subscriptions of all workspaces.
func (s *Subscriptions) Subscriptions(ctx context.Context, access system.Access) iter.Seq2[subscription.Subscription, error] {
	return s.chosen(ctx, access, func(*entsql.Selector) {})
}

// StaleCustomers reads the subscriptions of customers whose address Stripe was not told
// yet.
func (s *Subscriptions) StaleCustomers(ctx context.Context, access system.Access) iter.Seq2[subscription.Subscription, error] {
	return s.chosen(ctx, access, func(row *entsql.Selector) {
		row.Where(entsql.And(entsql.IsTrue("customer_stale"), entsql.NEQ("customer_id", ""), entsql.IsNull("missing_at")))
	})
}

// EndlessAccess reads the subscriptions with access to a paid plan that was given no end
// for want of Stripe.
func (s *Subscriptions) EndlessAccess(ctx context.Context, access system.Access) iter.Seq2[subscription.Subscription, error] {
	return s.chosen(ctx, access, func(row *entsql.Selector) {
		row.Where(entsql.And(entsql.NotIn("access_plan", "", string(plan.Free)), entsql.IsNull("unverified_until")))
	})
}

func (s *Subscriptions) chosen(ctx context.Context, access system.Access, where func(*entsql.Selector)) iter.Seq2[subscription.Subscription, error] {
	rows := store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after int) ([]subscriptionRow, error) {
		return s.found(ctx, func(row *entsql.Selector) {
			where(row)
			row.Where(entsql.GT("id", after)).OrderBy("id").Limit(store.PortionRows)
		})
	}, func(row subscriptionRow) int { return row.id })
	return store.Converted(rows, func(row subscriptionRow) subscription.Subscription { return row.Subscription })
}

// LapsedAccess reads the workspaces whose access has ended by time.
func (s *Subscriptions) LapsedAccess(ctx context.Context, access system.Access, now time.Time) iter.Seq2[string, error] {
	return s.workspaces(ctx, access, func(row *entsql.Selector) { row.Where(entsql.LTE("access_until", now)) })
}

// UnverifiedAccess reads the workspaces whose access has not ended by time, and ends unless
// Stripe confirms it, but for those whose customer Stripe does not know.
func (s *Subscriptions) UnverifiedAccess(ctx context.Context, access system.Access, now time.Time) iter.Seq2[string, error] {
	return s.workspaces(ctx, access, func(row *entsql.Selector) {
		row.Where(entsql.And(entsql.NotNull("unverified_until"), entsql.IsNull("missing_at"),
			entsql.Or(entsql.IsNull("access_until"), entsql.GT("access_until", now))))
	})
}

func (s *Subscriptions) workspaces(ctx context.Context, access system.Access, where func(*entsql.Selector)) iter.Seq2[string, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) ([]string, error) {
		rows := s.store.Builder().Select("workspace_id").From(entsql.Table(subscriptionsTable)).Limit(store.PortionRows)
		where(rows)
		store.FewAfter("workspace_id", after)(rows)
		query, args := rows.Query()
		return store.Rows(ctx, s.store, func(id *string) []any { return []any{id} }, query, args...)
	}, itself)
}
