package stripetest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/stripetest"
)

func TestSubscriptions(t *testing.T) {
	a := newAccount(t, stripetest.Options{})
	a.sells("basic", 19_00)
	c := a.customer()
	a.ok(a.Subscribe(c, "parley_basic_monthly", 0))
	made := a.latest(c)
	listed := func(status string) (n int) {
		it := a.api.Subscriptions.List(&stripe.SubscriptionListParams{Customer: stripe.String(c), Status: stripe.String(status)})
		for it.Next() {
			n++
		}
		a.ok(it.Err())
		return n
	}

	t.Run("what belongs to it is expanded where that is asked for", func(t *testing.T) {
		params := &stripe.SubscriptionListParams{Customer: stripe.String(c), Status: stripe.String("all")}
		for _, path := range []string{"data.schedule", "data.latest_invoice", "data.items.data.price", "data.customer"} {
			params.AddExpand(path)
		}
		it := a.api.Subscriptions.List(params)
		if !it.Next() {
			t.Fatal(it.Err())
		}
		sub := it.Subscription()
		if sub.LatestInvoice.Status != "paid" || sub.Customer.Email != "owner@example.com" || sub.Items.Data[0].Price.Product.ID != "parley_basic" || sub.Schedule != nil {
			t.Errorf("it is %+v", sub)
		}
	})
	t.Run("nothing is expanded deeper than four levels", func(t *testing.T) {
		params := &stripe.SubscriptionListParams{Customer: stripe.String(c)}
		params.AddExpand("data.items.data.price.product")
		it := a.api.Subscriptions.List(params)
		it.Next()
		a.wantRefused(it.Err(), http.StatusBadRequest, "")
	})
	t.Run("one that is canceled is listed among all only, and not found to be canceled again", func(t *testing.T) {
		if ended := must[*stripe.Subscription](a)(a.api.Subscriptions.Cancel(made.ID, nil)); ended.Status != "canceled" || ended.EndedAt == 0 {
			t.Errorf("it is %+v", ended)
		}
		if listed("all") != 1 || listed("canceled") != 1 || listed("active") != 0 {
			t.Error("the lists are wrong")
		}
		_, err := a.api.Subscriptions.Cancel(made.ID, nil)
		a.wantRefused(err, http.StatusNotFound, "resource_missing")
		_, err = a.api.Subscriptions.Update(made.ID, &stripe.SubscriptionParams{CancelAtPeriodEnd: stripe.Bool(true)})
		a.wantRefused(err, http.StatusBadRequest, "")
	})
	t.Run("the subscriptions of a customer who is deleted end", func(t *testing.T) {
		gone := a.subscriber("basic", 0)
		must[*stripe.Customer](a)(a.api.Customers.Del(gone, nil))
		a.wantStatus(gone, "canceled")
		if left := must[*stripe.Customer](a)(a.api.Customers.Get(gone, nil)); !left.Deleted {
			t.Errorf("what is left is %+v", left)
		}
	})
	t.Run("any status can be set, and stays", func(t *testing.T) {
		odd := a.subscriber("basic", 0)
		a.SetStatus(odd, "hibernating")
		a.Advance(100 * day)
		a.wantStatus(odd, "hibernating")
	})
	t.Run("a request that is held back has the state of when it was read", func(t *testing.T) {
		slow := a.subscriber("basic", 0)
		read, changed := make(chan struct{}), make(chan struct{})
		a.OnAnswer(func(r stripetest.Request) {
			if r.Path == "/v1/subscriptions" {
				close(read)
				<-changed
			}
		})
		go func() {
			<-read
			a.OnAnswer(nil)
			a.Cancel(slow)
			close(changed)
		}()
		it := a.api.Subscriptions.List(&stripe.SubscriptionListParams{Customer: stripe.String(slow), Status: stripe.String("all")})
		if !it.Next() || it.Subscription().Status != "active" {
			t.Errorf("it is %+v: %v", it.Subscription(), it.Err())
		}
		a.wantStatus(slow, "canceled")
	})
	t.Run("the clock stands still but for its advances", func(t *testing.T) {
		if got := a.Now(); !got.Equal(start.Add(100 * day)) {
			t.Errorf("it shows %s", got)
		}
		a.Advance(time.Minute)
		if got := a.Now(); !got.Equal(start.Add(100*day + time.Minute)) {
			t.Errorf("it shows %s", got)
		}
	})
}
