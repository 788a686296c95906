// Package billing keeps plans, subscriptions and what a workspace has by them.
package billing

import (
	"context"
	"iter"
	"slices"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/predicate"
	entsubscription "parley/ent/generated/subscription"
	"parley/ent/scope"
	"parley/store"
)

// Subscriptions keeps what Parley last read at Stripe.
type Subscriptions struct{ store *store.Store }

// NewSubscriptions returns the subscriptions of a database.
func NewSubscriptions(db *store.Store) *Subscriptions { return &Subscriptions{db} }

// Subscription returns how a workspace pays, as it was last read.
func (s *Subscriptions) Subscription(ctx context.Context, workspaceID string) (subscription.Subscription, error) {
	row, err := s.store.Client(ctx).Subscription.Query().Where(entsubscription.WorkspaceID(workspaceID)).Only(scope.Workspace(ctx, workspaceID))
	if ent.IsNotFound(err) {
		return subscription.Subscription{}, fault.New(fault.NotFound, "Subscription not found.")
	}
	return store.One(row, err, subscriptionFromRow)
}

// SaveSubscription creates or replaces the row of a workspace. A customer that
// another workspace has is a Conflict.
func (s *Subscriptions) SaveSubscription(ctx context.Context, workspaceID string, v subscription.Subscription) error {
	return s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		return s.store.Exec(ctx, s.store.Into(entsubscription.Table).
			Set(entsubscription.FieldWorkspaceID, workspaceID).Set(entsubscription.FieldCustomerID, v.CustomerID).
			Set(entsubscription.FieldAccountID, v.Account.ID).Set(entsubscription.FieldAccountMode, string(v.Account.Mode)).
			Set(entsubscription.FieldMissingAt, v.MissingAt).Set(entsubscription.FieldCustomerStale, v.CustomerStale).
			Set(entsubscription.FieldSubscriptionID, v.ID).Set(entsubscription.FieldStatus, string(v.Status)).Set(entsubscription.FieldPlan, string(v.Plan)).
			Set(entsubscription.FieldInterval, string(v.Interval)).Set(entsubscription.FieldPeriodEnd, v.PeriodEnd).Set(entsubscription.FieldEndsAt, v.EndsAt).
			Set(entsubscription.FieldTrialEnd, v.TrialEnd).Set(entsubscription.FieldPastDueSince, v.PastDueSince).Set(entsubscription.FieldAmount, v.Amount).
			Set(entsubscription.FieldCurrency, v.Currency).Set(entsubscription.FieldInvoiceURL, v.InvoiceURL).
			Set(entsubscription.FieldNextPlan, string(v.NextPlan)).Set(entsubscription.FieldNextAt, v.NextAt).
			Set(entsubscription.FieldAccessPlan, string(v.Access.Plan)).Set(entsubscription.FieldAccessUntil, v.Access.Until).
			Set(entsubscription.FieldAccessUnknown, v.Access.Unknown).Set(entsubscription.FieldUnverifiedUntil, v.UnverifiedUntil).
			Set(entsubscription.FieldTrialUsed, v.TrialUsed).Set(entsubscription.FieldCheckoutAt, v.CheckoutAt).Set(entsubscription.FieldRevision, v.Revision).
			Set(entsubscription.FieldFetchedAt, v.FetchedAt).Set(entsubscription.FieldCreatedAt, time.Now().UTC()).
			OnConflict(entsql.ConflictColumns(entsubscription.FieldWorkspaceID), store.Overwrite(changing...)))
	})
}

// changing are the columns that a later write replaces.
var changing = slices.DeleteFunc(slices.Clone(entsubscription.Columns), func(column string) bool {
	return column == entsubscription.FieldID || column == entsubscription.FieldWorkspaceID || column == entsubscription.FieldCreatedAt
})

// WorkspaceByCustomer finds the workspace of one of Stripe's customers.
func (s *Subscriptions) WorkspaceByCustomer(ctx context.Context, access system.Access, customerID string) (workspaceID string, err error) {
	row, err := s.store.Client(ctx).Subscription.Query().Where(entsubscription.CustomerID(customerID)).Only(scope.System(ctx, access))
	if ent.IsNotFound(err) {
		return "", fault.New(fault.NotFound, "Customer not found.")
	}
	return store.One(row, err, func(row *ent.Subscription) string { return row.WorkspaceID })
}

