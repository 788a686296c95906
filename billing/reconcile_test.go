package billing

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"parley/billing/setup"
	"parley/billing/stripeapi"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
)

func TestReconcile(t *testing.T) {
	t.Run("what events missed is corrected once", func(t *testing.T) {
		s := newShop(t)
		s.stripe.Cancel(s.subscribe(t, plan.Basic))
		for _, want := range []int{1, 0} {
			if corrected, err := s.Reconcile(t.Context()); err != nil || corrected != want {
				t.Errorf("corrected %d, %v, want %d", corrected, err, want)
			}
		}
		if row := s.row(t); row.Status != plan.Canceled || s.watcher.of("corrected") != 1 {
			t.Errorf("got %+v, the observer was told %v", row, s.watcher.counts)
		}
		if last := s.ledger.actors[len(s.ledger.actors)-1]; last != audit.Reconciliation {
			t.Errorf("the actor is %+v", last)
		}
	})
	t.Run("whoever paid and never returned gets the plan", func(t *testing.T) {
		s := newShop(t)
		address, _ := s.checkout(t, plan.Basic, sessions)
		if _, err := s.stripe.Press(address, "pay"); err != nil {
			t.Fatal(err)
		}
		if corrected, err := s.Reconcile(t.Context()); err != nil || corrected != 1 || s.row(t).Access.Plan != plan.Basic {
			t.Errorf("corrected %d, %v: %+v", corrected, err, s.row(t))
		}
	})
	t.Run("the outcome of an old checkout is read if it has not been", func(t *testing.T) {
		s := newShop(t)
		address, _ := s.checkout(t, plan.Basic, sessions)
		if _, err := s.stripe.Press(address, "pay"); err != nil {
			t.Fatal(err)
		}
		s.stripe.Advance(2 * checkoutsOf)
		if corrected, err := s.Reconcile(t.Context()); err != nil || corrected != 1 || s.row(t).Access.Plan != plan.Basic {
			t.Errorf("corrected %d, %v: %+v", corrected, err, s.row(t))
		}
	})
	t.Run("subscriptions that cannot change are skipped", func(t *testing.T) {
		s := newEmptyShop(t)
		old, read := s.stripe.Now().Add(-checkoutsOf), s.stripe.Now().Add(checkoutLasts-checkoutsOf)
		s.ledger.rows["ws_none"] = subscription.Subscription{WorkspaceID: "ws_none", CustomerID: "cus_none", CheckoutAt: &old, FetchedAt: &read}
		s.ledger.rows["ws_over"] = subscription.Subscription{WorkspaceID: "ws_over", CustomerID: "cus_over", Billed: subscription.Billed{Status: plan.Canceled}}
		if _, err := s.Reconcile(t.Context()); err != nil || len(s.stripe.Requests()) != 0 {
			t.Errorf("got %v after %v", err, s.stripe.Requests())
		}
	})
	t.Run("while Stripe is down it soon gives up", func(t *testing.T) {
		s := newEmptyShop(t)
		s.addCustomers(2*enoughFailures, "cus_of_nobody")
		if _, err := s.Account(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.stripe.Refuse(1000, http.StatusInternalServerError)
		before := len(s.stripe.Requests())
		if _, err := s.Reconcile(t.Context()); !fault.Is(err, fault.Upstream) {
			t.Errorf("got %v", err)
		}
		if asked := len(s.stripe.Requests()) - before; asked > (enoughFailures+1)*(stripeapi.Retries+1) {
			t.Errorf("%d requests", asked)
		}
	})
}

// addCustomers adds workspaces that pay, before the shop's own one.
func (s *shop) addCustomers(n int, prefix string) {
	for i := range n {
		id := fmt.Sprintf("ws_0%d", i)
		s.ledger.rows[id] = subscription.Subscription{
			WorkspaceID: id, CustomerID: fmt.Sprint(prefix, i), Billed: subscription.Billed{ID: "sub_of_nobody", Status: plan.Active, Plan: plan.Basic},
		}
	}
}

func TestCatchUp(t *testing.T) {
	t.Run("undelivered events take effect once", func(t *testing.T) {
		s := newShop(t)
		customerID := s.become(t)
		if err := s.stripe.Subscribe(customerID, setup.LookupKey(plan.Standard, plan.Monthly), 0); err != nil {
			t.Fatal(err)
		}
		s.stripe.Take() // lost
		handled, err := s.CatchUp(t.Context())
		if err != nil || handled == 0 || s.row(t).Access.Plan != plan.Standard {
			t.Errorf("handled %d, %v: %+v", handled, err, s.row(t))
		}
		if s.watcher.of("corrected") != 1 || len(s.requests("GET", "/v1/subscriptions")) != 1 {
			t.Errorf("the observer was told %v; one read suffices for all events of a customer", s.watcher.counts)
		}
		if handled, err := s.CatchUp(t.Context()); err != nil || handled != 0 {
			t.Errorf("the second time handled %d, %v", handled, err)
		}
	})
	t.Run("events older than three days are left to the nightly reconciliation", func(t *testing.T) {
		s := newShop(t)
		if err := s.stripe.Subscribe(s.become(t), setup.LookupKey(plan.Standard, plan.Monthly), 0); err != nil {
			t.Fatal(err)
		}
		s.stripe.Advance(missedFor + time.Hour)
		if handled, err := s.CatchUp(t.Context()); err != nil || handled != 0 {
			t.Errorf("handled %d, %v", handled, err)
		}
	})
	t.Run("delivered events are skipped", func(t *testing.T) {
		s := newShop(t)
		customerID := s.become(t)
		for _, e := range s.stripe.Events() {
			s.ledger.events[e.ID] = string(e.Type)
		}
		s.stripe.FailPayments(customerID, false)
		if handled, err := s.CatchUp(t.Context()); err != nil || handled != 0 {
			t.Errorf("handled %d, %v", handled, err)
		}
	})
}

func TestPushCustomers(t *testing.T) {
	t.Run("a new address is sent once", func(t *testing.T) {
		s := newShop(t)
		s.become(t)
		s.ledger.email = "grace@example.com"
		if _, err := s.ledger.change(workspace, func(row *subscription.Subscription) { row.CustomerStale = true }); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.PushCustomers(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		row := s.row(t)
		if made := s.stripe.Customers(); made[0].Email != "grace@example.com" || row.CustomerStale || len(s.requests("POST", "/v1/customers/"+row.CustomerID)) != 1 {
			t.Errorf("Stripe has %q, the row is %+v", made[0].Email, row)
		}
	})
	t.Run("an address that cannot be sent is kept for the next time", func(t *testing.T) {
		s := newShop(t)
		s.become(t)
		if _, err := s.ledger.change(workspace, func(row *subscription.Subscription) { row.CustomerStale = true }); err != nil {
			t.Fatal(err)
		}
		s.stripe.SetDown(true)
		if err := s.PushCustomers(t.Context()); !fault.Is(err, fault.Upstream) || !s.row(t).CustomerStale {
			t.Errorf("got %v, %+v", err, s.row(t))
		}
	})
}

func TestCancel(t *testing.T) {
	t.Run("all subscriptions end now, and open checkout pages close", func(t *testing.T) {
		s := newShop(t)
		address, _ := s.checkout(t, plan.Basic, sessions)
		customerID := s.subscribe(t, plan.Premium)
		for range 2 {
			if err := s.Cancel(t.Context(), workspace); err != nil {
				t.Fatal(err)
			}
		}
		if sub := s.stripe.Subscriptions(customerID); string(sub[0].Status) != string(plan.Canceled) {
			t.Errorf("the subscription is %s", sub[0].Status)
		}
		if _, err := s.stripe.Press(address, "pay"); err == nil {
			t.Error("the page still accepts a payment")
		}
	})
	t.Run("a workspace that was never a customer has nothing to end", func(t *testing.T) {
		s := newEmptyShop(t)
		if err := s.Cancel(t.Context(), workspace); err != nil || len(s.stripe.Requests()) != 0 {
			t.Errorf("got %v after %v", err, s.stripe.Requests())
		}
	})
	t.Run("while Stripe is down it fails, so that nobody deletes a workspace that still pays", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		s.stripe.SetDown(true)
		if err := s.Cancel(t.Context(), workspace); !fault.Is(err, fault.Upstream) {
			t.Errorf("got %v, want Upstream", err)
		}
	})
}
