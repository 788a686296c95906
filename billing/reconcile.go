package billing

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
)

const (
	// checkoutsOf is how long after sending somebody to pay Reconcile asks Stripe for
	// the outcome.
	checkoutsOf = 30 * 24 * time.Hour
	// checkoutLasts is how long they can pay there. An earlier reading may not be the
	// outcome.
	checkoutLasts = 24 * time.Hour
)

// Reconcile asks Stripe about every subscription that can still change, and about recent or
// unresolved checkouts. It returns how many differed from what events had said. It continues
// after a failure, unless Stripe is down, and skips customers that are not at this Stripe:
// see [Service.Strays].
func (s *Service) Reconcile(ctx context.Context) (corrected int, err error) {
	here, some, err := s.markOtherAccounts(ctx)
	if err != nil || !some {
		return 0, err
	}
	err = each(ctx, s, s.changeable(ctx), func(known subscription.Subscription) error {
		if known.Account.Other(here) {
			return nil
		}
		applied, err := s.Refresh(audit.As(ctx, audit.Reconciliation), known.WorkspaceID, subscription.Cause{})
		if applied.Changed {
			corrected++
		}
		if fault.Is(err, fault.NotFound) { // deleted meanwhile
			return nil
		}
		return err
	})
	return corrected, err
}

// changeable reads the subscriptions that may change, and the error.
func (s *Service) changeable(ctx context.Context) iter.Seq2[subscription.Subscription, error] {
	return func(yield func(subscription.Subscription, error) bool) {
		for known, err := range s.books.Ledger.All(ctx) {
			if (err != nil || s.mayChange(known)) && !yield(known, err) {
				return
			}
		}
	}
}

// markOtherAccounts marks the customers of other accounts, and raises one alarm for all new ones. It
// returns this account, and whether any subscription may change: else Stripe is not asked.
func (s *Service) markOtherAccounts(ctx context.Context) (here subscription.StripeAccount, some bool, err error) {
	var found []string
	for known, err := range s.changeable(ctx) {
		if err == nil && !some {
			some = true
			here, err = s.Account(ctx)
		}
		if err != nil {
			return here, some, err
		}
		if !known.Account.Other(here) {
			continue
		}
		news, err := s.books.Customers.MarkMissing(ctx, known.WorkspaceID, known.CustomerID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return here, some, err
		}
		if news {
			found = append(found, known.WorkspaceID)
		}
	}
	if len(found) > 0 {
		s.alarm(OtherAccount, slog.Int("workspaces", len(found)), slog.String("which", named10(found)))
	}
	return here, some, nil
}

func (s *Service) mayChange(known subscription.Subscription) bool {
	if known.CustomerID == "" {
		return false
	}
	return s.mayHavePaid(known) || known.Status != plan.None && !known.Status.Terminal()
}

// mayHavePaid reports whether somebody was sent to pay, and the outcome may not have been
// read.
func (s *Service) mayHavePaid(known subscription.Subscription) bool {
	switch {
	case known.CheckoutAt == nil:
		return false
	case known.FetchedAt == nil, known.FetchedAt.Before(known.CheckoutAt.Add(checkoutLasts)):
		return true
	}
	return s.now().Sub(*known.CheckoutAt) < checkoutsOf
}
