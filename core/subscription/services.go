package subscription

import (
	"context"
	"iter"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/system"
	"parley/core/tenant"
)

// Database holds the ports of this package, one for each subject.
type Database struct {
	Tx            transactor
	Subscriptions SubscriptionStore
	Events        EventStore
	Access        AccessStore
	Trials        TrialStore
	Reversals     ReversalStore
	Mails         MailStore
	Plans         planReader
	Workspaces    workspaceReader
	Members       memberReader
	Audit         audit.Log
	System        system.Access
}

// subscriptionOf is [Ledger.Subscription].
func (d Database) subscriptionOf(ctx context.Context, workspaceID string) (Subscription, error) {
	found, err := d.Subscriptions.Subscription(ctx, workspaceID)
	if fault.Is(err, fault.NotFound) {
		return Subscription{WorkspaceID: workspaceID}, nil
	}
	return found, err
}

// transactor runs a function in one transaction; calls inside it join.
type transactor interface {
	InTx(ctx context.Context, fn func(context.Context) error) error
}

// AccessStore stores which plan is in force, and which was granted.
type AccessStore interface {
	// SetPlan writes the plan in force, and the granted one.
	SetPlan(ctx context.Context, workspaceID string, inForce, granted plan.Name) error
	// SetGrantEnd writes when the grant ends; nil if it does not.
	SetGrantEnd(ctx context.Context, workspaceID string, until *time.Time) error
	// EndedGrants reads the workspaces whose grant has ended, a portion at a time.
	EndedGrants(ctx context.Context, access system.Access, now time.Time) iter.Seq2[string, error]
	// KeepConversations keeps conversations whose last message is older than a time for
	// at least this many days, or for the longer time set before; plan.Unlimited means
	// forever.
	KeepConversations(ctx context.Context, workspaceID string, before time.Time, days int) error
}

// planReader reads plans.
type planReader interface {
	Plan(ctx context.Context, name plan.Name) (plan.Plan, error)
}

// workspaceReader reads workspaces.
type workspaceReader interface {
	Workspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
}

// memberReader reads members, oldest first.
type memberReader interface {
	Members(ctx context.Context, workspaceID string) ([]tenant.Member, error)
	Memberships(ctx context.Context, access system.Access, userID string) ([]tenant.Membership, error)
}

// Options are the operator's settings for payments.
type Options struct {
	// Grace is how long after a failed payment access continues.
	Grace time.Duration
	// StripeOff says that plans are not, or no longer, sold here, so that paid plans
	// cannot be verified.
	StripeOff bool
}

// Subscriptions are the services of this package over one database.
type Subscriptions struct {
	Ledger    *Ledger
	Customers *Customers
	Grants    *Grants
	Lapses    *Lapses
	Trials    *Trials
	Reversals *Reversals
	Notices   *Notices
	Deletions *Deletions
}

// New returns the services, which use the services of package tenant.
func New(db Database, tenants tenant.Tenants, mails *outbox.Writer, now func() time.Time, options Options) Subscriptions {
	notices := &Notices{db: db, mails: mails, now: now}
	book := &book{db: db, holdings: tenants.Holdings, notices: notices, grace: options.Grace, now: now}
	return Subscriptions{
		Ledger:    &Ledger{db: db, workspaces: tenants.Workspaces, book: book, now: now},
		Customers: &Customers{db: db, workspaces: tenants.Workspaces, book: book, now: now},
		Grants:    &Grants{db: db, workspaces: tenants.Workspaces, plans: tenants.Plans, book: book, stripeOff: options.StripeOff, now: now},
		Lapses:    &Lapses{db: db, workspaces: tenants.Workspaces, book: book, now: now},
		Trials:    &Trials{db: db, now: now},
		Reversals: &Reversals{db: db, workspaces: tenants.Workspaces, book: book},
		Notices:   notices,
		Deletions: &Deletions{db: db, workspaces: tenants.Workspaces, stripeOff: options.StripeOff},
	}
}
