package billing

import (
	"context"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/billingportal/configuration"
	portalsession "github.com/stripe/stripe-go/v76/billingportal/session"
	stripesub "github.com/stripe/stripe-go/v76/subscription"

	"parley/core/fault"
	"parley/core/subscription"
)

// Portal returns the address of the pages at Stripe where a person sees to
// cards, invoices, changes and cancellation; back is the absolute address that
// leads from there. It is Conflict for a workspace that was never a customer.
func (s *Service) Portal(ctx context.Context, workspaceID, back string) (string, error) {
	known, err := s.books.Ledger.Subscription(ctx, workspaceID)
	if err != nil {
		return "", err
	}
	if known.CustomerID == "" {
		return "", fault.New(fault.Conflict, "This workspace has not bought anything yet. Choose a plan first.")
	}
	return s.portal(ctx, known.CustomerID, back, nil)
}

// change leads to the page that shows what a change of plan costs and asks to
// confirm it. Stripe has no such page for every state; the portal's first page
// is for the others: an end or change is planned, or the price is the same.
func (s *Service) change(ctx context.Context, known subscription.Subscription, priceID string, back Back) (string, error) {
	if known.EndsAt != nil || known.NextAt != nil {
		return s.portal(ctx, known.CustomerID, back.Cancelled, nil)
	}
	item, err := s.item(ctx, known.ID)
	if err != nil {
		return "", err
	}
	if item == nil || item.Price != nil && item.Price.ID == priceID {
		return s.portal(ctx, known.CustomerID, back.Cancelled, nil)
	}
	url, err := s.portal(ctx, known.CustomerID, back.Cancelled, confirmation(known.ID, item, priceID, back.Done))
	if refused(err) {
		return s.portal(ctx, known.CustomerID, back.Cancelled, nil)
	}
	return url, err
}

// item is what of a subscription has the plan; nil if nothing has.
func (s *Service) item(ctx context.Context, subscriptionID string) (*stripe.SubscriptionItem, error) {
	client := stripesub.Client{B: s.account.backend, Key: s.account.key}
	found, err := ask(ctx, func(ctx context.Context) (*stripe.Subscription, error) {
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

// portal makes a visit to the portal; flow is nil for its first page.
func (s *Service) portal(ctx context.Context, customerID, back string, flow *stripe.BillingPortalSessionFlowDataParams) (string, error) {
	settings, err := s.portalConfiguration(ctx)
	if err != nil {
		return "", err
	}
	client := portalsession.Client{B: s.account.backend, Key: s.account.key}
	made, err := ask(ctx, func(ctx context.Context) (*stripe.BillingPortalSession, error) {
		params := &stripe.BillingPortalSessionParams{
			Customer: stripe.String(customerID), ReturnURL: stripe.String(back), FlowData: flow,
		}
		if settings != nil {
			params.Configuration = stripe.String(settings.ID)
		}
		params.Context = ctx
		return client.New(params)
	})
	if missingCustomer(err) {
		return "", astray(false)
	}
	if err != nil {
		return "", err
	}
	return made.URL, nil
}

// portalConfiguration is the one that [Service.Sync] keeps, or nil: Stripe then
// takes the account's default.
func (s *Service) portalConfiguration(ctx context.Context) (*stripe.BillingPortalConfiguration, error) {
	client := configuration.Client{B: s.account.backend, Key: s.account.key}
	found, err := ask(ctx, func(ctx context.Context) ([]*stripe.BillingPortalConfiguration, error) {
		params := &stripe.BillingPortalConfigurationListParams{Active: stripe.Bool(true)}
		params.Context = ctx
		params.Limit = stripe.Int64(pageSize)
		return all[*stripe.BillingPortalConfiguration](client.List(params).Iter)
	})
	if err != nil {
		return nil, err
	}
	for _, c := range found {
		if c.Metadata[metadataOurs] == "1" {
			return c, nil
		}
	}
	return nil, nil
}

// metadataOurs marks the portal's configuration.
const metadataOurs = "parley"
