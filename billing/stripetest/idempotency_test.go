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

	t.Run("repeating a request returns the same response, without effect", func(t *testing.T) {
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

	t.Run("all pages together list everything, the latest first", func(t *testing.T) {
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
	t.Run("a page before another is adjacent to it", func(t *testing.T) {
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
