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
	// wait pauses; tests do not.
	wait func(ctx context.Context, pause time.Duration) error
}

// The parts of the service, one for each subject, in an order in which each uses
// only those before it.
type (
	// customers are the workspaces as Stripe's customers.
	customers struct{ *common }
	// prices knows which plan something at Stripe is to.
	prices struct{ *common }
	// trials gives each person and each payment method one trial.
	trials struct{ *common }
	// subscribed is what a customer has subscribed to at Stripe.
	subscribed struct{ *common }
	// statements are the invoices that people see.
	statements struct{ *common }
	// checkoutPages are the pages at Stripe on which a plan is bought.
	checkoutPages struct{ *common }
	// reader translates what Stripe says of a customer.
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
	// reconciler refreshes all that events may have missed.
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
	// portalPages are the pages at Stripe on which a subscription is changed.
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
	// finisher deals with first payments that were begun and not finished.
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

// Account returns the account that the key belongs to. Its id is empty if the
// key may not read it, and its mode if the key does not show it. It fails while
// Stripe cannot be asked.
func (c *common) Account(ctx context.Context) (subscription.StripeAccount, error) {
	return c.api.Account(ctx)
}
