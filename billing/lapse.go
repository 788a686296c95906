package billing

import (
	"context"

	"parley/core/audit"
	"parley/core/subscription"
)

// RefreshLapsed asks Stripe about the workspaces whose access has just ended by
// itself, or was to end because there was no Stripe to ask: an event that would have prolonged it may be lost, and nobody who has
// paid is to be locked out. What has ended at Stripe, too, ends with it. Of those
// that could not be asked about the access stays as it is.
func (s refresher) RefreshLapsed(ctx context.Context) error {
	lapsed, err := s.books.Lapses.Lapsed(ctx)
	if err != nil {
		return err
	}
	return each(ctx, s.common, lapsed, func(workspaceID string) error {
		_, err := s.Refresh(audit.As(ctx, audit.Stripe), workspaceID, subscription.Cause{})
		return err
	})
}
