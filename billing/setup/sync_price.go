package setup

import (
	"context"
	"fmt"
	"slices"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/price"

	"parley/billing/stripeapi"
	"parley/core/plan"
)

// keysPerList is how many lookup keys Stripe accepts in one request.
const keysPerList = 10

func (s *Setup) priceClient() price.Client {
	return price.Client{B: s.api.Backend, Key: s.api.Key}
}

func (r *syncRun) syncPrices(ctx context.Context) error {
	found, err := r.setup.pricesByKey(ctx, r.plans)
	if err != nil {
		return err
	}
	for _, p := range r.plans {
		for _, interval := range intervals {
			if err := r.syncPrice(ctx, p, interval, found[LookupKey(p.Name, interval)]); err != nil {
				return err
			}
		}
	}
	return nil
}

// pricesByKey returns the prices with the lookup keys of plans.
func (s *Setup) pricesByKey(ctx context.Context, plans []plan.Plan) (map[string]*stripe.Price, error) {
	var keys []*string
	for _, p := range plans {
		for _, interval := range intervals {
			keys = append(keys, stripe.String(LookupKey(p.Name, interval)))
		}
	}
	byKey := map[string]*stripe.Price{}
	for some := range slices.Chunk(keys, keysPerList) {
		found, err := stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.Price, error) {
			params := &stripe.PriceListParams{LookupKeys: some}
			params.Context = ctx
			params.Limit = stripe.Int64(stripeapi.PageSize)
			return stripeapi.All[*stripe.Price](s.priceClient().List(params).Iter)
		})
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			byKey[p.LookupKey] = p
		}
	}
	return byKey, nil
}

func (r *syncRun) syncPrice(ctx context.Context, p plan.Plan, interval plan.Interval, found *stripe.Price) error {
	wanted := wantedPrice{p.Name, interval, int64(p.Price.Of(interval)), p.Price.Currency, r.setup.config.taxBehavior()}
	what := "price " + LookupKey(p.Name, interval)
	switch {
	case wanted.amount <= 0:
		return nil
	case found == nil:
		return r.createPrice(ctx, Change{"create", what, wanted.String()}, wanted)
	case !wanted.is(found):
		detail := fmt.Sprintf("%s, was %d %s; existing subscriptions keep that", wanted, found.UnitAmount, found.Currency)
		return r.createPrice(ctx, Change{"replace", what, detail}, wanted)
	case !found.Active:
		r.sell(p.Name, found.ID)
		return r.activatePrice(ctx, Change{"update", what, "on sale again"}, found.ID, true)
	}
	r.sell(p.Name, found.ID)
	return nil
}

func (r *syncRun) sell(name plan.Name, priceID string) {
	r.prices[ProductID(name)] = append(r.prices[ProductID(name)], priceID)
}

// archivePrices takes off sale the prices that were created for the plans and are no longer theirs.
// The portal has already dropped them. A price created by hand stays.
func (r *syncRun) archivePrices(ctx context.Context) error {
	for _, p := range r.plans {
		if r.products[ProductID(p.Name)] == nil {
			continue
		}
		active, err := r.activePrices(ctx, ProductID(p.Name))
		if err != nil {
			return err
		}
		for _, old := range active {
			if old.Metadata[metadataPlan] == "" || slices.Contains(r.prices[ProductID(p.Name)], old.ID) {
				continue
			}
			change := Change{"archive", "price " + LookupKey(p.Name, IntervalOf(old)), fmt.Sprintf("%d %s; existing subscriptions keep it", old.UnitAmount, old.Currency)}
			if err := r.activatePrice(ctx, change, old.ID, false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *syncRun) activePrices(ctx context.Context, productID string) ([]*stripe.Price, error) {
	return stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.Price, error) {
		params := &stripe.PriceListParams{Product: stripe.String(productID), Active: stripe.Bool(true)}
		params.Context = ctx
		params.Limit = stripe.Int64(stripeapi.PageSize)
		return stripeapi.All[*stripe.Price](r.setup.priceClient().List(params).Iter)
	})
}

func (r *syncRun) activatePrice(ctx context.Context, change Change, priceID string, active bool) error {
	return r.do(ctx, change, func(ctx context.Context) error {
		_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Price, error) {
			params := &stripe.PriceParams{Active: stripe.Bool(active)}
			params.Context = ctx
			return r.setup.priceClient().Update(priceID, params)
		})
		return err
	})
}

// notYet replaces the id of a price that a dry run does not create.
const notYet = "a new price"

func (r *syncRun) createPrice(ctx context.Context, change Change, wanted wantedPrice) error {
	priceID := notYet
	err := r.do(ctx, change, func(ctx context.Context) error {
		made, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Price, error) {
			params := wanted.params()
			params.Context = ctx
			return r.setup.priceClient().New(params)
		})
		if err == nil {
			priceID = made.ID
		}
		return err
	})
	if err == nil {
		r.sell(wanted.plan, priceID)
	}
	return err
}

// wantedPrice is a price according to the plan. The amount is in the currency's smallest unit.
type wantedPrice struct {
	plan     plan.Name
	interval plan.Interval
	amount   int64
	currency string
	// taxes says whether the amount includes taxes or they are added.
	taxes stripe.PriceTaxBehavior
}

func (w wantedPrice) String() string {
	return fmt.Sprintf("%d %s %s", w.amount, w.currency, w.interval)
}

// is reports whether a price at Stripe is the wanted one. Properties that it does not compare
// cannot change at Stripe after a price was created.
func (w wantedPrice) is(p *stripe.Price) bool {
	return p.UnitAmount == w.amount && string(p.Currency) == w.currency && IntervalOf(p) == w.interval && p.TaxBehavior == w.taxes &&
		p.Product != nil && p.Product.ID == ProductID(w.plan)
}

func (w wantedPrice) params() *stripe.PriceParams {
	interval := stripe.PriceRecurringIntervalMonth
	if w.interval == plan.Yearly {
		interval = stripe.PriceRecurringIntervalYear
	}
	params := &stripe.PriceParams{
		Product:           stripe.String(ProductID(w.plan)),
		LookupKey:         stripe.String(LookupKey(w.plan, w.interval)),
		TransferLookupKey: stripe.Bool(true),
		UnitAmount:        stripe.Int64(w.amount),
		Currency:          stripe.String(w.currency),
		Recurring:         &stripe.PriceRecurringParams{Interval: stripe.String(string(interval))},
		TaxBehavior:       stripe.String(string(w.taxes)),
	}
	params.AddMetadata(metadataPlan, string(w.plan))
	return params
}
