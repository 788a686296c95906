// Package setup makes an account at Stripe match the plans: products, prices, the portal's
// settings and the webhook endpoint. It checks the rights of the key, and knows the names of
// all these objects.
//
// It does not own who pays for what (package billing).
package setup

import (
	"context"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/stripeapi"
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

// Setup is what an operator sets up at Stripe.
type Setup struct {
	api    *stripeapi.Client
	config Config
	prices Prices
}

// New returns the setup of an account. Without prices it does not store the prices on sale.
func New(api *stripeapi.Client, config Config, prices Prices) *Setup {
	return &Setup{api, config, prices}
}

func (c Config) taxBehavior() stripe.PriceTaxBehavior {
	if c.TaxInclusive {
		return stripe.PriceTaxBehaviorInclusive
	}
	return stripe.PriceTaxBehaviorExclusive
}
