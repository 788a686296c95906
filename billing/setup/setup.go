// Package setup brings an account at Stripe to what the plans say: products,
// prices, the portal's settings and the webhook endpoint. It checks what the key
// may do there, and knows by which names all of it is found again.
//
// It does not own who pays for what (package billing).
package setup

import (
	"context"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/stripeapi"
	"parley/core/plan"
)

// Config is what of the account's settings ends in its objects.
type Config struct {
	// WebhookSecret is the secret that the server has of the webhook endpoint.
	WebhookSecret string
	// TaxInclusive says that taxes are a part of the prices. Otherwise they come
	// on top.
	TaxInclusive bool
	// TaxCode says what is sold; empty for the default of the account.
	TaxCode string
}

// Prices keeps what plans are sold for.
type Prices interface {
	SetOnSale(ctx context.Context, name plan.Name, price plan.Price) error
}

// Setup is what an operator sets up at Stripe.
type Setup struct {
	api    *stripeapi.Client
	config Config
	prices Prices
}

// New returns the setup of an account. Without prices nothing is kept of what is
// sold.
func New(api *stripeapi.Client, config Config, prices Prices) *Setup {
	return &Setup{api, config, prices}
}

func (c Config) taxBehavior() stripe.PriceTaxBehavior {
	if c.TaxInclusive {
		return stripe.PriceTaxBehaviorInclusive
	}
	return stripe.PriceTaxBehaviorExclusive
}
