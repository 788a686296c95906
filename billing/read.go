package billing

import (
	"context"
	"log/slog"

	"github.com/stripe/stripe-go/v76"
	stripesub "github.com/stripe/stripe-go/v76/subscription"

	"parley/billing/stripeapi"
	"parley/core/plan"
	"parley/core/subscription"
)

// read asks Stripe what a workspace's customer pays for, and whether there has ever been a
// trial.
func (s *Service) read(ctx context.Context, known subscription.Subscription) (subscription.Billed, bool, error) {
	here, err := s.Account(ctx)
	if err != nil {
		return subscription.Billed{}, false, err
	}
	if known.Account.Other(here) {
		return subscription.Billed{}, false, strayFault(true)
	}
	subscriptions, err := s.listSubscriptions(ctx, known.CustomerID)
	if stripeapi.Missing(err) {
		subscriptions, err = nil, s.confirmCustomerDeleted(ctx, known)
	}
	if err != nil {
		return subscription.Billed{}, false, err
	}
	billed, trialUsed, err := s.readSubscriptions(ctx, known, subscriptions)
	billed.Account = here
	if here.ID == "" { // the key may no longer read it
		billed.Account.ID = known.Account.ID
	}
	return billed, trialUsed, err
}

// readSubscriptions is read for a customer's given subscriptions.
func (s *Service) readSubscriptions(ctx context.Context, known subscription.Subscription, subscriptions []*stripe.Subscription) (subscription.Billed, bool, error) {
	if len(subscriptions) == 0 {
		return s.withoutSubscription(known), known.TrialUsed, nil
	}
	candidates := make([]candidate, len(subscriptions))
	trialUsed := known.TrialUsed
	for i, found := range subscriptions {
		trialUsed = trialUsed || found.TrialEnd != 0
		err := s.claimTrial(ctx, found)
		if err != nil {
			return subscription.Billed{}, false, err
		}
		if candidates[i], err = s.candidate(ctx, found); err != nil {
			return subscription.Billed{}, false, err
		}
		if candidates[i].plan == "" {
			candidates[i].plan = s.lastPlan(known, candidates[i])
		}
	}
	if paid(candidates) > 1 {
		s.alarm(TwoSubscriptions, slog.String("workspace", known.WorkspaceID))
	}
	billed, err := s.billed(ctx, known, choose(candidates))
	return billed, trialUsed, err
}

// listSubscriptions returns all of a customer's subscriptions, including ended ones and those
// of a deleted customer.
func (s *Service) listSubscriptions(ctx context.Context, customerID string) ([]*stripe.Subscription, error) {
	client := stripesub.Client{B: s.api.Backend, Key: s.api.Key}
	return stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.Subscription, error) {
		params := &stripe.SubscriptionListParams{Customer: stripe.String(customerID), Status: stripe.String("all")}
		params.Context = ctx
		params.Limit = stripe.Int64(stripeapi.PageSize)
		params.AddExpand("data.schedule")
		params.AddExpand("data.latest_invoice")
		params.AddExpand("data.default_payment_method")
		return stripeapi.All[*stripe.Subscription](client.List(params).Iter)
	})
}

// withoutSubscription is the state of a customer without subscriptions. A known subscription
// must have ended, because Stripe would otherwise still list it.
func (s *Service) withoutSubscription(known subscription.Subscription) subscription.Billed {
	if known.ID == "" {
		return subscription.Billed{}
	}
	if !known.Status.Terminal() {
		s.alarm(MissingSubscription, slog.String("workspace", known.WorkspaceID))
	}
	return subscription.Billed{ID: known.ID, Status: plan.Canceled, Plan: known.Plan, Interval: known.Interval, TrialEnd: known.TrialEnd}
}
