package setup

import (
	"fmt"

	"github.com/stripe/stripe-go/v76"

	"parley/core/plan"
)

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
