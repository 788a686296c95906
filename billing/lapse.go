package billing

import (
	"context"

	"parley/core/audit"
	"parley/core/subscription"
)

// RefreshLapsed asks Stripe about the workspaces whose access has just expired, or was going
// to end because there was no Stripe to ask: an event that would have extended it may be
// lost, and nobody who has paid should be locked out. Access that has also ended at Stripe
// ends. If Stripe cannot be asked about a workspace, its access stays.
func (s refresher) RefreshLapsed(ctx context.Context) error {
	return each(ctx, s.common, s.books.Lapses.Lapsed(ctx), func(workspaceID string) error {
		_, err := s.Refresh(audit.As(ctx, audit.Stripe), workspaceID, subscription.Cause{})
		return err
	})
}
