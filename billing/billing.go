// Package billing speaks with Stripe: it sends people to pay, hears that
// something changed, and reads there what a workspace pays for.
//
// It does not own plans, their limits and which state gives which plan (package
// plan), nor the subscription as it is stored and what follows from it (package
// subscription), nor what an operator sets up at Stripe (package setup), how
// Stripe is called (package stripeapi) and what an event says (package notice).
// It opens no transaction: it writes what it reads into [Books].
package billing

import (
	"context"
	"log/slog"
	"time"

	"parley/billing/setup"
	"parley/billing/stripeapi"
	"parley/core/audit"
	"parley/core/subscription"
	"parley/core/tenant"
)

// Config is the account at Stripe.
type Config struct {
	// Key is the secret key.
	Key string
	// WebhookSecret signs what Stripe sends; without it nothing is received.
	WebhookSecret string
	// BaseURL is that of another Stripe, for tests; empty for Stripe itself.
	BaseURL string
	// TrialDays is how long a workspace's first subscription costs nothing;
	// zero for no trial.
	TrialDays int
	// Tax lets Stripe Tax compute taxes.
	Tax bool
	// TaxInclusive says that taxes are a part of the prices. Otherwise they come
	// on top.
	TaxInclusive bool
	// TaxCode says what is sold, such as txcd_10103001; empty for the default of
	// the account. See https://docs.stripe.com/tax/tax-codes.
	TaxCode string
}

// Books are where what is read at Stripe is written, and what is told there is
// read. Package subscription says what each method does.
type Books struct {
	Ledger     Ledger
	Lapses     lapsesPort
	Customers  Customers
	Trials     trialsPort
	Reversals  reversalsPort
	Prices     setup.Prices
	Workspaces workspacesPort
}

// Ledger keeps subscriptions, and which events of Stripe were applied.
type Ledger interface {
	Subscription(ctx context.Context, workspaceID string) (subscription.Subscription, error)
	All(ctx context.Context) ([]subscription.Subscription, error)
	ApplySubscription(ctx context.Context, workspaceID string, revision int, billed subscription.Billed, trialUsed bool, cause subscription.Cause) (subscription.Applied, error)
	SawEvent(ctx context.Context, eventID string) (bool, error)
	NoteEvent(ctx context.Context, eventID, kind string) error
}

// lapsesPort knows whose access ends by time.
type lapsesPort interface {
	Lapsed(ctx context.Context) (workspaceIDs []string, err error)
}

// Customers knows workspaces as Stripe's customers.
type Customers interface {
	WorkspaceByCustomer(ctx context.Context, customerID string) (workspaceID string, err error)
	OwnerEmail(ctx context.Context, workspaceID string) (string, error)
	SetCustomer(ctx context.Context, workspaceID string, customer subscription.Customer) (subscription.Subscription, error)
	ReplaceCustomer(ctx context.Context, workspaceID, replaced string, customer subscription.Customer) (subscription.Subscription, error)
	CustomerMissing(ctx context.Context, workspaceID, customerID string) (news bool, err error)
	CustomerTold(ctx context.Context, workspaceID string) error
	BeginCheckout(ctx context.Context, workspaceID string) error
}

// trialsPort remembers who has had a trial.
type trialsPort interface {
	TrialTaken(ctx context.Context, key subscription.TrialKey) (bool, error)
	ClaimTrial(ctx context.Context, subscriptionID string, keys ...subscription.TrialKey) (first bool, err error)
}

// reversalsPort keeps refunds and disputes.
type reversalsPort interface {
	RecordReversals(ctx context.Context, workspaceID string, read []subscription.Reversal) (news []subscription.Reversal, err error)
}

// workspacesPort knows the workspaces of this server.
type workspacesPort interface {
	Workspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
	// WasHere reports whether a workspace is or was one of this server.
	WasHere(ctx context.Context, workspaceID string) (bool, error)
}

// NewBooks returns the books of a server.
func NewBooks(subscriptions subscription.Subscriptions, tenants tenant.Tenants, log *audit.Reader) Books {
	return Books{
		Ledger: subscriptions.Ledger, Lapses: subscriptions.Lapses, Customers: subscriptions.Customers,
		Trials: subscriptions.Trials, Reversals: subscriptions.Reversals, Prices: tenants.Plans,
		Workspaces: registry{tenants.Workspaces, log},
	}
}

// registry knows the workspaces that are here, and those that were.
type registry struct {
	*tenant.Workspaces
	*audit.Reader
}

// Service is an account at Stripe and the workspaces that pay there. Each of its
// parts has the methods of one subject.
type Service struct {
	*common
	*setup.Setup
	customers
	prices
	trials
	subscribed
	statements
	checkoutPages
	reader
	refresher
	reconciler
	moneyBack
	listener
	portalPages
	closer
	finisher
	cashier
}

// New returns the account. [setup.Setup.Check] and [setup.Setup.Sync] work
// without books.
func New(config Config, books Books, now func() time.Time, log *slog.Logger, observer Observer) *Service {
	c := &common{
		config: config, api: stripeapi.Connect(config.Key, config.BaseURL), books: books,
		now: now, log: log, observer: observer, wait: sleep,
	}
	s := &Service{
		common: c, customers: customers{c}, prices: prices{c}, trials: trials{c}, subscribed: subscribed{c},
		statements: statements{c}, checkoutPages: checkoutPages{c}, moneyBack: moneyBack{c},
		Setup: setup.New(c.api, config.setup(), books.Prices),
	}
	s.reader = reader{c, s.customers, s.prices, s.trials, s.subscribed}
	s.refresher = refresher{c, s.reader, newLanes()}
	s.reconciler = reconciler{c, s.refresher}
	s.listener = listener{c, s.refresher, s.moneyBack}
	s.portalPages = portalPages{c, s.prices}
	s.closer = closer{c, s.customers, s.subscribed, s.checkoutPages}
	s.finisher = finisher{c, s.refresher, s.closer}
	s.cashier = cashier{c, s.customers, s.trials, s.checkoutPages, s.portalPages, s.refresher, s.finisher}
	return s
}

func (c Config) setup() setup.Config {
	return setup.Config{WebhookSecret: c.WebhookSecret, TaxInclusive: c.TaxInclusive, TaxCode: c.TaxCode}
}
