package billing

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley/billing/setup"
	"parley/billing/stripetest"
	"parley/core/fault"
	"parley/core/plan"
)

func verbs(changes []setup.Change) []string {
	var all []string
	for _, c := range changes {
		all = append(all, c.Verb+" "+c.What)
	}
	return all
}

// sync makes Stripe be as the plans say, and returns what that changed.
func (s *shop) sync(t *testing.T, plans []plan.Plan) []string {
	t.Helper()
	changes, err := s.Setup.Sync(t.Context(), plans, false)
	if err != nil {
		t.Fatal(err)
	}
	return verbs(changes)
}

// posts counts the requests that change something.
func (s *shop) posts() int {
	count := 0
	for _, r := range s.stripe.Requests() {
		if r.Method != http.MethodGet {
			count++
		}
	}
	return count
}

func TestSync(t *testing.T) {
	everything := []string{
		"create product parley_basic", "create product parley_standard", "create product parley_premium",
		"create price parley_basic_monthly", "create price parley_basic_yearly",
		"create price parley_standard_monthly", "create price parley_standard_yearly",
		"create price parley_premium_monthly", "create price parley_premium_yearly",
		"create portal configuration",
	}
	t.Run("a dry run says what would change, and changes nothing", func(t *testing.T) {
		s := newEmptyShop(t)
		changes, err := s.Setup.Sync(t.Context(), plan.Defaults(), true)
		if err != nil || !slices.Equal(verbs(changes), everything) {
			t.Errorf("got %v, %v", verbs(changes), err)
		}
		if s.posts() != 0 {
			t.Errorf("it made %d changes", s.posts())
		}
	})
	t.Run("what a dry run said is done, and nothing the next time", func(t *testing.T) {
		s := newEmptyShop(t)
		if got := s.sync(t, plan.Defaults()); !slices.Equal(got, everything) {
			t.Errorf("got %v", got)
		}
		before := s.posts()
		if got := s.sync(t, plan.Defaults()); len(got) != 0 || s.posts() != before {
			t.Errorf("the second time got %v", got)
		}
	})
	t.Run("another amount is a new price, which takes the name; who has the old one keeps it and its plan", func(t *testing.T) {
		s := newShop(t)
		s.subscribe(t, plan.Basic)
		plans := plan.Defaults()
		plans[1].Price.Monthly = 25_00
		changes, err := s.Setup.Sync(t.Context(), plans, false)
		if want := []string{"replace price parley_basic_monthly", "update portal configuration", "archive price parley_basic_monthly"}; err != nil || !slices.Equal(verbs(changes), want) {
			t.Fatalf("got %v, %v, want %v", verbs(changes), err, want)
		}
		if !strings.Contains(changes[0].Detail, "2500 usd") || !strings.Contains(changes[0].Detail, "1900 usd") {
			t.Errorf("the detail is %q", changes[0].Detail)
		}
		if got := s.sync(t, plans); len(got) != 0 {
			t.Errorf("the second time got %v", got)
		}
		if row := s.refresh(t); row.Plan != plan.Basic {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("another currency is a new price", func(t *testing.T) {
		s := newShop(t)
		plans := plan.Defaults()
		plans[1].Price.Currency = "eur"
		got := s.sync(t, plans)
		if want := []string{"replace price parley_basic_monthly", "replace price parley_basic_yearly", "update portal configuration", "archive price parley_basic_yearly", "archive price parley_basic_monthly"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("what is not sold any more cannot be bought, and can be sold again", func(t *testing.T) {
		s := newShop(t)
		plans := plan.Defaults()
		plans[1].Price.Yearly = 0
		got := s.sync(t, plans)
		if want := []string{"update portal configuration", "archive price parley_basic_yearly"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := s.sync(t, plans); len(got) != 0 {
			t.Errorf("the second time got %v", got)
		}
		if _, err := s.Checkout(t.Context(), workspace, Purchase{Plan: plan.Basic, Interval: plan.Yearly}, back); !fault.Is(err, fault.Unavailable) {
			t.Errorf("the checkout got %v, want Unavailable", err)
		}
		got = s.sync(t, plan.Defaults())
		if want := []string{"update price parley_basic_yearly", "update portal configuration"}; !slices.Equal(got, want) {
			t.Errorf("afterward got %v, want %v", got, want)
		}
	})
	t.Run("another title is told", func(t *testing.T) {
		s := newShop(t)
		plans := plan.Defaults()
		plans[3].Title = "Gold"
		if got, want := s.sync(t, plans), []string{"update product parley_premium"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("with nothing to sell any more the portal offers no changes", func(t *testing.T) {
		s := newShop(t)
		free := plan.Defaults()
		for i := range free {
			free[i].Price = plan.Price{Currency: "usd"}
		}
		if got := s.sync(t, free); len(got) != 7 || got[0] != "update portal configuration" {
			t.Errorf("got %v", got)
		}
		if got := s.sync(t, free); len(got) != 0 {
			t.Errorf("the second time got %v", got)
		}
	})
	t.Run("after a failure it says what it had done, and goes on the next time", func(t *testing.T) {
		s := newEmptyShop(t)
		s.stripe.OnAnswer(func(r stripetest.Request) {
			if r.Form.Get("lookup_key") == "parley_basic_yearly" {
				s.stripe.SetDown(true)
			}
		})
		changes, err := s.Setup.Sync(t.Context(), plan.Defaults(), false)
		if !fault.Is(err, fault.Upstream) || !slices.Equal(verbs(changes), everything[:5]) {
			t.Errorf("got %v, %v", verbs(changes), err)
		}
		s.stripe.OnAnswer(nil)
		s.stripe.SetDown(false)
		if got := s.sync(t, plan.Defaults()); !slices.Equal(got, everything[5:]) {
			t.Errorf("afterward got %v", got)
		}
	})
}
