package billing

import (
	"context"
	"log/slog"

	"github.com/stripe/stripe-go/v76"
	stripesub "github.com/stripe/stripe-go/v76/subscription"

	"parley/billing/stripeapi"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
)

// Cancel immediately ends everything that a workspace pays for, and closes the pages on
// which it could still pay, before the workspace is deleted. It may be called again. The
// stored row changes with the next [Service.Refresh].
func (s *Service) Cancel(ctx context.Context, workspaceID string) error {
	known, err := s.books.Ledger.Subscription(ctx, workspaceID)
	if err != nil || known.CustomerID == "" {
		return err
	}
	if err := s.expireSessions(ctx, known.CustomerID); err != nil && !stripeapi.Missing(err) {
		return err
	}
	subscriptions, err := s.listSubscriptions(ctx, known.CustomerID)
	if stripeapi.Missing(err) {
		return s.cancelStray(ctx, known)
	}
	if err != nil {
		return err
	}
	for _, found := range subscriptions {
		if plan.Status(found.Status).Terminal() {
			continue
		}
		if err := s.cancelSubscription(ctx, found.ID); err != nil {
			return err
		}
	}
	return nil
}

// cancelStray handles a customer that no longer exists. If this Stripe never knew the
// customer, nothing can be canceled here, and an alarm tells the operator if somebody may
// still pay.
func (s *Service) cancelStray(ctx context.Context, known subscription.Subscription) error {
	err := s.confirmCustomerDeleted(ctx, known)
	if !isStray(err) {
		return err
	}
	if known.ID != "" && !known.Status.Terminal() {
		s.alarm(Uncanceled, slog.String("workspace", known.WorkspaceID), slog.String("customer", known.CustomerID),
			slog.String("subscription", known.ID), slog.String("account", known.Account.ID), slog.String("mode", string(known.Account.Mode)))
	}
	return nil
}

func (s *Service) cancelSubscription(ctx context.Context, subscriptionID string) error {
	client := stripesub.Client{B: s.api.Backend, Key: s.api.Key}
	_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Subscription, error) {
		params := &stripe.SubscriptionCancelParams{}
		params.Context = ctx
		return client.Cancel(subscriptionID, params)
	})
	if stripeapi.Missing(err) { // it has ended meanwhile
		return nil
	}
	return err
}

// MayUnlink returns a Conflict while the customer has a subscription at this
// Stripe that can still be paid. It is nil for a customer whom this Stripe does not
// know.
func (s *Service) MayUnlink(ctx context.Context, workspaceID string) error {
	known, err := s.books.Ledger.Subscription(ctx, workspaceID)
	if err != nil || known.CustomerID == "" {
		return err
	}
	subscriptions, err := s.listSubscriptions(ctx, known.CustomerID)
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
