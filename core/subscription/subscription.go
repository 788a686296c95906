// Package subscription owns what a workspace pays for and which plan that gives it: the last
// state read at Stripe, granted plans, trials, refunds and disputes, access that ends by time,
// and the mails to owners about it.
//
// It does not own asking Stripe (package billing), what a plan includes (package plan), or what
// is suspended under a smaller plan (package tenant).
package subscription

import (
	"context"
	"iter"
	"time"

	"parley/core/plan"
	"parley/core/system"
)

// Subscription is how a workspace pays, as last read at Stripe, and the resulting access. A
// workspace that was never a customer has the zero value, except for WorkspaceID.
type Subscription struct {
	WorkspaceID string
	// CustomerID is the workspace's customer id at Stripe, empty if it has none.
	CustomerID string
	// CustomerStale says that Stripe does not have the owner's address yet.
	CustomerStale bool
	// MissingAt is when Stripe first said that it does not know the customer; nil while
	// it does know it.
	MissingAt *time.Time
	Billed
	// Access is what the rule of package plan derived from it.
	Access plan.Access
	// UnverifiedUntil is when Access ends unless Stripe confirms the subscription
	// before: see [Lapses.EndUnverified]. Nil while there is a Stripe to ask.
	UnverifiedUntil *time.Time
	// TrialUsed says that there has been a trial.
	TrialUsed bool
	// CheckoutAt is when an owner was last sent to pay.
	CheckoutAt *time.Time
	// Revision counts the changes. If another writer stored something after a reader
	// asked Stripe, the reader must ask again: see [Ledger.Apply].
	Revision int
	// FetchedAt is when Stripe was last asked.
	FetchedAt *time.Time
}

// StripeAccount is an account at Stripe. Test and live mode of one account share nothing, so
// they count as two accounts here.
type StripeAccount struct {
	// ID is empty if Stripe did not reveal it.
	ID   string
	Mode Mode
}

// Mode says whether an account moves money.
type Mode string

// The modes.
const (
	Live Mode = "live"
	Test Mode = "test"
)

// Other reports whether two accounts are certainly different; an unknown part is not a
// difference.
func (a StripeAccount) Other(b StripeAccount) bool {
	return a.ID != "" && b.ID != "" && a.ID != b.ID || a.Mode != "" && b.Mode != "" && a.Mode != b.Mode
}

// Customer is a workspace's customer at Stripe.
type Customer struct {
	ID      string
	Account StripeAccount
}

// Billed is the state of a subscription at Stripe.
type Billed struct {
	// Account is the customer's account. It is the zero value until Stripe was asked.
	Account StripeAccount
	// ID is Stripe's id, empty if there has been none.
	ID       string
	Status   plan.Status
	Plan     plan.Name
	Interval plan.Interval
	// Amount is what a period costs, in the currency's smallest unit, before taxes and
	// discounts; the price may no longer be on sale. It is 0 if unknown. Currency is an
	// ISO 4217 code in lower case.
	Amount   int
	Currency string
	// PeriodEnd is when the next payment is due.
	PeriodEnd *time.Time
	// EndsAt is when it will end, because it was canceled for the period's end, or
	// when it ended.
	EndsAt *time.Time
	// TrialEnd is when the trial ends or ended.
	TrialEnd *time.Time
	// PastDueSince is when the oldest overdue payment failed. A subscription that has
	// ended has it if that is the reason.
	PastDueSince *time.Time
	// InvoiceURL is Stripe's page of the open invoice, where a bank may ask to confirm
	// the payment. It may be empty. Whoever has it can see the invoice.
	InvoiceURL string
	// NextPlan begins at NextAt, if a change is scheduled.
	NextPlan plan.Name
	NextAt   *time.Time
}

// Costs returns what a period costs, such as 79.00 USD a month; "" if unknown.
func (b Billed) Costs() string { return plan.Every(b.Amount, b.Currency, b.Interval) }

// Cause says why a subscription is written.
type Cause struct {
	// EventID and EventType describe Stripe's event, or are empty. An event that was
	// already applied changes nothing.
	EventID, EventType string
}

// Applied says what [Ledger.Apply] did.
type Applied struct {
	// Changed says that the row has changed, and Unknown that the rule does not know
	// its status.
	Changed, Unknown bool
	Before, After    Subscription
}

// SubscriptionStore stores subscriptions.
type SubscriptionStore interface {
	// Subscription is NotFound for a workspace that was never a customer.
	Subscription(ctx context.Context, workspaceID string) (Subscription, error)
	// SaveSubscription creates or replaces the row of a workspace.
	SaveSubscription(ctx context.Context, workspaceID string, subscription Subscription) error
	// WorkspaceByCustomer finds the workspace of one of Stripe's customers.
	WorkspaceByCustomer(ctx context.Context, access system.Access, customerID string) (workspaceID string, err error)
	// Subscriptions reads the subscriptions of all workspaces, a portion at a time, as
	// the following methods do.
	Subscriptions(ctx context.Context, access system.Access) iter.Seq2[Subscription, error]
	// StaleCustomers reads the subscriptions of customers whose address Stripe was not
	// told yet, except for customers who are missing at Stripe.
	StaleCustomers(ctx context.Context, access system.Access) iter.Seq2[Subscription, error]
	// EndlessAccess reads those with access to a paid plan and without an
	// UnverifiedUntil.
	EndlessAccess(ctx context.Context, access system.Access) iter.Seq2[Subscription, error]
	// LapsedAccess reads the workspaces whose access has expired.
	LapsedAccess(ctx context.Context, access system.Access, now time.Time) iter.Seq2[string, error]
	// UnverifiedAccess reads the workspaces with an UnverifiedUntil whose access has
	// not expired, except those whose customer is missing at Stripe.
	UnverifiedAccess(ctx context.Context, access system.Access, now time.Time) iter.Seq2[string, error]
}

// EventStore stores the applied events of Stripe's.
type EventStore interface {
	// AddBillingEvent records an event, and reports false if it was already recorded.
	AddBillingEvent(ctx context.Context, id, kind string, now time.Time) (added bool, err error)
	HasBillingEvent(ctx context.Context, id string) (bool, error)
	DeleteBillingEvents(ctx context.Context, before time.Time) error
}
