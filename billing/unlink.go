package billing

import (
	"context"

	"parley/billing/stripeapi"
	"parley/core/fault"
	"parley/core/plan"
)

// MayUnlink returns a Conflict while the customer has a subscription at this
// Stripe that can still be paid. It is nil for a customer whom this Stripe does not
// know.
func (s closer) MayUnlink(ctx context.Context, workspaceID string) error {
	known, err := s.books.Ledger.Subscription(ctx, workspaceID)
	if err != nil || known.CustomerID == "" {
		return err
	}
	subscriptions, err := s.subscriptions(ctx, known.CustomerID)
	if stripeapi.Missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, found := range subscriptions {
		if !plan.Status(found.Status).Terminal() {
			return fault.New(fault.Conflict, "Stripe knows this customer, whose subscription %s is %s. Cancel it at Stripe first.", found.ID, found.Status)
		}
	}
	return nil
}
