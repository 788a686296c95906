package stripetest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhook"

	"parley/billing/stripetest"
)

// endpoint is a webhook that records the events it receives.
type endpoint struct {
	*httptest.Server
	status atomic.Int64

	mu   sync.Mutex
	came []string
	more chan struct{}
}

func newEndpoint(t *testing.T, secret func() string) *endpoint {
	e := &endpoint{more: make(chan struct{}, 100)}
	e.status.Store(http.StatusOK)
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		event, err := webhook.ConstructEvent(body, r.Header.Get("Stripe-Signature"), secret())
		if err != nil {
			t.Errorf("an invalid delivery: %v", err)
		}
		e.mu.Lock()
		e.came = append(e.came, event.ID)
		e.mu.Unlock()
		w.WriteHeader(int(e.status.Load()))
		e.more <- struct{}{}
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) all() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.came)
}

func ids(events []stripe.Event) []string {
	all := make([]string, len(events))
	for i, e := range events {
		all[i] = e.ID
	}
	return all
}

func TestDeliveries(t *testing.T) {
	var a *account
	e := newEndpoint(t, func() string { return a.WebhookSecret })
	a = newAccount(t, stripetest.Options{WebhookURL: e.URL})
	undelivered := func() []string {
		params := &stripe.EventListParams{DeliverySuccess: stripe.Bool(false)}
		it, found := a.api.Events.List(params), []string(nil)
		for it.Next() {
			found = append(found, it.Event().ID)
		}
		a.ok(it.Err())
		slices.Reverse(found)
		return found
	}

	t.Run("events are signed and delivered in order", func(t *testing.T) {
		a.sells("basic", 19_00)
		if accepted, of := a.Deliver(); accepted != 3 || of != 3 || !slices.Equal(e.all(), ids(a.Events())) {
			t.Errorf("%d of %d: %v", accepted, of, e.all())
		}
		if len(undelivered()) != 0 {
			t.Error("some count as not delivered")
		}
	})
	t.Run("events that are taken but not sent are lost, and can be redelivered", func(t *testing.T) {
		a.customer()
		lost := a.Take()
		if !slices.Equal(undelivered(), ids(lost)) {
			t.Errorf("not delivered are %v", undelivered())
		}
		if accepted, of := a.Redeliver(); accepted != 1 || of != 1 || len(undelivered()) != 0 {
			t.Errorf("%d of %d were redelivered", accepted, of)
		}
	})
	t.Run("an event without a 2xx response is not delivered", func(t *testing.T) {
		e.status.Store(http.StatusInternalServerError)
		a.customer()
		if accepted, of := a.Deliver(); accepted != 0 || of != 1 || len(undelivered()) != 1 {
			t.Errorf("%d of %d were accepted", accepted, of)
		}
		e.status.Store(http.StatusOK)
		a.Redeliver()
	})
	t.Run("a test can send in any order and any number", func(t *testing.T) {
		a.subscriber("basic", 0)
		before, wanted := len(e.all()), a.Take()
		slices.Reverse(wanted)
		wanted = append(wanted, wanted[0])
		a.Send(wanted...)
		if got := e.all()[before:]; !slices.Equal(got, ids(wanted)) {
			t.Errorf("got %v, want %v", got, ids(wanted))
		}
	})
	t.Run("an event has a snapshot of the object, and its previous attributes", func(t *testing.T) {
		c := a.subscriber("basic", 0)
		a.CancelAtPeriodEnd(c, true)
		a.Cancel(c)
		events := a.Events()
		updated := events[len(events)-2]
		if updated.Type != "customer.subscription.updated" || updated.Data.Object["status"] != "active" || updated.Data.Object["customer"] != c {
			t.Errorf("it is %s of %v", updated.Type, updated.Data.Object)
		}
		if before, told := updated.Data.PreviousAttributes["cancel_at_period_end"]; !told || before != false {
			t.Errorf("before were %v", updated.Data.PreviousAttributes)
		}
	})
	t.Run("events are found by type and time, for thirty days", func(t *testing.T) {
		count := func(params *stripe.EventListParams) (n int) {
			it := a.api.Events.List(params)
			for it.Next() {
				n++
			}
			a.ok(it.Err())
			return n
		}
		if n := count(&stripe.EventListParams{Types: stripe.StringSlice([]string{"customer.created", "price.created"})}); n != 6 {
			t.Errorf("of the two types there are %d", n)
		}
		a.Advance(time.Hour)
		a.customer()
		since := &stripe.EventListParams{CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: a.Now().Unix()}}
		if n := count(since); n != 1 {
			t.Errorf("since then there are %d", n)
		}
		a.Advance(30*day - time.Hour)
		young := slices.DeleteFunc(a.Events(), func(e stripe.Event) bool { return e.Created <= start.Unix() })
		if n := count(&stripe.EventListParams{}); n != len(young) || n == 0 {
			t.Errorf("after thirty days there are %d, want %d", n, len(young))
		}
	})
}

func TestLiveDeliveries(t *testing.T) {
	var a *account
	e := newEndpoint(t, func() string { return a.WebhookSecret })
	a = newAccount(t, stripetest.Options{WebhookURL: e.URL, Live: true})
	a.customer()
	a.customer()
	for range 2 {
		select {
		case <-e.more:
		case <-time.After(10 * time.Second):
			t.Fatal("an event was not delivered")
		}
	}
	if !slices.Equal(e.all(), ids(a.Events())) {
		t.Errorf("got %v", e.all())
	}
}

func TestSignByClock(t *testing.T) {
	a := newAccount(t, stripetest.Options{SignByClock: true})
	body, signature := a.Signed(a.Emit("unheard.of"))
	if _, err := webhook.ConstructEvent(body, signature, a.WebhookSecret); err != webhook.ErrTooOld {
		t.Errorf("the time of the signature is another: %v", err)
	}
	event, err := webhook.ConstructEventIgnoringTolerance(body, signature, a.WebhookSecret)
	if err != nil || event.Type != "unheard.of" {
		t.Errorf("it is %+v, %v", event, err)
	}
}
