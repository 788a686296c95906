// Package billing speaks with Stripe: it sends people to pay, hears that
// something changed, and reads there what a workspace pays for.
//
// It does not own plans, their limits and which state gives which plan (package
// plan), nor the subscription as it is stored and what follows from it (package
// tenant). It opens no transaction: what it reads is written by [Tenants].
package billing

import (
	"context"
	"log/slog"
	"time"

	"parley/core/plan"
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

// Tenants keeps subscriptions. *tenant.Service is one, and says what each
// method does.
type Tenants interface {
	Subscription(ctx context.Context, workspaceID string) (tenant.Subscription, error)
	Subscriptions(ctx context.Context) ([]tenant.Subscription, error)
	Lapsed(ctx context.Context) (workspaceIDs []string, err error)
	WorkspaceByCustomer(ctx context.Context, customerID string) (workspaceID string, err error)
	WasHere(ctx context.Context, workspaceID string) (bool, error)

	SetOnSale(ctx context.Context, name plan.Name, price plan.Price) error

	Workspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
	OwnerEmail(ctx context.Context, workspaceID string) (string, error)
	SetCustomer(ctx context.Context, workspaceID string, customer tenant.Customer) (tenant.Subscription, error)
	ReplaceCustomer(ctx context.Context, workspaceID, replaced string, customer tenant.Customer) (tenant.Subscription, error)
	CustomerMissing(ctx context.Context, workspaceID, customerID string) (news bool, err error)
	CustomerTold(ctx context.Context, workspaceID string) error

	BeginCheckout(ctx context.Context, workspaceID string) error
	ApplySubscription(ctx context.Context, workspaceID string, revision int, billed tenant.Billed, trialUsed bool, cause tenant.Cause) (tenant.Applied, error)

	TrialTaken(ctx context.Context, key tenant.TrialKey) (bool, error)
	ClaimTrial(ctx context.Context, subscriptionID string, keys ...tenant.TrialKey) (first bool, err error)
	RecordReversals(ctx context.Context, workspaceID string, read []tenant.Reversal) (news []tenant.Reversal, err error)

	SawEvent(ctx context.Context, eventID string) (bool, error)
	NoteEvent(ctx context.Context, eventID, kind string) error
}

// Service is an account at Stripe and the workspaces that pay there.
type Service struct {
	config   Config
	account  account
	tenants  Tenants
	now      func() time.Time
	log      *slog.Logger
	observer Observer
	lanes    *lanes
	whose    identity
	// wait pauses; tests do not.
	wait func(ctx context.Context, pause time.Duration) error
}

// New returns the account. For [Service.Check] and [Service.Sync] tenants may
// be nil.
func New(config Config, tenants Tenants, now func() time.Time, log *slog.Logger, observer Observer) *Service {
	return &Service{
		config: config, account: connect(config.Key, config.BaseURL), tenants: tenants,
		now: now, log: log, observer: observer, lanes: newLanes(), wait: sleep,
	}
}
