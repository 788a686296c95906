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
func (s *Service) Refresh(ctx context.Context, workspaceID string, cause subscription.Cause) (subscription.Applied, error) {
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
			s.reportRefresh(ctx, workspaceID, applied)
			return applied, nil
		}
		if !fault.Is(err, fault.Conflict) || isStray(err) {
			return subscription.Applied{}, err
		}
	}
	return subscription.Applied{}, fault.Wrap(fault.Unavailable, err, "The subscription is changing right now. Try again in a minute.")
}

// refreshOnce is a Conflict if another writer stored a newer row meanwhile.
func (s *Service) refreshOnce(ctx context.Context, workspaceID string, cause subscription.Cause) (subscription.Applied, error) {
	known, err := s.books.Ledger.Subscription(ctx, workspaceID)
	if err != nil || known.CustomerID == "" {
		return subscription.Applied{Before: known, After: known}, err
	}
	billed, trialUsed, err := s.read(ctx, known)
	if err != nil {
		return subscription.Applied{}, s.noteStray(ctx, known, err)
	}
	return s.books.Ledger.Apply(ctx, workspaceID, known.Revision, billed, trialUsed, cause)
}

func (s *Service) reportRefresh(ctx context.Context, workspaceID string, applied subscription.Applied) {
	if applied.Unknown {
		s.alarm(UnknownStatus, slog.String("workspace", workspaceID), slog.String("status", string(applied.After.Status)))
	}
	if applied.Changed && audit.ActorOf(ctx) == audit.Reconciliation {
		s.observer.Corrected()
	}
}

// RefreshLapsed asks Stripe about the workspaces whose access has just expired, or was going
// to end because there was no Stripe to ask: an event that would have extended it may be
// lost, and nobody who has paid should be locked out. Access that has also ended at Stripe
// ends. If Stripe cannot be asked about a workspace, its access stays.
func (s *Service) RefreshLapsed(ctx context.Context) error {
	return each(ctx, s, s.books.Lapses.Lapsed(ctx), func(workspaceID string) error {
		_, err := s.Refresh(audit.As(ctx, audit.Stripe), workspaceID, subscription.Cause{})
		return err
	})
}
