// Package billing speaks with Stripe. In this version it only says whether
// Stripe takes the configured key; plans are changed by hand.
//
// It does not own plans and their limits (package plan) nor which plan a
// workspace has (package tenant).
package billing

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/balance"

	"parley/core/fault"
)

const timeout = 10 * time.Second

// Client is an account at Stripe.
type Client struct{ balance balance.Client }

// New returns the account of a secret key. BaseURL is empty for Stripe itself.
func New(key, baseURL string) *Client {
	config := &stripe.BackendConfig{
		HTTPClient:        &http.Client{Timeout: timeout},
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull}, // it would log requests
		MaxNetworkRetries: stripe.Int64(0),
	}
	if baseURL != "" {
		config.URL = stripe.String(baseURL)
	}
	return &Client{balance.Client{B: stripe.GetBackendWithConfig(stripe.APIBackend, config), Key: key}}
}

// Check reports whether Stripe takes the key. The error never has the key in
// it: Stripe repeats a part of a wrong one.
func (c *Client) Check(ctx context.Context) error {
	params := &stripe.BalanceParams{}
	params.Context = ctx
	_, err := c.balance.Get(params)
	var refused *stripe.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.HTTPStatusCode == http.StatusUnauthorized:
		return fault.New(fault.Unavailable, "Stripe does not take the key. Check STRIPE_SECRET_KEY.")
	}
	return fault.New(fault.Unavailable, "Stripe does not answer. Try again later.")
}
