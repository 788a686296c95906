package stripeapi

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/stripe/stripe-go/v76"

	"parley/core/subscription"
)

// accountCache remembers the account of the key.
type accountCache struct {
	mu    sync.Mutex
	asked bool
	id    string
}

// Account returns the account of the key. Its id is empty if the key may not read it, and its
// mode if the key does not reveal it. It fails while Stripe does not answer.
func (c *Client) Account(ctx context.Context) (subscription.StripeAccount, error) {
	here := subscription.StripeAccount{Mode: modeOf(c.Key)}
	c.account.mu.Lock()
	asked, id := c.account.asked, c.account.id
	c.account.mu.Unlock()
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
	c.account.mu.Lock()
	defer c.account.mu.Unlock()
	c.account.asked, c.account.id = true, here.ID
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
