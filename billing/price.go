package billing

import (
	"context"
	"strings"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/price"
	"github.com/stripe/stripe-go/v76/product"

	"parley/core/plan"
)

// Products and prices are found by these names, and carry the plan as metadata.
const (
	prefix       = "parley_"
	metadataPlan = "plan"
)

// intervals are all of them, in the order in which they are shown.
var intervals = []plan.Interval{plan.Monthly, plan.Yearly}

func productID(name plan.Name) string { return prefix + string(name) }

func lookupKey(name plan.Name, interval plan.Interval) string {
	return prefix + string(name) + "_" + string(interval)
}

// planOf returns the plan that a price is for: as its lookup key says, else its
// product, else the metadata of either. A price whose lookup key has moved on
// to a newer one still has its product.
func planOf(p *stripe.Price) (plan.Name, bool) {
	if p == nil {
		return "", false
	}
	made := p.Product
	if made == nil {
		made = &stripe.Product{}
	}
	key, _, _ := strings.Cut(named(p.LookupKey), "_")
	for _, name := range []string{key, named(made.ID), p.Metadata[metadataPlan], made.Metadata[metadataPlan]} {
		if rank(plan.Name(name)) >= 0 {
			return plan.Name(name), true
		}
	}
	return "", false
}

// named is what follows the prefix of our names, or empty.
func named(id string) string {
	name, ours := strings.CutPrefix(id, prefix)
	if !ours {
		return ""
	}
	return name
}

// intervalOf is empty for a price that is paid at other intervals than ours.
func intervalOf(p *stripe.Price) plan.Interval {
	if p == nil || p.Recurring == nil || p.Recurring.IntervalCount > 1 {
		return ""
	}
	switch p.Recurring.Interval {
	case stripe.PriceRecurringIntervalMonth:
		return plan.Monthly
	case stripe.PriceRecurringIntervalYear:
		return plan.Yearly
	}
	return ""
}

// candidate finds the plan of a subscription. Several items are one plan and
// what was added to it by hand.
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
		if c.item == nil || ok && rank(name) > rank(c.plan) {
			c.item, c.plan = item, name
		}
	}
	return c, nil
}

// planOf is the function of that name, and asks for the product if that is
// needed to know.
func (s *Service) planOf(ctx context.Context, p *stripe.Price) (plan.Name, bool, error) {
	if name, ok := planOf(p); ok || p == nil || p.Product == nil {
		return name, ok, nil
	}
	client := product.Client{B: s.account.backend, Key: s.account.key}
	found, err := ask(ctx, func(ctx context.Context) (*stripe.Product, error) {
		params := &stripe.ProductParams{}
		params.Context = ctx
		return client.Get(p.Product.ID, params)
	})
	if missing(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	name, ok := planOf(&stripe.Price{Product: found})
	return name, ok, nil
}

// priceByID reads a price that is only named.
func (s *Service) priceByID(ctx context.Context, id string) (*stripe.Price, error) {
	client := price.Client{B: s.account.backend, Key: s.account.key}
	return ask(ctx, func(ctx context.Context) (*stripe.Price, error) {
		params := &stripe.PriceParams{}
		params.Context = ctx
		return client.Get(id, params)
	})
}
