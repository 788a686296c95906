package billing

import (
	"context"
	"errors"
	"time"

	"github.com/stripe/stripe-go/v76"
	stripesub "github.com/stripe/stripe-go/v76/subscription"

	"parley/billing/stripeapi"
)

const (
	// enoughFailures one after another raise the question whether Stripe is away.
	enoughFailures = 5
	// busyTries is how often something is tried while Stripe is busy, and
	// busyWait the first pause between two tries, which doubles.
	busyTries = 5
	busyWait  = time.Second
)

// each does something at Stripe about each of many workspaces. What fails about
// one of them does not keep the others from their turn; it stops only when
// Stripe itself cannot be asked. It returns the first few failures. Workspaces
// whose customer is not at this Stripe are left out: they are marked already.
func each[T any](ctx context.Context, s *common, items []T, do func(T) error) error {
	var failures []error
	running := 0
	for _, item := range items {
		err := s.patiently(ctx, func() error { return do(item) })
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
		// Five customers whose subscriptions Stripe cannot list look the same as
		// a Stripe that is away.
		if s.works(ctx) != nil {
			break
		}
		running = 0
	}
	return errors.Join(failures...)
}

// patiently tries again, after pauses, what Stripe is too busy for.
func (s *common) patiently(ctx context.Context, do func() error) error {
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

// works asks the database and Stripe for something that both always have.
func (s *common) works(ctx context.Context) error {
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
