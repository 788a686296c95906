package stripetest_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/client"

	"parley/billing/stripetest"
)

// account is a Stripe with a client.
type account struct {
	*testing.T
	*stripetest.Server
	api *client.API
}

var start = time.Date(2026, time.January, 31, 12, 0, 0, 0, time.UTC)

func newAccount(t *testing.T, options stripetest.Options) *account {
	t.Helper()
	options.Start = start
	a := &account{T: t, Server: stripetest.New(t, options)}
	a.api = clientOf(a.URL, a.Key)
	return a
}

func clientOf(url, key string) *client.API {
	backend := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		URL: stripe.String(url), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull}, MaxNetworkRetries: stripe.Int64(0),
	})
	return client.New(key, &stripe.Backends{API: backend})
}

func must[T any](a *account) func(T, error) T {
	return func(made T, err error) T {
		a.Helper()
		if err != nil {
			a.Fatal(err)
		}
		return made
	}
}

func (a *account) ok(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

// sells creates a product with two prices, and returns the monthly one.
func (a *account) sells(name string, cents int64) *stripe.Price {
	a.Helper()
	must[*stripe.Product](a)(a.api.Products.New(&stripe.ProductParams{ID: stripe.String("parley_" + name), Name: stripe.String(name)}))
	a.prices(name, "year", 10*cents)
	return a.prices(name, "month", cents)
}

func (a *account) prices(name, interval string, cents int64) *stripe.Price {
	a.Helper()
	return must[*stripe.Price](a)(a.api.Prices.New(&stripe.PriceParams{
		Product: stripe.String("parley_" + name), Currency: stripe.String("usd"), UnitAmount: stripe.Int64(cents),
		LookupKey: stripe.String("parley_" + name + "_" + interval + "ly"), TransferLookupKey: stripe.Bool(true),
		Recurring: &stripe.PriceRecurringParams{Interval: stripe.String(interval)},
	}))
}

func (a *account) customer() string {
	a.Helper()
	return must[*stripe.Customer](a)(a.api.Customers.New(&stripe.CustomerParams{Email: stripe.String("owner@example.com")})).ID
}

// subscriber returns a customer with a subscription to a plan.
func (a *account) subscriber(name string, trialDays int) string {
	a.Helper()
	id := a.customer()
	a.ok(a.Subscribe(id, "parley_"+name+"_monthly", trialDays))
	return id
}

// latest returns the latest subscription of a customer.
func (a *account) latest(customer string) stripe.Subscription {
	a.Helper()
	all := a.Subscriptions(customer)
	if len(all) == 0 {
		a.Fatal("there is no subscription")
	}
	return all[len(all)-1]
}

func (a *account) wantStatus(customer string, status stripe.SubscriptionStatus) stripe.Subscription {
	a.Helper()
	sub := a.latest(customer)
	if sub.Status != status {
		a.Fatalf("the subscription is %s, want %s", sub.Status, status)
	}
	return sub
}

// wantRefused checks an error of Stripe's.
func (a *account) wantRefused(err error, status int, code string) {
	a.Helper()
	var refused *stripe.Error
	if !errors.As(err, &refused) || refused.HTTPStatusCode != status || string(refused.Code) != code {
		a.Errorf("the error is %v, want status %d and code %q", err, status, code)
	}
}

// newEvents returns the types of events since the last call.
func (a *account) newEvents() []string {
	var kinds []string
	for _, e := range a.Take() {
		kinds = append(kinds, string(e.Type))
	}
	return kinds
}

func TestErrors(t *testing.T) {
	a := newAccount(t, stripetest.Options{})
	t.Run("a wrong key is refused", func(t *testing.T) {
		_, err := clientOf(a.URL, "sk_test_other").Balance.Get(nil)
		a.wantRefused(err, http.StatusUnauthorized, "")
	})
	t.Run("a valid key has a balance", func(t *testing.T) {
		if _, err := a.api.Balance.Get(nil); err != nil {
			t.Error(err)
		}
	})
	t.Run("an unknown id is missing", func(t *testing.T) {
		_, err := a.api.Customers.Get("cus_none", nil)
		a.wantRefused(err, http.StatusNotFound, "resource_missing")
	})
	t.Run("an unknown id in a parameter is missing, too", func(t *testing.T) {
		it := a.api.Subscriptions.List(&stripe.SubscriptionListParams{Customer: stripe.String("cus_none")})
		it.Next()
		a.wantRefused(it.Err(), http.StatusBadRequest, "resource_missing")
	})
	t.Run("a Stripe that is down answers 503, and then recovers", func(t *testing.T) {
		a.SetDown(true)
		_, err := a.api.Balance.Get(nil)
		a.wantRefused(err, http.StatusServiceUnavailable, "")
		a.SetDown(false)
		if _, err := a.api.Balance.Get(nil); err != nil {
			t.Error(err)
		}
	})
	t.Run("requests are recorded with their responses", func(t *testing.T) {
		requests := a.Requests()
		last := requests[len(requests)-1]
		if last.Method != "GET" || last.Path != "/v1/balance" || last.Status != http.StatusOK {
			t.Errorf("the last request is %+v", last)
		}
	})
}
