package billing

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/stripe/stripe-go/v76"

	"parley/core/subscription"
)

// identity remembers whose the key is.
type identity struct {
	mu    sync.Mutex
	asked bool
	id    string
}

// Account returns the account that the key belongs to. Its id is empty if the
// key may not read it, and its mode if the key does not show it. It fails while
// Stripe cannot be asked.
func (s *Service) Account(ctx context.Context) (subscription.StripeAccount, error) {
	here := subscription.StripeAccount{Mode: modeOf(s.config.Key)}
	s.whose.mu.Lock()
	asked, id := s.whose.asked, s.whose.id
	s.whose.mu.Unlock()
	if asked {
		here.ID = id
		return here, nil
	}
	found, err := ask(ctx, func(ctx context.Context) (*stripe.Account, error) {
		params, answer := &stripe.AccountParams{}, &stripe.Account{}
		params.Context = ctx
		return answer, s.account.backend.Call(http.MethodGet, "/v1/account", s.account.key, params, answer)
	})
	if err != nil && !forbidden(err) {
		return here, err
	}
	if err == nil {
		here.ID = found.ID
	}
	s.whose.mu.Lock()
	defer s.whose.mu.Unlock()
	s.whose.asked, s.whose.id = true, here.ID
	return here, nil
}

// modeOf reads the mode off a secret or restricted key.
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

// forbidden reports whether the key lacks a right.
func forbidden(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && cause.status == http.StatusForbidden
}

// unauthorized reports whether Stripe does not know the key.
func unauthorized(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && cause.status == http.StatusUnauthorized
}
