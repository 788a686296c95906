// Package billing sells plans at Stripe and keeps what workspaces pay for in step with
// Stripe. It sends people to Checkout and to the customer portal, receives Stripe's events,
// and reads customers, subscriptions, schedules, invoices, refunds and disputes.
//
// [Service] has the methods, a file for each subject. Whatever may have changed at Stripe
// leads to [Service.Refresh], which reads the customer's present state there and stores it.
// Purchases, events and the searches for what events missed call it; it calls none of them.
//
// The package does not own plans, their limits and which state gives which plan (package
// plan), the stored subscription and its consequences (package subscription), the operator's
// setup at Stripe (package setup), calls to Stripe (package stripeapi) or the contents of
// events (package stripeevent). It opens no transactions: it writes what it reads to [Books].
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
	// Called, unless nil, is told how each call to Stripe ended: with an error where Stripe
	// did not answer, or rejects the key.
	Called func(error) `json:"-"`
}

// Books are the ports for storing what was read at Stripe, and for reading what Stripe
// should know. Package subscription documents the methods.
type Books struct {
	Ledger     Ledger
	Lapses     Lapses
	Customers  Customers
	Trials     Trials
	Reversals  Reversals
	Prices     setup.Prices
	Workspaces Workspaces
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

// Lapses finds workspaces whose access has expired.
type Lapses interface {
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

// Trials records who has had a trial.
type Trials interface {
	Taken(ctx context.Context, key subscription.TrialKey) (bool, error)
	Claim(ctx context.Context, subscriptionID string, keys ...subscription.TrialKey) (first bool, err error)
}

// Reversals stores refunds and disputes.
type Reversals interface {
	Record(ctx context.Context, workspaceID string, read []subscription.Reversal) (news []subscription.Reversal, err error)
}

// Workspaces knows the workspaces of this server.
type Workspaces interface {
	Workspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
	// WasHere reports whether a workspace exists or existed on this server.
	WasHere(ctx context.Context, workspaceID string) (bool, error)
}

// NewBooks returns the books of a server.
func NewBooks(subscriptions subscription.Subscriptions, tenants tenant.Tenants, past *audit.Reader, log audit.Log) Books {
	return Books{
		Ledger: subscriptions.Ledger, Lapses: subscriptions.Lapses, Customers: subscriptions.Customers,
		Trials: subscriptions.Trials, Reversals: subscriptions.Reversals, Prices: tenants.Plans,
		Workspaces: registry{Workspaces: tenants.Workspaces, Reader: past}, Log: log,
	}
}

// registry knows the workspaces that exist and those that did.
type registry struct {
	*tenant.Workspaces
	*audit.Reader
}

// Service is an account at Stripe with the workspaces that pay there.
type Service struct {
	// Setup is what the operator sets up in the account. Its Check works without books,
	// and so does its Sync.
	Setup *setup.Setup

	config   Config
	api      *stripeapi.Client
	books    Books
	now      func() time.Time
	log      *slog.Logger
	observer Observer
	lanes    *lanes
	invoices invoiceCache
	// wait pauses; tests do not.
	wait func(ctx context.Context, pause time.Duration) error
}

// New returns the service of an account.
func New(config Config, books Books, now func() time.Time, log *slog.Logger, observer Observer) *Service {
	api := stripeapi.Connect(config.Key, config.BaseURL, config.Called)
	return &Service{
		Setup:  setup.New(api, config.setup(), setup.Ports{Prices: books.Prices, Log: books.Log, Now: now}),
		config: config, api: api, books: books, now: now, log: log, observer: observer, lanes: newLanes(), wait: sleep,
	}
}

func (c Config) setup() setup.Config {
	return setup.Config{WebhookSecret: c.WebhookSecret, TaxInclusive: c.TaxInclusive, TaxCode: c.TaxCode}
}

// Account returns the account of the key. Its id is empty if the key may not read it, and
// its mode if the key does not reveal it. It fails while Stripe does not answer.
func (s *Service) Account(ctx context.Context) (subscription.StripeAccount, error) {
	return s.api.Account(ctx)
}
