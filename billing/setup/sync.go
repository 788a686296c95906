package setup

import (
	"context"
	"errors"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/core/audit"
	"parley/core/plan"
)

const syncTimeout = 2 * time.Minute

// Change is a difference between Stripe and the plans.
type Change struct {
	// Verb is "create", "update", "replace" or "archive".
	Verb string
	// What names the object, such as "price parley_basic_monthly".
	What string
	// Detail is for people; it may be empty.
	Detail string
}

// Sync makes products, prices and the portal's settings at Stripe match the plans, and
// returns what it changed or, with dryRun, what it would change. A second call changes
// nothing. It never edits an amount at Stripe: a new price takes over the lookup key, and
// existing subscriptions keep the old one. After a failure it returns the changes made so
// far. The audit log has them.
func (s *Setup) Sync(ctx context.Context, plans []plan.Plan, dryRun bool) ([]Change, error) {
	changes, err := s.sync(ctx, plans, dryRun)
	if dryRun || len(changes) == 0 {
		return changes, err
	}
	entry := audit.Entry{Action: audit.PlansSynced, Object: audit.Object{Kind: "stripe", Name: "Plans at Stripe"}}
	for _, c := range changes {
		entry.Changes = append(entry.Changes, audit.Change{Field: c.Verb + " " + c.What, New: c.Detail})
	}
	if err != nil {
		entry.Detail = "It failed after these changes."
	}
	return changes, errors.Join(err, s.record(ctx, entry))
}

func (s *Setup) sync(ctx context.Context, plans []plan.Plan, dryRun bool) ([]Change, error) {
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	run := &syncRun{setup: s, plans: plans, dryRun: dryRun, prices: map[string][]string{}}
	for _, step := range []func(context.Context) error{run.syncProducts, run.syncPrices, run.syncPortal, run.archivePrices} {
		if err := step(ctx); err != nil {
			return run.changes, err
		}
	}
	if dryRun || s.ports.Prices == nil {
		return run.changes, nil
	}
	return run.changes, s.RefreshPrices(ctx, plans)
}

// RefreshPrices reads the prices at Stripe and stores them with the plans. Pages show these,
// even if the rows have been changed meanwhile.
func (s *Setup) RefreshPrices(ctx context.Context, plans []plan.Plan) error {
	found, err := s.pricesByKey(ctx, plans)
	if err != nil {
		return err
	}
	for _, p := range plans {
		if p.Name == plan.Free {
			continue
		}
		sold := plan.Price{Monthly: plan.NotSold, Yearly: plan.NotSold, Currency: p.Price.Currency}
		if price := found[LookupKey(p.Name, plan.Monthly)]; price != nil && price.Active {
			sold.Monthly, sold.Currency = int(price.UnitAmount), string(price.Currency)
		}
		if price := found[LookupKey(p.Name, plan.Yearly)]; price != nil && price.Active {
			sold.Yearly, sold.Currency = int(price.UnitAmount), string(price.Currency)
		}
		if err := s.ports.Prices.SetOnSale(ctx, p.Name, sold); err != nil {
			return err
		}
	}
	return nil
}

// syncRun is one run of [Setup.Sync].
type syncRun struct {
	setup   *Setup
	plans   []plan.Plan
	dryRun  bool
	changes []Change
	// prices holds the ids of the prices on sale, by product, ordered by interval.
	prices map[string][]string
	// products holds the products that existed before, by id.
	products map[string]*stripe.Product
}

// do makes a change, or only records it in a dry run.
func (r *syncRun) do(ctx context.Context, change Change, apply func(context.Context) error) error {
	if !r.dryRun {
		if err := apply(ctx); err != nil {
			return err
		}
	}
	r.changes = append(r.changes, change)
	return nil
}
