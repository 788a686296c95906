package billing

import (
	"context"
	"time"

	"parley/core/audit"
	"parley/core/plan"
	"parley/core/tenant"
)

const (
	// checkoutsOf is how long after somebody was sent to pay Stripe is asked
	// what came of it.
	checkoutsOf = 30 * 24 * time.Hour
	// checkoutLasts is how long they can pay there. What was read before that
	// may not be the outcome.
	checkoutLasts = 24 * time.Hour
)

// Reconcile asks Stripe about every subscription that can still change, and
// about checkouts that are recent or whose outcome is not known. It returns how
// many were not as events had said, and goes on after a failure, but not after
// several in a row.
func (s *Service) Reconcile(ctx context.Context) (corrected int, err error) {
	subscriptions, err := s.tenants.Subscriptions(ctx)
	if err != nil {
		return 0, err
	}
	var done tally
	for _, known := range subscriptions {
		if !s.mayChange(known) {
			continue
		}
		applied, err := s.Refresh(audit.As(ctx, audit.Reconciliation), known.WorkspaceID, tenant.Cause{})
		if applied.Changed {
			corrected++
		}
		if done.enough(err) {
			break
		}
	}
	return corrected, done.err()
}

func (s *Service) mayChange(known tenant.Subscription) bool {
	if known.CustomerID == "" {
		return false
	}
	return s.mayHavePaid(known) || known.Status != plan.None && !known.Status.Terminal()
}

// mayHavePaid reports whether somebody was sent to pay whose outcome may not
// have been read.
func (s *Service) mayHavePaid(known tenant.Subscription) bool {
	switch {
	case known.CheckoutAt == nil:
		return false
	case known.FetchedAt == nil, known.FetchedAt.Before(known.CheckoutAt.Add(checkoutLasts)):
		return true
	}
	return s.now().Sub(*known.CheckoutAt) < checkoutsOf
}