// Subscriptions reads the subscriptions of all workspaces.
func (s *Subscriptions) Subscriptions(ctx context.Context, access system.Access) iter.Seq2[subscription.Subscription, error] {
	return s.chosen(ctx, access)
}

// StaleCustomers reads the subscriptions of customers whose address Stripe was not told
// yet.
func (s *Subscriptions) StaleCustomers(ctx context.Context, access system.Access) iter.Seq2[subscription.Subscription, error] {
	return s.chosen(ctx, access, entsubscription.CustomerStale(true), entsubscription.CustomerIDNEQ(""), entsubscription.MissingAtIsNil())
}

// EndlessAccess reads the subscriptions with access to a paid plan that was given no end
// for want of Stripe.
func (s *Subscriptions) EndlessAccess(ctx context.Context, access system.Access) iter.Seq2[subscription.Subscription, error] {
	return s.chosen(ctx, access, entsubscription.AccessPlanNotIn("", string(plan.Free)), entsubscription.UnverifiedUntilIsNil())
}

func (s *Subscriptions) chosen(ctx context.Context, access system.Access, where ...predicate.Subscription) iter.Seq2[subscription.Subscription, error] {
	rows := store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after int) ([]*ent.Subscription, error) {
		return s.store.Client(ctx).Subscription.Query().Where(where...).Where(entsubscription.IDGT(after)).
			Order(entsubscription.ByID()).Limit(store.PortionRows).All(ctx)
	}, func(row *ent.Subscription) int { return row.ID })
	return store.Converted(rows, subscriptionFromRow)
}

// LapsedAccess reads the workspaces whose access has ended by time.
func (s *Subscriptions) LapsedAccess(ctx context.Context, access system.Access, now time.Time) iter.Seq2[string, error] {
	return s.workspaces(ctx, access, entsubscription.AccessUntilLTE(now))
}

// UnverifiedAccess reads the workspaces whose access has not ended by time, and ends unless
// Stripe confirms it, but for those whose customer Stripe does not know.
func (s *Subscriptions) UnverifiedAccess(ctx context.Context, access system.Access, now time.Time) iter.Seq2[string, error] {
	return s.workspaces(ctx, access, entsubscription.UnverifiedUntilNotNil(), entsubscription.MissingAtIsNil(),
		entsubscription.Or(entsubscription.AccessUntilIsNil(), entsubscription.AccessUntilGT(now)))
}

func (s *Subscriptions) workspaces(ctx context.Context, access system.Access, where ...predicate.Subscription) iter.Seq2[string, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) ([]string, error) {
		return s.store.Client(ctx).Subscription.Query().Where(where...).Where(store.FewAfter(entsubscription.FieldWorkspaceID, after)).
			Limit(store.PortionRows).Select(entsubscription.FieldWorkspaceID).Strings(ctx)
	}, itself)
}

func subscriptionFromRow(row *ent.Subscription) subscription.Subscription {
	return subscription.Subscription{
		WorkspaceID: row.WorkspaceID, CustomerID: row.CustomerID, CustomerStale: row.CustomerStale,
		MissingAt: store.UTC(row.MissingAt),
		Billed: subscription.Billed{
			Account: subscription.StripeAccount{ID: row.AccountID, Mode: subscription.Mode(row.AccountMode)},
			ID:      row.SubscriptionID, Status: plan.Status(row.Status), Plan: plan.Name(row.Plan),
			Interval: plan.Interval(row.Interval), Amount: row.Amount, Currency: row.Currency, InvoiceURL: row.InvoiceURL, PeriodEnd: store.UTC(row.PeriodEnd), EndsAt: store.UTC(row.EndsAt),
			TrialEnd: store.UTC(row.TrialEnd), PastDueSince: store.UTC(row.PastDueSince),
			NextPlan: plan.Name(row.NextPlan), NextAt: store.UTC(row.NextAt),
		},
		Access: plan.Access{
			Plan: plan.Name(row.AccessPlan), Until: store.UTC(row.AccessUntil), Unknown: row.AccessUnknown,
		},
		UnverifiedUntil: store.UTC(row.UnverifiedUntil),
		TrialUsed:       row.TrialUsed, CheckoutAt: store.UTC(row.CheckoutAt), Revision: row.Revision, FetchedAt: store.UTC(row.FetchedAt),
	}
}
