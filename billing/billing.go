// Package billing talks to Stripe: it sends people to pay, receives events, and reads
// what a workspace pays for.
//
// It does not own plans, their limits and which state gives which plan (package plan),
// the stored subscription and its consequences (package subscription), the operator's
// setup at Stripe (package setup), calls to Stripe (package stripeapi) or the contents
// of events (package notice). It opens no transactions: it writes what it reads to
// [Books].
package billing

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"parley/billing/setup"
	"parley/billing/stripeapi"
	"parley/core/audit"
	"parley/core/subscription"
	"parley/core/tenant"
)

// Config configures the account at Stripe.
type Config struct {
	// Key is the secret key.
	Key string
	// WebhookSecret signs what Stripe sends; without it nothing is received.
	WebhookSecret string
	// BaseURL is the URL of a Stripe for tests; empty means Stripe itself.
	BaseURL string
	// TrialDays is the length of the free trial of a workspace's first
	// subscription; zero means no trial.
	TrialDays int
	// Tax lets Stripe Tax compute taxes.
	Tax bool
	// TaxInclusive says that prices include taxes. Otherwise taxes are added.
	TaxInclusive bool
	// TaxCode classifies what is sold, such as txcd_10103001; empty means the
	// account's default. See https://docs.stripe.com/tax/tax-codes.
	TaxCode string
}

// Books are the ports for storing what was read at Stripe, and for reading what Stripe
// should know. Package subscription documents the methods.
type Books struct {
	Ledger     Ledger
	Lapses     lapsesPort
	Customers  Customers
	Trials     trialsPort
	Reversals  reversalsPort
	Prices     setup.Prices
	Workspaces workspacesPort
	Log        audit.Log // is told what is set up at Stripe
}

// Ledger stores subscriptions, and which events of Stripe were applied.
type Ledger interface {
	Subscription(ctx context.Context, workspaceID string) (subscription.Subscription, error)
	All(ctx context.Context) iter.Seq2[subscription.Subscription, error]
	Stale(ctx context.Context) iter.Seq2[subscription.Subscription, error]
	Apply(ctx context.Context, workspaceID string, revision int, billed subscription.Billed, trialUsed bool, cause subscription.Cause) (subscription.Applied, error)
	SawEvent(ctx context.Context, eventID string) (bool, error)
	NoteEvent(ctx context.Context, eventID, kind string) error
}

// lapsesPort finds workspaces whose access has expired.
type lapsesPort interface {
	Lapsed(ctx context.Context) iter.Seq2[string, error]
}

// Customers knows workspaces as Stripe's customers.
type Customers interface {
	WorkspaceOf(ctx context.Context, customerID string) (workspaceID string, err error)
	OwnerEmail(ctx context.Context, workspaceID string) (string, error)
	Set(ctx context.Context, workspaceID string, customer subscription.Customer) (subscription.Subscription, error)
	Replace(ctx context.Context, workspaceID, replaced string, customer subscription.Customer) (subscription.Subscription, error)
	MarkMissing(ctx context.Context, workspaceID, customerID string) (news bool, err error)
	MarkTold(ctx context.Context, workspaceID string) error
	BeginCheckout(ctx context.Context, workspaceID string) error
}

// trialsPort records who has had a trial.
type trialsPort interface {
	Taken(ctx context.Context, key subscription.TrialKey) (bool, error)
	Claim(ctx context.Context, subscriptionID string, keys ...subscription.TrialKey) (first bool, err error)
}

// reversalsPort stores refunds and disputes.
type reversalsPort interface {
	Record(ctx context.Context, workspaceID string, read []subscription.Reversal) (news []subscription.Reversal, err error)
}

// workspacesPort knows the workspaces of this server.
type workspacesPort interface {
	Workspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
	// WasHere reports whether a workspace exists or existed on this server.
	WasHere(ctx context.Context, workspaceID string) (bool, error)
}

// NewBooks returns the books of a server.
func NewBooks(subscriptions subscription.Subscriptions, tenants tenant.Tenants, past *audit.Reader, log audit.Log) Books {
	return Books{
		Ledger: subscriptions.Ledger, Lapses: subscriptions.Lapses, Customers: subscriptions.Customers,
		Trials: subscriptions.Trials, Reversals: subscriptions.Reversals, Prices: tenants.Plans, Workspaces: registry{tenants.Workspaces, past}, Log: log,
	}
}

// registry knows the workspaces that exist and those that did.
type registry struct {
	*tenant.Workspaces
	*audit.Reader
}

// Service is an account at Stripe with the workspaces that pay there. Each of its parts
// has the methods of one subject.
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

// New returns the service of an account. [setup.Setup.Check] and [setup.Setup.Sync] work
// without books.
func New(config Config, books Books, now func() time.Time, log *slog.Logger, observer Observer) *Service {
	c := &common{
		config: config, api: stripeapi.Connect(config.Key, config.BaseURL), books: books,
		now: now, log: log, observer: observer, wait: sleep,
	}
	s := &Service{
		common: c, customers: customers{c}, prices: prices{c}, trials: trials{c}, subscribed: subscribed{c},
		statements: statements{c}, checkoutPages: checkoutPages{c}, moneyBack: moneyBack{c},
		Setup: setup.New(c.api, config.setup(), setup.Ports{Prices: books.Prices, Log: books.Log, Now: now}),
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
