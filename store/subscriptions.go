package store

import (
	"context"
	"iter"
	"slices"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/ent"
	"parley/ent/predicate"
	"parley/ent/scope"
	entsubscription "parley/ent/subscription"
)

// Subscriptions keeps what Parley last read at Stripe.
type Subscriptions struct{ store *Store }

// NewSubscriptions returns the subscriptions of a database.
func NewSubscriptions(db *Store) *Subscriptions { return &Subscriptions{db} }

// Subscription returns how a workspace pays, as it was last read.
func (s *Subscriptions) Subscription(ctx context.Context, workspaceID string) (subscription.Subscription, error) {
	row, err := s.store.db(ctx).Subscription.Query().Where(entsubscription.WorkspaceID(workspaceID)).Only(within(ctx, workspaceID))
	if ent.IsNotFound(err) {
		return subscription.Subscription{}, fault.New(fault.NotFound, "Subscription not found.")
	}
	return one(row, err, subscriptionFromRow)
}

// SaveSubscription creates or replaces the row of a workspace. A customer that
// another workspace has is a Conflict.
func (s *Subscriptions) SaveSubscription(ctx context.Context, workspaceID string, v subscription.Subscription) error {
	return s.store.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Subscription.Create().SetWorkspaceID(workspaceID).SetCustomerID(v.CustomerID).
			SetAccountID(v.Account.ID).SetAccountMode(string(v.Account.Mode)).SetNillableMissingAt(v.MissingAt).
			SetCustomerStale(v.CustomerStale).SetSubscriptionID(v.ID).SetStatus(string(v.Status)).
			SetPlan(string(v.Plan)).SetInterval(string(v.Interval)).SetNillablePeriodEnd(v.PeriodEnd).
			SetNillableEndsAt(v.EndsAt).SetNillableTrialEnd(v.TrialEnd).SetNillablePastDueSince(v.PastDueSince).
			SetAmount(v.Amount).SetCurrency(v.Currency).SetInvoiceURL(v.InvoiceURL).
			SetNextPlan(string(v.NextPlan)).SetNillableNextAt(v.NextAt).
			SetAccessPlan(string(v.Access.Plan)).SetNillableAccessUntil(v.Access.Until).SetAccessUnknown(v.Access.Unknown).
			SetNillableUnverifiedUntil(v.UnverifiedUntil).
			SetTrialUsed(v.TrialUsed).SetNillableCheckoutAt(v.CheckoutAt).SetRevision(v.Revision).
			SetNillableFetchedAt(v.FetchedAt).
			OnConflict(entsql.ConflictColumns(entsubscription.FieldWorkspaceID), entsql.ResolveWith(replace)).Exec(ctx)
	})
}

// replace writes every column that can change, those without a value too.
func replace(update *entsql.UpdateSet) {
	keep := []string{entsubscription.FieldID, entsubscription.FieldWorkspaceID, entsubscription.FieldCreatedAt}
	for _, column := range entsubscription.Columns {
		if !slices.Contains(keep, column) {
			update.SetExcluded(column)
		}
	}
}

// WorkspaceByCustomer finds the workspace of one of Stripe's customers.
func (s *Subscriptions) WorkspaceByCustomer(ctx context.Context, customerID string) (workspaceID string, err error) {
	row, err := s.store.db(ctx).Subscription.Query().Where(entsubscription.CustomerID(customerID)).Only(scope.System(ctx))
	if ent.IsNotFound(err) {
		return "", fault.New(fault.NotFound, "Customer not found.")
	}
	return one(row, err, func(row *ent.Subscription) string { return row.WorkspaceID })
}

// Subscriptions reads the subscriptions of all workspaces.
func (s *Subscriptions) Subscriptions(ctx context.Context) iter.Seq2[subscription.Subscription, error] {
	return s.chosen(ctx)
}

