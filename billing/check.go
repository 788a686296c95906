package billing

import (
	"context"
	"errors"
	"net/http"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/balance"

	"parley/core/fault"
)

// Check reports whether Stripe takes the key. The error never has the key in
// it: Stripe repeats a part of a wrong one.
func (s *Service) Check(ctx context.Context) error {
	client := balance.Client{B: s.account.backend, Key: s.account.key}
	_, err := ask(ctx, func(ctx context.Context) (*stripe.Balance, error) {
		params := &stripe.BalanceParams{}
		params.Context = ctx
		return client.Get(params)
	})
	var cause *refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &cause) && cause.status == http.StatusUnauthorized:
		return fault.New(fault.Unavailable, "Stripe does not take the key. Check STRIPE_SECRET_KEY.")
	}
	return fault.New(fault.Unavailable, "Stripe does not answer. Try again later.")
}
