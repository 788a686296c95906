package billing

import (
	"context"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/price"
	"github.com/stripe/stripe-go/v76/product"

	"parley/billing/setup"
	"parley/billing/stripeapi"
	"parley/core/plan"
)

// candidate finds the plan of a subscription. If there are several items, one is the plan
// and the others were added by hand. An item with the quantity 0 costs nothing and is none.
func (s *Service) candidate(ctx context.Context, found *stripe.Subscription) (candidate, error) {
	c := candidate{subscription: found}
	if found.Items == nil {
		return c, nil
	}
	for _, item := range found.Items.Data {
		name, ok, err := s.planOf(ctx, item.Price)
		if err != nil {
			return c, err
		}
		ok = ok && (item.Quantity > 0 || metered(item.Price))
		if c.item == nil || ok && setup.Rank(name) > setup.Rank(c.plan) {
			c.item = item
		}
		if ok && setup.Rank(name) > setup.Rank(c.plan) {
			c.plan = name
		}
	}
	return c, nil
}

// metered reports whether Stripe counts what is used of a price; its items have no quantity.
func metered(p *stripe.Price) bool {
	return p.Recurring != nil && p.Recurring.UsageType == stripe.PriceRecurringUsageTypeMetered
}

// planOf is [setup.PlanOf], but fetches the product if necessary.
func (s *Service) planOf(ctx context.Context, p *stripe.Price) (plan.Name, bool, error) {
	if name, ok := setup.PlanOf(p); ok || p == nil || p.Product == nil {
		return name, ok, nil
	}
	client := product.Client{B: s.api.Backend, Key: s.api.Key}
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Product, error) {
		params := &stripe.ProductParams{}
		params.Context = ctx
		return client.Get(p.Product.ID, params)
	})
	if stripeapi.Missing(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	name, ok := setup.PlanOf(&stripe.Price{Product: found})
	return name, ok, nil
}

// getPrice fetches a price by its id.
func (s *Service) getPrice(ctx context.Context, id string) (*stripe.Price, error) {
	client := price.Client{B: s.api.Backend, Key: s.api.Key}
	return stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Price, error) {
		params := &stripe.PriceParams{}
		params.Context = ctx
		return client.Get(id, params)
	})
}
