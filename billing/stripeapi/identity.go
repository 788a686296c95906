package stripeapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/stripe/stripe-go/v76"

	"parley/core/subscription"
)

// identity caches the account of the key.
type identity struct {
	mu    sync.Mutex
	asked bool
	id    string
}

// Account returns the account of the key. Its id is empty if the key may not read it, and its
// mode if the key does not reveal it. It fails while Stripe does not answer.
func (c *Client) Account(ctx context.Context) (subscription.StripeAccount, error) {
	here := subscription.StripeAccount{Mode: modeOf(c.Key)}
	c.whose.mu.Lock()
	asked, id := c.whose.asked, c.whose.id
	c.whose.mu.Unlock()
	if asked {
		here.ID = id
		return here, nil
	}
	found, err := Ask(ctx, func(ctx context.Context) (*stripe.Account, error) {
		params, answer := &stripe.AccountParams{}, &stripe.Account{}
		params.Context = ctx
		return answer, c.Backend.Call(http.MethodGet, "/v1/account", c.Key, params, answer)
	})
	if err != nil && !Forbidden(err) {
		return here, err
	}
	if err == nil {
		here.ID = found.ID
	}
	c.whose.mu.Lock()
	defer c.whose.mu.Unlock()
	c.whose.asked, c.whose.id = true, here.ID
	return here, nil
}

// modeOf derives the mode from a secret or restricted key.
func modeOf(key string) subscription.Mode {
	for _, kind := range []string{"sk_", "rk_"} {
		switch rest, found := strings.CutPrefix(key, kind); {
		case found && strings.HasPrefix(rest, "live_"):
			return subscription.Live
		case found && strings.HasPrefix(rest, "test_"):
			return subscription.Test
		}
	}
	return ""
}

// Forbidden reports whether the key lacks a right.
func Forbidden(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && cause.status == http.StatusForbidden
}

// Unauthorized reports whether Stripe does not know the key.
func Unauthorized(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && cause.status == http.StatusUnauthorized
}
