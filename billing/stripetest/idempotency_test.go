package stripetest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/stripetest"
)

func TestIdempotency(t *testing.T) {
	a := newAccount(t, stripetest.Options{})
	create := func(email string) (*stripe.Customer, error) {
		params := &stripe.CustomerParams{Email: stripe.String(email)}
		params.SetIdempotencyKey("workspace-1")
		return a.api.Customers.New(params)
	}
	first := must[*stripe.Customer](a)(create("a@example.com"))

	t.Run("the same request again has the same answer, and no effect", func(t *testing.T) {
		if again := must[*stripe.Customer](a)(create("a@example.com")); again.ID != first.ID {
			t.Errorf("there is another customer %s", again.ID)
		}
		if len(a.Customers()) != 1 {
			t.Errorf("there are %d customers", len(a.Customers()))
		}
	})
	t.Run("the key with other parameters is refused", func(t *testing.T) {
		_, err := create("b@example.com")
		a.wantRefused(err, http.StatusBadRequest, "")
		if refused := err.(*stripe.Error); refused.Type != stripe.ErrorTypeIdempotency {
			t.Errorf("the type is %s", refused.Type)
		}
	})
	t.Run("a key is forgotten after a day", func(t *testing.T) {
		a.Advance(24 * time.Hour)
		if again := must[*stripe.Customer](a)(create("a@example.com")); again.ID == first.ID {
			t.Error("there is no other customer")
		}
	})
}

func TestPaging(t *testing.T) {
	a := newAccount(t, stripetest.Options{})
	var made []string
	for range 25 {
		made = append(made, a.customer())
	}
	params := &stripe.CustomerListParams{}
	params.Limit = stripe.Int64(7)

	t.Run("all pages together are all, the latest first", func(t *testing.T) {
		it, n := a.api.Customers.List(params), 0
		for ; it.Next(); n++ {
			if want := made[len(made)-1-n]; it.Customer().ID != want {
				t.Fatalf("customer %d is %s, want %s", n, it.Customer().ID, want)
			}
		}
		if it.Err() != nil || n != len(made) {
			t.Errorf("%d customers were listed: %v", n, it.Err())
		}
	})
	t.Run("a page before another is next to it", func(t *testing.T) {
		before := &stripe.CustomerListParams{}
		before.EndingBefore, before.Limit, before.Single = stripe.String(made[0]), stripe.Int64(2), true
		it := a.api.Customers.List(before)
		if !it.Next() || it.Customer().ID != made[2] && it.Customer().ID != made[1] {
			t.Errorf("the page begins with %v: %v", it.Customer(), it.Err())
		}
	})
	t.Run("a page of more than a hundred is refused", func(t *testing.T) {
		large := &stripe.CustomerListParams{}
		large.Limit = stripe.Int64(101)
		it := a.api.Customers.List(large)
		it.Next()
		a.wantRefused(it.Err(), http.StatusBadRequest, "")
	})
}

func TestCatalogue(t *testing.T) {
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
	t.Run("a product is expanded where that is asked for", func(t *testing.T) {
		params := &stripe.PriceParams{}
		params.AddExpand("product")
		if found := must[*stripe.Price](a)(a.api.Prices.Get(first.ID, params)); found.Product.Name != "basic" {
			t.Errorf("the product is %+v", found.Product)
		}
	})
	t.Run("what does not exist cannot be expanded", func(t *testing.T) {
		params := &stripe.PriceParams{}
		params.AddExpand("customer")
		_, err := a.api.Prices.Get(first.ID, params)
		a.wantRefused(err, http.StatusBadRequest, "")
	})
	t.Run("the default price of a product is not archived", func(t *testing.T) {
		must[*stripe.Product](a)(a.api.Products.Update("parley_basic", &stripe.ProductParams{DefaultPrice: stripe.String(first.ID)}))
		_, err := a.api.Prices.Update(first.ID, &stripe.PriceParams{Active: stripe.Bool(false)})
		a.wantRefused(err, http.StatusBadRequest, "")
	})
	t.Run("an id of a product is taken once", func(t *testing.T) {
		_, err := a.api.Products.New(&stripe.ProductParams{ID: stripe.String("parley_basic"), Name: stripe.String("Basic")})
		a.wantRefused(err, http.StatusBadRequest, "resource_already_exists")
	})
}
