// Package subscription owns what a workspace pays for and which plan that gives
// it: what was last read at Stripe, plans that are given by hand, trials, refunds
// and disputes, access that ends by time, and the mails to owners about it.
//
// It does not own asking Stripe (package billing), what a plan includes (package
// plan), nor what is suspended under a smaller plan (package tenant).
package subscription

import (
	"context"
	"time"

	"parley/core/plan"
)

// Subscription is what was last read at Stripe of how a workspace pays, and
// the access that follows from it. The zero value, but for WorkspaceID, is that
// of a workspace which was never a customer.
type Subscription struct {
	WorkspaceID string
	// CustomerID is Stripe's name of the workspace, empty if it has none.
	CustomerID string
	// CustomerStale says that Stripe does not have the owner's address yet.
	CustomerStale bool
	// MissingAt is when Stripe first said that it does not know the customer,
	// nil while it does.
	MissingAt *time.Time
	Billed
	// Access is what the rule of package plan made of it.
	Access plan.Access
	// UnverifiedUntil is when Access ends unless Stripe confirms the
	// subscription before: see [Lapses.EndUnverified]. Nil while there is a
	// Stripe to ask.
	UnverifiedUntil *time.Time
	// TrialUsed says that there has been a trial.
	TrialUsed bool
	// CheckoutAt is when an owner was last sent to pay.
	CheckoutAt *time.Time
	// Revision counts the changes. A reader that asked Stripe before another
	// wrote must ask again: see [Ledger.ApplySubscription].
	Revision int
	// FetchedAt is when Stripe was last asked.
	FetchedAt *time.Time
}

// StripeAccount is an account at Stripe. Test and live mode of one account have
// nothing in common, so that they are two accounts here.
type StripeAccount struct {
	// ID is empty if Stripe would not tell it.
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

// Other reports whether two accounts are certainly different: what is not
// known of one of them is no difference.
func (a StripeAccount) Other(b StripeAccount) bool {
	return a.ID != "" && b.ID != "" && a.ID != b.ID || a.Mode != "" && b.Mode != "" && a.Mode != b.Mode
}

// Customer is how Stripe knows a workspace.
type Customer struct {
	ID      string
	Account StripeAccount
}

// Billed is the state of a subscription as Stripe has it.
type Billed struct {
	// Account has the customer. It is the zero value until Stripe was asked.
	Account StripeAccount
	// ID is Stripe's, empty when there has been none.
	ID       string
	Status   plan.Status
	Plan     plan.Name
	Interval plan.Interval
	// Amount is what a period costs, in the smallest unit of the currency, before
	// taxes and discounts: it may be a price that is not sold any more. It is 0 if
	// that is not known. Currency is an ISO 4217 code in lower case.
	Amount   int
	Currency string
	// PeriodEnd is when the next payment is due.
	PeriodEnd *time.Time
	// EndsAt is when it ends by itself, as it was canceled for the period's end,
	// or when it ended.
	EndsAt *time.Time
	// TrialEnd is when the trial ends or ended.
	TrialEnd *time.Time
	// PastDueSince is when the oldest payment that is due failed. A subscription
	// that has ended has it if that is why.
	PastDueSince *time.Time
	// InvoiceURL is Stripe's page of the invoice that is to be paid, and where a
	// bank asks to confirm the payment. It may be empty. Who has it can see the
	// invoice.
	InvoiceURL string
	// NextPlan begins at NextAt, if a change is scheduled.
	NextPlan plan.Name
	NextAt   *time.Time
}

// Costs is what a period costs, such as 79.00 USD a month; empty if that is not
// known.
func (b Billed) Costs() string { return plan.Every(b.Amount, b.Currency, b.Interval) }

// Cause is why a subscription is written.
type Cause struct {
	// EventID and EventType are of Stripe's event, or empty. An event whose
	// effect is stored already changes nothing.
	EventID, EventType string
}

// Applied says what [Ledger.ApplySubscription] did.
type Applied struct {
	// Changed says that the row is another than before, and Unknown that its
	// status is none that the rule knows.
	Changed, Unknown bool
	Before, After    Subscription
}

// SubscriptionStore keeps subscriptions.
type SubscriptionStore interface {
	// Subscription is NotFound for a workspace that was never a customer.
	Subscription(ctx context.Context, workspaceID string) (Subscription, error)
	// SaveSubscription creates or replaces the row of a workspace.
	SaveSubscription(ctx context.Context, workspaceID string, subscription Subscription) error
	// WorkspaceByCustomer finds the workspace of one of Stripe's customers.
	WorkspaceByCustomer(ctx context.Context, customerID string) (workspaceID string, err error)
	// Subscriptions returns those of every workspace.
	Subscriptions(ctx context.Context) ([]Subscription, error)
	// LapsedAccess returns the workspaces whose access has an end, and whose
	// end is now or was before.
	LapsedAccess(ctx context.Context, now time.Time) ([]string, error)
	// UnverifiedAccess returns the workspaces with an UnverifiedUntil, but for
	// those whose customer is missing at Stripe.
	UnverifiedAccess(ctx context.Context) ([]string, error)
}

// EventStore keeps the events of Stripe's that were applied.
type EventStore interface {
	// AddBillingEvent writes an event down, and reports false if it was there.
	AddBillingEvent(ctx context.Context, id, kind string, now time.Time) (added bool, err error)
	HasBillingEvent(ctx context.Context, id string) (bool, error)
	DeleteBillingEvents(ctx context.Context, before time.Time) error
}
