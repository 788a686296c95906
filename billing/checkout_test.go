package billing

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/billing/setup"
	"parley/core/fault"
	"parley/core/plan"
)

var back = Back{Done: "https://parley.example/done", Canceled: "https://parley.example/plan"}

// checkout starts one, and returns the address and the last request to Stripe on the
// given path.
func (s *shop) checkout(t *testing.T, name plan.Name, path string) (address string, form url.Values) {
	t.Helper()
	address, err := s.Checkout(t.Context(), workspace, Purchase{Plan: name, Interval: plan.Monthly}, back)
	if err != nil {
		t.Fatal(err)
	}
	made := s.requests("POST", path)
	if len(made) == 0 {
		t.Fatalf("no request was sent to %s", path)
	}
	return address, made[len(made)-1].Form
}

const (
	sessions = "/v1/checkout/sessions"
	portals  = "/v1/billing_portal/sessions"
	flowType = "flow_data[type]"
)

func TestCheckout(t *testing.T) {
	t.Run("a person without a subscription is sent to pay, with a trial", func(t *testing.T) {
		s := newShop(t)
		address, form := s.checkout(t, plan.Standard, sessions)
		if !strings.Contains(address, "/pay/") || form.Get("subscription_data[trial_period_days]") != "14" {
			t.Errorf("got %s for %v", address, form)
		}
		if form.Get("client_reference_id") != workspace || form.Get("success_url") != back.Done || form.Get("cancel_url") != back.Canceled {
			t.Errorf("sent %v", form)
		}
		if row := s.row(t); row.CheckoutAt == nil || row.CustomerID == "" {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("whoever pays there gets the plan", func(t *testing.T) {
		s := newShop(t)
		address, _ := s.checkout(t, plan.Standard, sessions)
		if _, err := s.stripe.Press(address, "pay"); err != nil {
			t.Fatal(err)
		}
		if row := s.refresh(t); row.Access.Plan != plan.Standard || row.Status != plan.Trialing {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("there is only one trial", func(t *testing.T) {
		s := newShop(t)
		address, _ := s.checkout(t, plan.Basic, sessions)
		if _, err := s.stripe.Press(address, "pay"); err != nil {
			t.Fatal(err)
		}
		s.stripe.Cancel(s.row(t).CustomerID)
		if _, form := s.checkout(t, plan.Basic, sessions); form.Has("subscription_data[trial_period_days]") {
			t.Errorf("a second trial was offered: %v", form)
		}
	})
	t.Run("if trials are off, none is offered", func(t *testing.T) {
		s := newShop(t)
		s.config.TrialDays = 0
		if _, form := s.checkout(t, plan.Basic, sessions); form.Has("subscription_data[trial_period_days]") {
			t.Errorf("sent %v", form)
		}
	})
	t.Run("with taxes Stripe asks for an address", func(t *testing.T) {
		s := newShop(t)
		s.config.Tax = true
		_, form := s.checkout(t, plan.Basic, sessions)
		if form.Get("automatic_tax[enabled]") != "true" || form.Get("customer_update[address]") != "auto" {
			t.Errorf("sent %v", form)
		}
	})
	t.Run("the customer is created once", func(t *testing.T) {
		s := newShop(t)
		s.checkout(t, plan.Basic, sessions)
		s.ledger.email = "grace@example.com" // PushCustomers sends it later
		s.checkout(t, plan.Standard, sessions)
		if made := s.stripe.Customers(); len(made) != 1 || made[0].Email != "ada@example.com" || made[0].Metadata[metadataWorkspace] != workspace {
			t.Errorf("got %+v", made)
		}
	})
	t.Run("a page left open is closed, so that nobody pays twice", func(t *testing.T) {
		s := newShop(t)
		first, _ := s.checkout(t, plan.Basic, sessions)
		second, _ := s.checkout(t, plan.Standard, sessions)
		if _, err := s.stripe.Press(first, "pay"); err == nil {
			t.Error("the first page still accepts a payment")
		}
		if _, err := s.stripe.Press(second, "pay"); err != nil {
			t.Error(err)
		}
	})
}

func TestCheckoutOfSubscriber(t *testing.T) {
	t.Run("a subscriber confirms the change in the portal", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		address, form := s.checkout(t, plan.Standard, portals)
		if form.Get(flowType) != "subscription_update_confirm" || len(s.requests("POST", sessions)) != 0 {
			t.Fatalf("sent %v", form)
		}
		next, err := s.stripe.Press(address, "confirm")
		if err != nil || next != back.Done {
			t.Errorf("led to %q, %v", next, err)
		}
		if row := s.refresh(t); row.Plan != plan.Standard {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("a lower plan starts when the paid period ends", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Premium)
		address, _ := s.checkout(t, plan.Basic, portals)
		if _, err := s.stripe.Press(address, "confirm"); err != nil {
			t.Fatal(err)
		}
		if row := s.refresh(t); row.Plan != plan.Premium || row.NextPlan != plan.Basic || !sameTime(row.NextAt, row.PeriodEnd) {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("a subscription whose event has not arrived is not bought twice", func(t *testing.T) {
		s := newShop(t)
		if err := s.stripe.Subscribe(s.become(t), setup.LookupKey(plan.Basic, plan.Monthly), 0); err != nil {
			t.Fatal(err)
		}
		s.checkout(t, plan.Standard, portals)
		if len(s.requests("POST", sessions)) != 0 {
			t.Error("a checkout was started")
		}
	})
	states := []struct {
		name string
		make func(*shop, string)
		buy  plan.Name
	}{
		{"the same price", func(*shop, string) {}, plan.Basic},
		{"a subscription that is about to end", func(s *shop, id string) { s.stripe.CancelAtPeriodEnd(id, true) }, plan.Standard},
		{"a subscription with a scheduled change", func(s *shop, id string) {
			_ = s.stripe.SchedulePrice(id, setup.LookupKey(plan.Premium, plan.Monthly))
		}, plan.Standard},
		{"an overdue payment", func(s *shop, id string) { s.stripe.SetStatus(id, string(plan.PastDue)) }, plan.Standard},
		{"an unknown status", func(s *shop, id string) { s.stripe.SetStatus(id, "frozen") }, plan.Standard},
	}
	for _, state := range states {
		t.Run(state.name+" leads to the portal's first page", func(t *testing.T) {
			s := newShop(t)
			state.make(s, s.subscribe(t, plan.Basic))
			if _, form := s.checkout(t, state.buy, portals); form.Has(flowType) || form.Get("return_url") != back.Canceled {
				t.Errorf("sent %v", form)
			}
		})
	}
	t.Run("a change that Stripe refuses to show leads to the portal's first page", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		plans := plan.Defaults()
		plans[2].Price.Monthly = plan.NotSold
		s.sync(t, plans) // so that the portal does not offer the requested price
		if _, err := s.changeSession(t.Context(), s.row(t), "price_unknown", back); err != nil {
			t.Error(err)
		}
		if made := s.requests("POST", portals); len(made) != 2 || made[1].Form.Has(flowType) {
			t.Errorf("sent %v", made)
		}
	})
	t.Run("whoever resubscribes after the end is sent to pay", func(t *testing.T) {
		s := newShop(t)
		s.stripe.Cancel(s.subscribe(t, plan.Basic))
		s.checkout(t, plan.Basic, sessions)
	})
}

func TestCheckoutRefuses(t *testing.T) {
	tests := []struct {
		name     string
		purchase Purchase
		field    string
	}{
		{"the free plan", Purchase{Plan: plan.Free, Interval: plan.Monthly}, "plan"},
		{"a plan that does not exist", Purchase{Plan: "gold", Interval: plan.Monthly}, "plan"},
		{"an interval that does not exist", Purchase{Plan: plan.Basic, Interval: "weekly"}, "interval"},
	}
	for _, test := range tests {
		t.Run(test.name+" cannot be bought", func(t *testing.T) {
			s := newEmptyShop(t)
			_, err := s.Checkout(t.Context(), workspace, test.purchase, back)
			if !fault.Is(err, fault.Invalid) || fault.As(err).Field != test.field || len(s.stripe.Requests()) != 0 {
				t.Errorf("got %v, after %v", err, s.stripe.Requests())
			}
		})
	}
	t.Run("a plan without a price at Stripe says what to run", func(t *testing.T) {
		s := newEmptyShop(t)
		_, err := s.Checkout(t.Context(), workspace, Purchase{Plan: plan.Basic, Interval: plan.Monthly}, back)
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "parley billing sync") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("nothing is sold while Stripe is down", func(t *testing.T) {
		s := newShop(t)
		s.stripe.SetDown(true)
		if _, err := s.Checkout(t.Context(), workspace, Purchase{Plan: plan.Basic, Interval: plan.Monthly}, back); !fault.Is(err, fault.Upstream) {
			t.Errorf("got %v, want Upstream", err)
		}
	})
}

func TestPortal(t *testing.T) {
	t.Run("a customer sees the portal that Sync set up", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		address, err := s.Portal(t.Context(), workspace, back.Canceled)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.stripe.Press(address, "cancel"); err != nil {
			t.Fatal(err)
		}
		if row := s.refresh(t); row.Status != plan.Active || row.EndsAt == nil || !row.EndsAt.After(s.stripe.Now().Add(24*time.Hour)) {
			t.Errorf("after a cancellation got %+v", row)
		}
	})
	t.Run("a workspace that never bought anything is told so", func(t *testing.T) {
		s := newShop(t)
		if _, err := s.Portal(t.Context(), workspace, back.Canceled); !fault.Is(err, fault.Conflict) {
			t.Errorf("got %v, want Conflict", err)
		}
	})
}
