package billing

import (
	"strings"
	"testing"

	"parley/billing/setup"
	"parley/billing/stripetest"
	"parley/core/plan"
	"parley/core/subscription"
)

// second is another workspace.
const second = "ws_2"

// triesOut buys Basic for a workspace as a person with a card, and returns what
// Stripe was asked for.
func (s *shop) triesOut(t *testing.T, in, person, card string) (trialDays string) {
	t.Helper()
	row, err := s.ensureCustomer(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	s.stripe.PayWith(row.CustomerID, card)
	page, err := s.Checkout(t.Context(), in, Purchase{Plan: plan.Basic, Interval: plan.Monthly, Buyer: person}, back)
	if err != nil {
		t.Fatal(err)
	}
	made := s.requests("POST", sessions)
	form := made[len(made)-1].Form
	if _, err := s.stripe.Press(page, "pay"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context(), in, subscription.Cause{}); err != nil {
		t.Fatal(err)
	}
	if days := form.Get("subscription_data[trial_period_days]"); days == "" || strings.Contains(form.Get("custom_text[submit][message]"), "gets one free trial") {
		return days
	}
	t.Errorf("the page does not say that there is one trial: %v", form)
	return ""
}

func (s *shop) statusOf(t *testing.T, in string) plan.Status {
	t.Helper()
	row, err := s.ledger.Subscription(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return row.Status
}

func TestOneTrialForAPerson(t *testing.T) {
	t.Run("a person's second workspace gets no second trial", func(t *testing.T) {
		s := newShop(t)
		if days := s.triesOut(t, workspace, "us_ada", "visa"); days != "14" || s.statusOf(t, workspace) != plan.Trialing {
			t.Fatalf("the first trial is of %q days, %s", days, s.statusOf(t, workspace))
		}
		if days := s.triesOut(t, second, "us_ada", "another card"); days != "" || s.statusOf(t, second) != plan.Active {
			t.Errorf("the second trial is of %q days, %s", days, s.statusOf(t, second))
		}
	})
	t.Run("another account with the same card gets no second trial", func(t *testing.T) {
		s := newShop(t)
		s.triesOut(t, workspace, "us_ada", "visa")
		s.triesOut(t, second, "us_eve", "visa") // of whom only the card tells
		if got := s.statusOf(t, second); got != plan.Active {
			t.Errorf("the second one is %s", got)
		}
		if got := s.statusOf(t, workspace); got != plan.Trialing {
			t.Errorf("the first one is %s", got)
		}
	})
	t.Run("the trial stays had when its workspace was deleted", func(t *testing.T) {
		s := newShop(t)
		s.triesOut(t, workspace, "us_ada", "visa")
		if err := s.Cancel(t.Context(), workspace); err != nil {
			t.Fatal(err)
		}
		delete(s.ledger.rows, workspace)
		if days := s.triesOut(t, second, "us_ada", "visa"); days != "" {
			t.Errorf("the second trial is of %q days", days)
		}
	})
	t.Run("two others have a trial each", func(t *testing.T) {
		s := newShop(t)
		s.triesOut(t, workspace, "us_ada", "visa")
		s.triesOut(t, second, "us_bob", "mastercard")
		if s.statusOf(t, workspace) != plan.Trialing || s.statusOf(t, second) != plan.Trialing {
			t.Errorf("they are %s and %s", s.statusOf(t, workspace), s.statusOf(t, second))
		}
	})
	t.Run("pages that were opened before the first was paid give one trial, too", func(t *testing.T) {
		s := newShop(t)
		pages := map[string]string{}
		for _, in := range []string{workspace, second} {
			page, err := s.Checkout(t.Context(), in, Purchase{Plan: plan.Basic, Interval: plan.Monthly, Buyer: "us_ada"}, back)
			if err != nil {
				t.Fatal(err)
			}
			pages[in] = page
		}
		for in, page := range pages {
			if _, err := s.stripe.Press(page, "pay"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Refresh(t.Context(), in, subscription.Cause{}); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := s.statusOf(t, workspace), s.statusOf(t, second); a == b || a != plan.Trialing && b != plan.Trialing {
			t.Errorf("they are %s and %s", a, b)
		}
	})
	t.Run("a trial that the operator gave at Stripe is not ended", func(t *testing.T) {
		s := newShop(t)
		s.triesOut(t, workspace, "us_ada", "visa")
		row, err := s.ensureCustomer(t.Context(), second)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.stripe.Subscribe(row.CustomerID, setup.LookupKey(plan.Basic, plan.Monthly), 30); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Refresh(t.Context(), second, subscription.Cause{}); err != nil || s.statusOf(t, second) != plan.Trialing {
			t.Errorf("it is %s, %v", s.statusOf(t, second), err)
		}
	})
	t.Run("an end of the trial that Stripe did not take is tried again", func(t *testing.T) {
		s := newShop(t)
		s.triesOut(t, workspace, "us_ada", "visa")
		row, err := s.ensureCustomer(t.Context(), second)
		if err != nil {
			t.Fatal(err)
		}
		s.stripe.PayWith(row.CustomerID, "visa")
		page, err := s.Checkout(t.Context(), second, Purchase{Plan: plan.Basic, Interval: plan.Monthly, Buyer: "us_eve"}, back)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.stripe.Press(page, "pay"); err != nil {
			t.Fatal(err)
		}
		s.stripe.OnAnswer(func(r stripetest.Request) { // after the list, before the end
			if r.Path == "/v1/subscriptions" {
				s.stripe.SetDown(true)
			}
		})
		if _, err := s.Refresh(t.Context(), second, subscription.Cause{}); err == nil {
			t.Error("a failure is no failure")
		}
		s.stripe.OnAnswer(nil)
		s.stripe.SetDown(false)
		if _, err := s.Refresh(t.Context(), second, subscription.Cause{}); err != nil || s.statusOf(t, second) != plan.Active {
			t.Errorf("it is %s, %v", s.statusOf(t, second), err)
		}
	})
}
