// Package setup makes an account at Stripe match the plans: products, prices, the portal's
// settings and the webhook endpoint. It checks the rights of the key, and knows the names of
// all these objects.
//
// It does not own who pays for what (package billing).
package setup

import (
	"context"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/stripeapi"
	"parley/core/audit"
	"parley/core/plan"
)

// Config holds the settings that affect objects at Stripe.
type Config struct {
	// WebhookSecret is the server's secret of the webhook endpoint.
	WebhookSecret string
	// TaxInclusive says that prices include taxes. Otherwise taxes are added.
	TaxInclusive bool
	// TaxCode classifies what is sold; empty means the account's default.
	TaxCode string
}

// Prices stores the prices on sale.
type Prices interface {
	SetOnSale(ctx context.Context, name plan.Name, price plan.Price) error
}

// Ports are where a setup writes.
type Ports struct {
	// Prices may be nil. Then the prices on sale are not stored.
	Prices Prices
	// Log is told of every change at Stripe. It may be nil.
	Log audit.Log
	Now func() time.Time
}

// Setup is what an operator sets up at Stripe.
type Setup struct {
	api    *stripeapi.Client
	config Config
	ports  Ports
}

// New returns the setup of an account.
func New(api *stripeapi.Client, config Config, ports Ports) *Setup {
	return &Setup{api: api, config: config, ports: ports}
}

// record writes into the audit log what was changed at Stripe, after it was: Stripe does not
// take part in a transaction.
func (s *Setup) record(ctx context.Context, entry audit.Entry) error {
	if s.ports.Log == nil {
		return nil
	}
	return audit.Record(ctx, s.ports.Log, "", s.ports.Now(), entry)
}

func (c Config) taxBehavior() stripe.PriceTaxBehavior {
	if c.TaxInclusive {
		return stripe.PriceTaxBehaviorInclusive
	}
	return stripe.PriceTaxBehaviorExclusive
}
