package billing

import (
	"context"
	"log/slog"
	"time"

	"parley/billing/stripeapi"
	"parley/core/subscription"
)

// common is what all parts of the service share.
type common struct {
	config   Config
	api      *stripeapi.Client
	books    Books
	now      func() time.Time
	log      *slog.Logger
	observer Observer
	invoices keptInvoices
	// wait pauses; tests do not.
	wait func(ctx context.Context, pause time.Duration) error
}

// The parts of the service, one for each subject. Each uses only those before it.
type (
	// customers manages the workspaces' customers at Stripe.
	customers struct{ *common }
	// prices finds the plan of something at Stripe.
	prices struct{ *common }
	// trials gives each person and each payment method one trial.
	trials struct{ *common }
	// subscribed reads a customer's subscriptions at Stripe.
	subscribed struct{ *common }
	// statements reads the invoices that people see.
	statements struct{ *common }
	// checkoutPages manages the pages at Stripe where people buy plans.
	checkoutPages struct{ *common }
	// reader translates Stripe's state of a customer.
	reader struct {
		*common
		customers
		prices
		trials
		subscribed
	}
	// refresher reads at Stripe what a workspace pays for, and stores it.
	refresher struct {
		*common
		reader reader
		lanes  *lanes
	}
	// reconciler refreshes what events may have missed.
	reconciler struct {
		*common
		refresher
	}
	// moneyBack reads and stores refunds and disputes.
	moneyBack struct{ *common }
	// listener handles Stripe's events.
	listener struct {
		*common
		refresher
		moneyBack
	}
	// portalPages manages the pages at Stripe where people change subscriptions.
	portalPages struct {
		*common
		prices
	}
	// closer ends what a workspace pays for.
	closer struct {
		*common
		customers
		subscribed
		checkoutPages
	}
	// finisher handles first payments that were started but not finished.
	finisher struct {
		*common
		refresher
		closer
	}
	// cashier sells plans.
	cashier struct {
		*common
		customers
		trials
		checkoutPages
		portalPages
		refresher
		finisher
	}
)

// Account returns the account of the key. Its id is empty if the key may not read it, and
// its mode if the key does not reveal it. It fails while Stripe does not answer.
func (c *common) Account(ctx context.Context) (subscription.StripeAccount, error) {
	return c.api.Account(ctx)
}
