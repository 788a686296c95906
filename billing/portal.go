package billing

import (
	"context"

	"github.com/stripe/stripe-go/v76"
	portalsession "github.com/stripe/stripe-go/v76/billingportal/session"
	stripesub "github.com/stripe/stripe-go/v76/subscription"

	"parley/billing/setup"
	"parley/billing/stripeapi"
	"parley/core/fault"
	"parley/core/subscription"
)

// Portal returns the address of Stripe's pages for cards, invoices, changes and
// cancellation; back is the absolute address to return to. It is Conflict for a workspace
// that was never a customer.
func (s *Service) Portal(ctx context.Context, workspaceID, back string) (string, error) {
	known, err := s.books.Ledger.Subscription(ctx, workspaceID)
	if err != nil {
		return "", err
	}
	if known.CustomerID == "" {
		return "", fault.New(fault.Conflict, "This workspace has not bought anything yet. Choose a plan first.")
	}
	return s.newPortalSession(ctx, known.CustomerID, back, nil)
}

// changeSession returns the page that shows what a change of plan costs and asks for confirmation.
// Stripe has no such page for every state. If an end or a change is scheduled, or the price
// is the same, it returns the portal's first page.
func (s *Service) changeSession(ctx context.Context, known subscription.Subscription, priceID string, back Back) (string, error) {
	if known.EndsAt != nil || known.NextAt != nil {
		return s.newPortalSession(ctx, known.CustomerID, back.Canceled, nil)
	}
	item, err := s.planItem(ctx, known.ID)
	if err != nil {
		return "", err
	}
	if item == nil || item.Price != nil && item.Price.ID == priceID {
		return s.newPortalSession(ctx, known.CustomerID, back.Canceled, nil)
	}
	url, err := s.newPortalSession(ctx, known.CustomerID, back.Canceled, confirmation(known.ID, item, priceID, back.Done))
	if stripeapi.Refused(err) {
		return s.newPortalSession(ctx, known.CustomerID, back.Canceled, nil)
	}
	return url, err
}

// planItem returns the subscription's item with the plan, or nil.
func (s *Service) planItem(ctx context.Context, subscriptionID string) (*stripe.SubscriptionItem, error) {
	client := stripesub.Client{B: s.api.Backend, Key: s.api.Key}
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Subscription, error) {
		params := &stripe.SubscriptionParams{}
		params.Context = ctx
		return client.Get(subscriptionID, params)
	})
	if err != nil {
		return nil, err
	}
	c, err := s.candidate(ctx, found)
	return c.item, err
}

func confirmation(subscriptionID string, item *stripe.SubscriptionItem, priceID, done string) *stripe.BillingPortalSessionFlowDataParams {
	changed := &stripe.BillingPortalSessionFlowDataSubscriptionUpdateConfirmItemParams{
		ID: stripe.String(item.ID), Price: stripe.String(priceID),
	}
	if item.Quantity > 1 { // somebody changed it by hand; one is what Stripe assumes
		changed.Quantity = stripe.Int64(item.Quantity)
	}
	return &stripe.BillingPortalSessionFlowDataParams{
		Type: stripe.String(string(stripe.BillingPortalSessionFlowTypeSubscriptionUpdateConfirm)),
		SubscriptionUpdateConfirm: &stripe.BillingPortalSessionFlowDataSubscriptionUpdateConfirmParams{
			Subscription: stripe.String(subscriptionID),
			Items:        []*stripe.BillingPortalSessionFlowDataSubscriptionUpdateConfirmItemParams{changed},
		},
		AfterCompletion: &stripe.BillingPortalSessionFlowDataAfterCompletionParams{
			Type:     stripe.String(string(stripe.BillingPortalSessionFlowAfterCompletionTypeRedirect)),
			Redirect: &stripe.BillingPortalSessionFlowDataAfterCompletionRedirectParams{ReturnURL: stripe.String(done)},
		},
	}
}

// newPortalSession creates a visit to the portal; flow is nil for its first page.
func (s *Service) newPortalSession(ctx context.Context, customerID, back string, flow *stripe.BillingPortalSessionFlowDataParams) (string, error) {
	settings, err := setup.PortalConfiguration(ctx, s.api)
	if err != nil {
		return "", err
	}
	client := portalsession.Client{B: s.api.Backend, Key: s.api.Key}
	made, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.BillingPortalSession, error) {
		params := &stripe.BillingPortalSessionParams{
			Customer: stripe.String(customerID), ReturnURL: stripe.String(back), FlowData: flow,
		}
		if settings != nil {
			params.Configuration = stripe.String(settings.ID)
		}
		params.Context = ctx
		return client.New(params)
	})
	if stripeapi.MissingCustomer(err) {
		return "", strayFault(false)
	}
	if err != nil {
		return "", err
	}
	return made.URL, nil
}