// StaleCustomers reads the subscriptions of customers whose address Stripe was not told
// yet.
func (s *Subscriptions) StaleCustomers(ctx context.Context) iter.Seq2[subscription.Subscription, error] {
	return s.chosen(ctx, entsubscription.CustomerStale(true), entsubscription.CustomerIDNEQ(""), entsubscription.MissingAtIsNil())
}

// EndlessAccess reads the subscriptions with access to a paid plan that was given no end
// for want of Stripe.
func (s *Subscriptions) EndlessAccess(ctx context.Context) iter.Seq2[subscription.Subscription, error] {
	return s.chosen(ctx, entsubscription.AccessPlanNotIn("", string(plan.Free)), entsubscription.UnverifiedUntilIsNil())
}

func (s *Subscriptions) chosen(ctx context.Context, where ...predicate.Subscription) iter.Seq2[subscription.Subscription, error] {
	rows := inKeyOrder(scope.System(ctx), func(ctx context.Context, after int) ([]*ent.Subscription, error) {
		return s.store.db(ctx).Subscription.Query().Where(where...).Where(entsubscription.IDGT(after)).
			Order(entsubscription.ByID()).Limit(portionRows).All(ctx)
	}, func(row *ent.Subscription) int { return row.ID })
	return converted(rows, subscriptionFromRow)
}

// LapsedAccess reads the workspaces whose access has ended by time.
func (s *Subscriptions) LapsedAccess(ctx context.Context, now time.Time) iter.Seq2[string, error] {
	return s.workspaces(ctx, entsubscription.AccessUntilLTE(now))
}

// UnverifiedAccess reads the workspaces whose access has not ended by time, and ends unless
// Stripe confirms it, but for those whose customer Stripe does not know.
func (s *Subscriptions) UnverifiedAccess(ctx context.Context, now time.Time) iter.Seq2[string, error] {
	return s.workspaces(ctx, entsubscription.UnverifiedUntilNotNil(), entsubscription.MissingAtIsNil(),
		entsubscription.Or(entsubscription.AccessUntilIsNil(), entsubscription.AccessUntilGT(now)))
}

func (s *Subscriptions) workspaces(ctx context.Context, where ...predicate.Subscription) iter.Seq2[string, error] {
	return inKeyOrder(scope.System(ctx), func(ctx context.Context, after string) ([]string, error) {
		return s.store.db(ctx).Subscription.Query().Where(where...).Where(fewAfter(entsubscription.FieldWorkspaceID, after)).
			Limit(portionRows).Select(entsubscription.FieldWorkspaceID).Strings(ctx)
	}, itself)
}

func subscriptionFromRow(row *ent.Subscription) subscription.Subscription {
	return subscription.Subscription{
		WorkspaceID: row.WorkspaceID, CustomerID: row.CustomerID, CustomerStale: row.CustomerStale,
		MissingAt: utc(row.MissingAt),
		Billed: subscription.Billed{
			Account: subscription.StripeAccount{ID: row.AccountID, Mode: subscription.Mode(row.AccountMode)},
			ID:      row.SubscriptionID, Status: plan.Status(row.Status), Plan: plan.Name(row.Plan),
			Interval: plan.Interval(row.Interval), Amount: row.Amount, Currency: row.Currency, InvoiceURL: row.InvoiceURL, PeriodEnd: utc(row.PeriodEnd), EndsAt: utc(row.EndsAt),
			TrialEnd: utc(row.TrialEnd), PastDueSince: utc(row.PastDueSince),
			NextPlan: plan.Name(row.NextPlan), NextAt: utc(row.NextAt),
		},
		Access: plan.Access{
			Plan: plan.Name(row.AccessPlan), Until: utc(row.AccessUntil), Unknown: row.AccessUnknown,
		},
		UnverifiedUntil: utc(row.UnverifiedUntil),
		TrialUsed:       row.TrialUsed, CheckoutAt: utc(row.CheckoutAt), Revision: row.Revision, FetchedAt: utc(row.FetchedAt),
	}
}
