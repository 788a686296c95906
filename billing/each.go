package billing

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/stripe/stripe-go/v76"
	stripesub "github.com/stripe/stripe-go/v76/subscription"

	"parley/billing/stripeapi"
)

const (
	// enoughFailures in a row raise the question whether Stripe is down.
	enoughFailures = 5
	// busyTries is how often a call is tried while Stripe is busy, and busyWait the
	// first pause between two tries, which doubles.
	busyTries = 5
	busyWait  = time.Second
)

// each performs an action at Stripe for each of many workspaces. A failure for one does not
// stop the others, unless Stripe itself is down or the list cannot be read on. It returns
// the first few failures. It ignores workspaces whose customer is not at this Stripe.
func each[T any](ctx context.Context, s *Service, items iter.Seq2[T, error], do func(T) error) error {
	var failures []error
	running := 0
	for item, err := range items {
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		err := s.retryWhileBusy(ctx, func() error { return do(item) })
		if isStray(err) {
			err = nil
		}
		if err != nil && len(failures) < enoughFailures {
			failures = append(failures, err)
		}
		if running++; !stripeapi.Away(err) {
			running = 0
		}
		if running < enoughFailures {
			continue
		}
		// Five customers whose subscriptions Stripe cannot list look like a Stripe that
		// is down.
		if s.ping(ctx) != nil {
			break
		}
		running = 0
	}
	return errors.Join(failures...)
}

// retryWhileBusy retries a call, with pauses, while Stripe is busy.
func (s *Service) retryWhileBusy(ctx context.Context, do func() error) error {
	pause := busyWait
	for try := 1; ; try++ {
		err := do()
		if !stripeapi.Busy(err) || try == busyTries || s.wait(ctx, pause) != nil {
			return err
		}
		pause *= 2
	}
}

func sleep(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ping reports whether the database and Stripe answer.
func (s *Service) ping(ctx context.Context) error {
	if _, err := s.books.Ledger.SawEvent(ctx, ""); err != nil {
		return err
	}
	client := stripesub.Client{B: s.api.Backend, Key: s.api.Key}
	_, err := stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.Subscription, error) {
		params := &stripe.SubscriptionListParams{}
		params.Context = ctx
		params.Limit = stripe.Int64(1)
		params.Single = true
		return stripeapi.All[*stripe.Subscription](client.List(params).Iter)
	})
	return err
}
