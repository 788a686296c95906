package billing

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/setup"
	"parley/billing/stripeapi"
	"parley/billing/stripetest"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
)

// reconciled runs a reconciliation that must not fail.
func (s *shop) reconciled(t *testing.T) (corrected int) {
	t.Helper()
	corrected, err := s.Reconcile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return corrected
}

func TestCustomersThatStripeDoesNotKnow(t *testing.T) {
	t.Run("they do not keep paying customers from their plan", func(t *testing.T) {
		s := newShop(t)
		s.addCustomers(2*enoughFailures, "cus_of_nobody")
		if err := s.stripe.Subscribe(s.become(t), setup.LookupKey(plan.Premium, plan.Monthly), 0); err != nil {
			t.Fatal(err)
		}
		if err := s.ledger.BeginCheckout(t.Context(), workspace); err != nil {
			t.Fatal(err)
		}
		if s.reconciled(t) != 1 || s.row(t).Access.Plan != plan.Premium {
			t.Errorf("the row is %+v", s.row(t))
		}
	})
	t.Run("each raises the alarm once, not every night", func(t *testing.T) {
		s := newShop(t)
		s.addCustomers(3, "cus_of_nobody")
		for range 3 {
			s.reconciled(t)
		}
		if n := s.watcher.of("alarm " + MissingCustomer); n != 3 {
			t.Errorf("it rang %d times", n)
		}
		strays, err := s.Strays(t.Context())
		if err != nil || !slices.Equal(strays.Missing, []string{"ws_00", "ws_01", "ws_02"}) || len(strays.Elsewhere) != 0 {
			t.Errorf("the strays are %+v, %v", strays, err)
		}
		if says := strings.Join(strays.Sentences(), " "); says != "Stripe does not know the customer of 3 workspaces: ws_00, ws_01, ws_02." {
			t.Errorf("it says %q", says)
		}
	})
	t.Run("the mark disappears when Stripe knows the customer after all", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		at := s.stripe.Now()
		if _, err := s.ledger.change(workspace, func(row *subscription.Subscription) { row.MissingAt = &at }); err != nil {
			t.Fatal(err)
		}
		s.reconciled(t)
		if strays, err := s.Strays(t.Context()); err != nil || len(strays.Missing) != 0 {
			t.Errorf("the strays are %+v, %v", strays, err)
		}
	})
	t.Run("a workspace that never paid can buy, as a new customer", func(t *testing.T) {
		s := newShop(t)
		old := s.become(t)
		s.stripe.Forget(old)
		address, _ := s.checkout(t, plan.Basic, sessions)
		if _, err := s.stripe.Press(address, "pay"); err != nil {
			t.Fatal(err)
		}
		if row := s.refresh(t); row.CustomerID == old || row.MissingAt != nil || row.Access.Plan != plan.Basic {
			t.Errorf("the row is %+v", row)
		}
	})
	t.Run("a workspace whose subscription has ended can buy, too", func(t *testing.T) {
		s := newShop(t)
		old := s.subscribe(t, plan.Basic)
		s.stripe.Cancel(old)
		s.refresh(t)
		s.stripe.Forget(old)
		if address, _ := s.checkout(t, plan.Basic, sessions); address == "" || s.row(t).CustomerID == old {
			t.Errorf("the row is %+v", s.row(t))
		}
	})
	t.Run("a workspace that may be paying elsewhere is told whom to ask, and does not pay twice", func(t *testing.T) {
		s := newShop(t)
		old := s.subscribe(t, plan.Basic)
		s.stripe.Forget(old)
		_, err := s.Checkout(t.Context(), workspace, Purchase{Plan: plan.Premium, Interval: plan.Monthly}, back)
		if !fault.Is(err, fault.Conflict) || !strings.Contains(fault.As(err).Message, "parley billing unlink") || s.row(t).CustomerID != old {
			t.Errorf("got %v", err)
		}
		if _, err := s.Portal(t.Context(), workspace, "http://parley.example/"); !fault.Is(err, fault.Conflict) {
			t.Errorf("the portal gives %v", err)
		}
		if row := s.row(t); row.Access.Plan != plan.Basic {
			t.Errorf("the plan is %s", row.Access.Plan)
		}
		if invoices, err := s.Invoices(t.Context(), workspace, 10); err != nil || len(invoices) != 0 {
			t.Errorf("the invoices are %v, %v", invoices, err)
		}
	})
	t.Run("such a workspace can be deleted, and an alarm warns of payments that may continue elsewhere", func(t *testing.T) {
		s := newShop(t)
		s.stripe.Forget(s.subscribe(t, plan.Basic))
		if err := s.Cancel(t.Context(), workspace); err != nil || s.watcher.of("alarm "+Uncanceled) != 1 {
			t.Errorf("got %v, the observer was told %v", err, s.watcher.counts)
		}
	})
	t.Run("one that never paid is deleted without an alarm", func(t *testing.T) {
		s := newShop(t)
		s.stripe.Forget(s.become(t))
		if err := s.Cancel(t.Context(), workspace); err != nil || s.watcher.of("alarm "+Uncanceled) != 0 {
			t.Errorf("got %v, the observer was told %v", err, s.watcher.counts)
		}
	})
	t.Run("their addresses are not sent repeatedly", func(t *testing.T) {
		s := newShop(t)
		customerID := s.become(t)
		s.stripe.Forget(customerID)
		if _, err := s.ledger.change(workspace, func(row *subscription.Subscription) { row.CustomerStale = true }); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := s.PushCustomers(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if n := len(s.requests("POST", "/v1/customers/"+customerID)); n != 1 {
			t.Errorf("it was told %d times", n)
		}
	})
	t.Run("nor is that of a deleted customer, which raises no alarm", func(t *testing.T) {
		s := newShop(t)
		customerID := s.become(t)
		s.stripe.Delete(customerID)
		if _, err := s.ledger.change(workspace, func(row *subscription.Subscription) { row.CustomerStale = true }); err != nil {
			t.Fatal(err)
		}
		if err := s.PushCustomers(t.Context()); err != nil || s.row(t).CustomerStale || s.row(t).MissingAt != nil {
			t.Errorf("got %v, %+v", err, s.row(t))
		}
	})
}

