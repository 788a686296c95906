package billing

import (
	"context"
	"log/slog"
	"slices"
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
func (s reconciler) Reconcile(ctx context.Context) (corrected int, err error) {
	subscriptions, err := s.books.Ledger.All(ctx)
	if err != nil {
		return 0, err
	}
	subscriptions = slices.DeleteFunc(subscriptions, func(known subscription.Subscription) bool { return !s.mayChange(known) })
	if len(subscriptions) == 0 {
		return 0, nil
	}
	here, err := s.Account(ctx)
	if err != nil {
		return 0, err
	}
	if subscriptions, err = s.setAside(ctx, subscriptions, here); err != nil {
		return 0, err
	}
	err = each(ctx, s.common, subscriptions, func(known subscription.Subscription) error {
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

// setAside marks the customers of other accounts, raises one alarm for all new ones, and
// returns the other subscriptions.
func (s reconciler) setAside(ctx context.Context, subscriptions []subscription.Subscription, here subscription.StripeAccount) ([]subscription.Subscription, error) {
	var ours []subscription.Subscription
	var found []string
	for _, known := range subscriptions {
		if !known.Account.Other(here) {
			ours = append(ours, known)
			continue
		}
		news, err := s.books.Customers.MarkMissing(ctx, known.WorkspaceID, known.CustomerID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		if news {
			found = append(found, known.WorkspaceID)
		}
	}
	if len(found) > 0 {
		s.alarm(OtherAccount, slog.Int("workspaces", len(found)), slog.String("which", named10(found)))
	}
	return ours, nil
}

func (s reconciler) mayChange(known subscription.Subscription) bool {
	if known.CustomerID == "" {
		return false
	}
	return s.mayHavePaid(known) || known.Status != plan.None && !known.Status.Terminal()
}

// mayHavePaid reports whether somebody was sent to pay, and the outcome may not have been
// read.
func (s reconciler) mayHavePaid(known subscription.Subscription) bool {
	switch {
	case known.CheckoutAt == nil:
		return false
	case known.FetchedAt == nil, known.FetchedAt.Before(known.CheckoutAt.Add(checkoutLasts)):
		return true
	}
	return s.now().Sub(*known.CheckoutAt) < checkoutsOf
}
