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

func (y priceSync) priceClient() price.Client {
	return price.Client{B: y.api.Backend, Key: y.api.Key}
}

func (y priceSync) syncPrices(ctx context.Context) error {
	found, err := y.pricesByKey(ctx)
	if err != nil {
		return err
	}
	for _, p := range y.plans {
		for _, interval := range intervals {
			if err := y.syncPrice(ctx, p, interval, found[LookupKey(p.Name, interval)]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (y priceSync) pricesByKey(ctx context.Context) (map[string]*stripe.Price, error) {
	var keys []*string
	for _, p := range y.plans {
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
			return stripeapi.All[*stripe.Price](y.priceClient().List(params).Iter)
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

func (y priceSync) syncPrice(ctx context.Context, p plan.Plan, interval plan.Interval, found *stripe.Price) error {
	wanted := wantedPrice{p.Name, interval, int64(p.Price.Of(interval)), p.Price.Currency, y.config.taxBehavior()}
	what := "price " + LookupKey(p.Name, interval)
	switch {
	case wanted.amount <= 0:
		return nil
	case found == nil:
		return y.createPrice(ctx, Change{"create", what, wanted.String()}, wanted)
	case !wanted.is(found):
		detail := fmt.Sprintf("%s, was %d %s; existing subscriptions keep that", wanted, found.UnitAmount, found.Currency)
		return y.createPrice(ctx, Change{"replace", what, detail}, wanted)
	case !found.Active:
		y.sell(p.Name, found.ID)
		return y.activate(ctx, Change{"update", what, "on sale again"}, found.ID, true)
	}
	y.sell(p.Name, found.ID)
	return nil
}

func (y priceSync) sell(name plan.Name, priceID string) {
	y.prices[ProductID(name)] = append(y.prices[ProductID(name)], priceID)
}

// archive takes off sale the prices that were created for the plans and are no longer theirs.
// The portal has already dropped them. A price created by hand stays.
func (y priceSync) archive(ctx context.Context) error {
	for _, p := range y.plans {
		if y.products[ProductID(p.Name)] == nil {
			continue
		}
		active, err := y.activePrices(ctx, ProductID(p.Name))
		if err != nil {
			return err
		}
		for _, old := range active {
			if old.Metadata[metadataPlan] == "" || slices.Contains(y.prices[ProductID(p.Name)], old.ID) {
				continue
			}
			change := Change{"archive", "price " + LookupKey(p.Name, IntervalOf(old)), fmt.Sprintf("%d %s; existing subscriptions keep it", old.UnitAmount, old.Currency)}
			if err := y.activate(ctx, change, old.ID, false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (y priceSync) activePrices(ctx context.Context, productID string) ([]*stripe.Price, error) {
	return stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.Price, error) {
		params := &stripe.PriceListParams{Product: stripe.String(productID), Active: stripe.Bool(true)}
		params.Context = ctx
		params.Limit = stripe.Int64(stripeapi.PageSize)
		return stripeapi.All[*stripe.Price](y.priceClient().List(params).Iter)
	})
}

func (y priceSync) activate(ctx context.Context, change Change, priceID string, active bool) error {
	return y.do(ctx, change, func(ctx context.Context) error {
		_, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Price, error) {
			params := &stripe.PriceParams{Active: stripe.Bool(active)}
			params.Context = ctx
			return y.priceClient().Update(priceID, params)
		})
		return err
	})
}

// notYet replaces the id of a price that a dry run does not create.
const notYet = "a new price"

func (y priceSync) createPrice(ctx context.Context, change Change, wanted wantedPrice) error {
	priceID := notYet
	err := y.do(ctx, change, func(ctx context.Context) error {
		made, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Price, error) {
			params := wanted.params()
			params.Context = ctx
			return y.priceClient().New(params)
		})
		if err == nil {
			priceID = made.ID
		}
		return err
	})
	if err == nil {
		y.sell(wanted.plan, priceID)
	}
	return err
}
