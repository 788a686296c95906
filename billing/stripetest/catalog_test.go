package stripetest_test

import (
	"net/http"
	"testing"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/stripetest"
)

func TestCatalog(t *testing.T) {
	a := newAccount(t, stripetest.Options{})
	first := a.sells("basic", 19_00)
	byKey := func() *stripe.Price {
		it := a.api.Prices.List(&stripe.PriceListParams{LookupKeys: stripe.StringSlice([]string{"parley_basic_monthly"})})
		if !it.Next() {
			t.Fatal("no price has the key", it.Err())
		}
		return it.Price()
	}

	t.Run("a lookup key is taken until it is transferred", func(t *testing.T) {
		_, err := a.api.Prices.New(&stripe.PriceParams{
			Product: stripe.String("parley_basic"), Currency: stripe.String("usd"), UnitAmount: stripe.Int64(1),
			LookupKey: stripe.String("parley_basic_monthly"), Recurring: &stripe.PriceRecurringParams{Interval: stripe.String("month")},
		})
		a.wantRefused(err, http.StatusBadRequest, "")
		second := a.prices("basic", "month", 21_00)
		if found := byKey(); found.ID != second.ID {
			t.Errorf("the key finds %s, not %s", found.ID, second.ID)
		}
		old := must[*stripe.Price](a)(a.api.Prices.Get(first.ID, nil))
		if old.LookupKey != "" || old.Product.ID != "parley_basic" {
			t.Errorf("the old price has key %q and product %s", old.LookupKey, old.Product.ID)
		}
	})
	t.Run("a product is expanded on request", func(t *testing.T) {
		params := &stripe.PriceParams{}
		params.AddExpand("product")
		if found := must[*stripe.Price](a)(a.api.Prices.Get(first.ID, params)); found.Product.Name != "basic" {
			t.Errorf("the product is %+v", found.Product)
		}
	})
	t.Run("a missing property cannot be expanded", func(t *testing.T) {
		params := &stripe.PriceParams{}
		params.AddExpand("customer")
		_, err := a.api.Prices.Get(first.ID, params)
		a.wantRefused(err, http.StatusBadRequest, "")
	})
	t.Run("the default price of a product cannot be archived", func(t *testing.T) {
		must[*stripe.Product](a)(a.api.Products.Update("parley_basic", &stripe.ProductParams{DefaultPrice: stripe.String(first.ID)}))
		_, err := a.api.Prices.Update(first.ID, &stripe.PriceParams{Active: stripe.Bool(false)})
		a.wantRefused(err, http.StatusBadRequest, "")
	})
	t.Run("a product's id is unique", func(t *testing.T) {
		_, err := a.api.Products.New(&stripe.ProductParams{ID: stripe.String("parley_basic"), Name: stripe.String("Basic")})
		a.wantRefused(err, http.StatusBadRequest, "resource_already_exists")
	})
}
