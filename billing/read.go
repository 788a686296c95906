package billing

import (
	"context"
	"log/slog"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/customer"
	stripesub "github.com/stripe/stripe-go/v76/subscription"

	"parley/billing/stripeapi"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
)

// read asks Stripe what a workspace's customer pays for, and whether there has ever been a
// trial.
func (s reader) read(ctx context.Context, known subscription.Subscription) (subscription.Billed, bool, error) {
	here, err := s.Account(ctx)
	if err != nil {
		return subscription.Billed{}, false, err
	}
	if known.Account.Other(here) {
		return subscription.Billed{}, false, astray(true)
	}
	subscriptions, err := s.subscriptions(ctx, known.CustomerID)
	if stripeapi.Missing(err) {
		subscriptions, err = nil, s.confirmDeleted(ctx, known)
	}
	if err != nil {
		return subscription.Billed{}, false, err
	}
	billed, trialUsed, err := s.readAll(ctx, known, subscriptions)
	billed.Account = here
	if here.ID == "" { // the key may no longer read it
		billed.Account.ID = known.Account.ID
	}
	return billed, trialUsed, err
}

// readAll is read for a customer's given subscriptions.
func (s reader) readAll(ctx context.Context, known subscription.Subscription, subscriptions []*stripe.Subscription) (subscription.Billed, bool, error) {
	if len(subscriptions) == 0 {
		return s.none(known), known.TrialUsed, nil
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
	}
	if paid(candidates) > 1 {
		s.alarm(TwoSubscriptions, slog.String("workspace", known.WorkspaceID))
	}
	billed, err := s.billed(ctx, known, choose(candidates))
	return billed, trialUsed, err
}

// subscriptions returns all of a customer's subscriptions, including ended ones and those of
// a deleted customer.
func (s subscribed) subscriptions(ctx context.Context, customerID string) ([]*stripe.Subscription, error) {
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

// confirmDeleted returns nil for a customer that was deleted at Stripe, which ends its
// subscriptions. If Stripe never knew the customer, nothing ends: the key then belongs to
// another account, and somebody may have paid.
func (s customers) confirmDeleted(ctx context.Context, known subscription.Subscription) error {
	client := customer.Client{B: s.api.Backend, Key: s.api.Key}
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Customer, error) {
		params := &stripe.CustomerParams{}
		params.Context = ctx
		return client.Get(known.CustomerID, params)
	})
	switch {
	case stripeapi.Missing(err):
		return astray(false)
	case err != nil:
		return err
	case !found.Deleted:
		return fault.New(fault.Upstream, stripeapi.Silent)
	}
	return nil
}

// none is the state of a customer without subscriptions. A known subscription must have
// ended, because Stripe would otherwise still list it.
func (s reader) none(known subscription.Subscription) subscription.Billed {
	if known.ID == "" {
		return subscription.Billed{}
	}
	if !known.Status.Terminal() {
		s.alarm(MissingSubscription, slog.String("workspace", known.WorkspaceID))
	}
	return subscription.Billed{ID: known.ID, Status: plan.Canceled, Plan: known.Plan, Interval: known.Interval, TrialEnd: known.TrialEnd}
}