func TestAnotherAccount(t *testing.T) {
	t.Run("a row records the account and mode in which it was read", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		if got := s.row(t).Account; got != (subscription.StripeAccount{ID: s.stripe.Account, Mode: subscription.Test}) {
			t.Errorf("it is of %+v", got)
		}
	})
	for sentence, of := range map[string]subscription.StripeAccount{
		"customers of another account":           {ID: "acct_before", Mode: subscription.Test},
		"customers of live mode under test mode": {ID: "acct_parley", Mode: subscription.Live},
	} {
		t.Run(sentence+" are named in one sentence and skipped", func(t *testing.T) {
			s := newShop(t)
			s.addCustomers(12, "cus_of_others")
			for id, row := range s.ledger.rows {
				row.Account = of
				s.ledger.rows[id] = row
			}
			for range 2 {
				s.reconciled(t)
			}
			if n := len(s.requests("GET", "/v1/subscriptions")); n != 0 || s.watcher.of("alarm "+OtherAccount) != 1 {
				t.Errorf("Stripe was asked %d times, the observer was told %v", n, s.watcher.counts)
			}
			strays, err := s.Strays(t.Context())
			if err != nil || len(strays.Elsewhere) != 12 || len(strays.Missing) != 0 {
				t.Fatalf("the strays are %+v, %v", strays, err)
			}
			if says := strays.Sentences(); len(says) != 1 || !strings.HasPrefix(says[0], "12 workspaces are customers at another Stripe account, or in another mode") || !strings.Contains(says[0], " and 2 more.") {
				t.Errorf("it says %q", says)
			}
		})
	}
	t.Run("a key that may not read the account stops nothing", func(t *testing.T) {
		s := newShop(t)
		s.stripe.Restrict("rk_test_1", stripetest.Rights{"customers": stripetest.Write, "subscriptions": stripetest.Read})
		s.Service = New(Config{Key: "rk_test_1", BaseURL: s.stripe.URL}, s.ledger.books(), s.stripe.Now, s.log, s.watcher)
		s.become(t)
		s.refresh(t)
		if got := s.row(t).Account; got != (subscription.StripeAccount{Mode: subscription.Test}) {
			t.Errorf("it is of %+v", got)
		}
	})
}

func TestOneFailureIsNotAll(t *testing.T) {
	t.Run("a failure about one customer does not affect the others", func(t *testing.T) {
		s := newShop(t)
		var done []int
		refusal := failed(http.StatusBadRequest)
		err := each(t.Context(), s.Service, stripeapi.Listed([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), func(i int) error {
			if i < 2*enoughFailures-1 {
				return refusal
			}
			done = append(done, i)
			return nil
		})
		if !slices.Equal(done, []int{9}) || !errors.Is(err, refusal) {
			t.Errorf("done are %v, %v", done, err)
		}
	})
	t.Run("five failing customers are not mistaken for an outage of Stripe", func(t *testing.T) {
		s := newShop(t)
		var done []int
		err := each(t.Context(), s.Service, stripeapi.Listed([]int{0, 1, 2, 3, 4, 5, 6}), func(i int) error {
			if i < enoughFailures {
				return failed(http.StatusInternalServerError)
			}
			done = append(done, i)
			return nil
		})
		if len(done) != 2 || err == nil {
			t.Errorf("done are %v, %v", done, err)
		}
	})
	t.Run("a list that cannot be read on ends the work, with the failures so far", func(t *testing.T) {
		s := newShop(t)
		refusal, unread, done := failed(http.StatusBadRequest), errors.New("unread"), 0
		err := each(t.Context(), s.Service, func(yield func(int, error) bool) { _ = yield(1, nil) && yield(0, unread) && yield(2, nil) }, func(int) error {
			done++
			return refusal
		})
		if done != 1 || !errors.Is(err, unread) || !errors.Is(err, refusal) {
			t.Errorf("%d were done, %v", done, err)
		}
	})
	t.Run("a rejected key stops it at once", func(t *testing.T) {
		s := newShop(t)
		s.Service = New(Config{Key: "sk_test_wrong", BaseURL: s.stripe.URL}, s.ledger.books(), s.stripe.Now, s.log, s.watcher)
		tries := 0
		err := each(t.Context(), s.Service, stripeapi.Listed(make([]int, 100)), func(int) error {
			tries++
			_, err := s.Account(t.Context())
			return err
		})
		if tries != enoughFailures || err == nil {
			t.Errorf("%d tries, %v", tries, err)
		}
	})
	t.Run("while Stripe is busy, calls are retried after increasing pauses", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		var pauses []time.Duration
		s.wait = func(_ context.Context, pause time.Duration) error {
			pauses = append(pauses, pause)
			return nil
		}
		s.stripe.Refuse(2, http.StatusTooManyRequests)
		s.reconciled(t)
		if !slices.Equal(pauses, []time.Duration{time.Second, 2 * time.Second}) {
			t.Errorf("the pauses are %v", pauses)
		}
	})
}

// failed is a response of Stripe's with a status.
func failed(status int) error {
	_, err := stripeapi.Ask(context.Background(), func(context.Context) (any, error) { return nil, &stripe.Error{HTTPStatusCode: status} })
	return err
}
