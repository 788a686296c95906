package billing

import (
	"context"
	"log/slog"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/subscription"
)

// refreshTries is how often Refresh reads again after losing to another writer.
const refreshTries = 5

// Refresh reads at Stripe what a workspace pays for, and stores it. It changes nothing for a
// workspace without a customer, or on failure: Upstream or Unavailable if Stripe does not
// answer, Conflict if the customer is not at this Stripe.
func (s refresher) Refresh(ctx context.Context, workspaceID string, cause subscription.Cause) (subscription.Applied, error) {
	defer s.invoices.forget(workspaceID)
	leave, err := s.lanes.enter(ctx, workspaceID)
	if err != nil {
		return subscription.Applied{}, err
	}
	defer leave()
	for range refreshTries {
		var applied subscription.Applied
		applied, err = s.refreshOnce(ctx, workspaceID, cause)
		if err == nil {
			s.report(ctx, workspaceID, applied)
			return applied, nil
		}
		if !fault.Is(err, fault.Conflict) || isStray(err) {
			return subscription.Applied{}, err
		}
	}
	return subscription.Applied{}, fault.Wrap(fault.Unavailable, err, "The subscription is changing right now. Try again in a minute.")
}

// refreshOnce is a Conflict if another writer stored a newer row meanwhile.
func (s refresher) refreshOnce(ctx context.Context, workspaceID string, cause subscription.Cause) (subscription.Applied, error) {
	known, err := s.books.Ledger.Subscription(ctx, workspaceID)
	if err != nil || known.CustomerID == "" {
		return subscription.Applied{Before: known, After: known}, err
	}
	billed, trialUsed, err := s.reader.read(ctx, known)
	if err != nil {
		return subscription.Applied{}, s.noteStray(ctx, known, err)
	}
	return s.books.Ledger.Apply(ctx, workspaceID, known.Revision, billed, trialUsed, cause)
}

func (s refresher) report(ctx context.Context, workspaceID string, applied subscription.Applied) {
	if applied.Unknown {
		s.alarm(UnknownStatus, slog.String("workspace", workspaceID), slog.String("status", string(applied.After.Status)))
	}
	if applied.Changed && audit.ActorOf(ctx) == audit.Reconciliation {
		s.observer.Corrected()
	}
}

// alarm tells the operator to look into something.
func (s *common) alarm(reason string, about ...any) {
	s.observer.Alarm(reason)
	s.log.Warn("billing: an operator should look into this", append([]any{slog.String("reason", reason)}, about...)...)
}
