package workspace

import (
	"strings"
	"testing"

	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/web/page"
	"parley/web/webtest"
)

func standard(status plan.Status, change func(*subscription.Subscription)) subscription.Subscription {
	s := subscription.Subscription{
		CustomerID: "cus_1",
		Billed:     subscription.Billed{ID: "sub_1", Status: status, Plan: plan.Standard, Interval: plan.Monthly, Amount: 79_00, Currency: "usd", PeriodEnd: webtest.On(2026, 11, 24)},
		Access:     plan.Access{Plan: plan.Standard},
	}
	if change != nil {
		change(&s)
	}
	return s
}

func TestPaying(t *testing.T) {
	lost := func(s *subscription.Subscription) { s.Access = plan.Access{Plan: plan.Free} }
	for _, c := range []struct {
		name   string
		s      subscription.Subscription
		want   string
		urgent bool
	}{
		{"a workspace that never paid is told nothing", subscription.Subscription{}, "", false},
		{"a trial", standard(plan.Trialing, func(s *subscription.Subscription) { s.TrialEnd = webtest.On(2026, 12, 3) }), "Trial until December 3; then 79.00 USD a month.", false},
		{"a trial of a yearly plan into another year", standard(plan.Trialing, func(s *subscription.Subscription) {
			s.TrialEnd, s.Interval, s.Amount = webtest.On(2027, 1, 3), plan.Yearly, 790_00
		}), "Trial until January 3, 2027; then 790.00 USD a year.", false},
		{"a trial whose end Stripe gives as the period's", standard(plan.Trialing, nil), "Trial until November 24; then 79.00 USD a month.", false},
		{"a trial without an end", standard(plan.Trialing, func(s *subscription.Subscription) { s.PeriodEnd = nil }), "This is a trial.", false},
		{"a trial of a plan that has no price any more", standard(plan.Trialing, func(s *subscription.Subscription) { s.Amount = 0 }), "Trial until November 24.", false},
		{"a trial that was canceled", standard(plan.Trialing, func(s *subscription.Subscription) { s.EndsAt = webtest.On(2026, 12, 3) }), "Trial until December 3. It has been canceled: it ends then, and nothing is paid.", false},
		{"a paid plan", standard(plan.Active, nil), "It costs 79.00 USD a month. The next payment is due on November 24.", false},
		{"a paid plan without a date", standard(plan.Active, func(s *subscription.Subscription) { s.PeriodEnd = nil }), "It costs 79.00 USD a month.", false},
		{"a paid plan without a price", standard(plan.Active, func(s *subscription.Subscription) { s.Amount = 0 }), "The next payment is due on November 24.", false},
		{"a paid plan without either", standard(plan.Active, func(s *subscription.Subscription) { s.PeriodEnd, s.Amount = nil, 0 }), "It is paid for.", false},
		{"a canceled plan", standard(plan.Active, func(s *subscription.Subscription) { s.EndsAt = webtest.On(2026, 11, 24) }), "Canceled; access until November 24.", false},
		{"a failed payment", standard(plan.PastDue, func(s *subscription.Subscription) {
			s.PastDueSince, s.Access.Until = webtest.On(2026, 11, 3), webtest.On(2026, 11, 24)
		}), "Payment failed on November 3; access until November 24. Update the payment method.", true},
		{"a failed payment of unknown date", standard(plan.PastDue, nil), "A payment failed. Update the payment method.", true},
		{"a failed payment after the grace", standard(plan.PastDue, func(s *subscription.Subscription) {
			s.PastDueSince = webtest.On(2026, 10, 3)
			lost(s)
		}), "Payment failed on October 3, and access has ended. Update the payment method to get it back.", true},
		{"a first payment that is open", standard(plan.Incomplete, lost), "The first payment has not succeeded yet. Finish it to get the Standard plan.", true},
		{"a first payment that never came", standard(plan.IncompleteExpired, lost), "The first payment was not finished in time. Choose a plan to try again.", false},
		{"a debt", standard(plan.Unpaid, lost), "The payments for the Standard plan have failed, and access has ended. Pay the open invoice to get it back.", true},
		{"a pause", standard(plan.Paused, lost), "The Standard plan is paused. Add a payment method to get it back.", true},
		{"an end", standard(plan.Canceled, lost), "The subscription to Standard has ended.", false},
		{"an end of a known date", standard(plan.Canceled, func(s *subscription.Subscription) { s.EndsAt = webtest.On(2026, 11, 9) }), "The subscription to Standard ended on November 9.", false},
		{"an end because nobody paid", standard(plan.Canceled, func(s *subscription.Subscription) { s.PastDueSince = webtest.On(2026, 10, 20) }), "The subscription to Standard has ended, because the payment that failed on October 20 was not made.", false},
		{"an end before the date that was meant", standard(plan.Canceled, func(s *subscription.Subscription) { s.EndsAt = webtest.On(2026, 11, 24) }), "The subscription to Standard has ended.", false},
		{"a state that Stripe has added", standard("frozen", nil), "Stripe reports a state that this server does not know. Access stays as it was.", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, urgent := sentences{page.Catalog{Plans: plan.Defaults(), Now: webtest.Today}}.paying(c.s)
			if got != c.want || urgent != c.urgent {
				t.Errorf("it says %q, urgent %t", got, urgent)
			}
		})
	}
}

func TestEarlierPrice(t *testing.T) {
	k := sentences{page.Catalog{Plans: plan.Defaults(), Now: webtest.Today, Sold: true}}
	keeps := func(pays string) string {
		return "You pay an earlier price of " + pays + " a month, and keep it while you stay on this plan. If you leave and come back, Standard costs 79.00 USD a month."
	}
	pays := func(amount int, change func(*subscription.Subscription)) subscription.Subscription {
		return standard(plan.Active, func(s *subscription.Subscription) {
			s.Amount = amount
			if change != nil {
				change(s)
			}
		})
	}
	for _, c := range []struct {
		name string
		s    subscription.Subscription
		want string
	}{
		{"who pays today's price is told nothing", pays(79_00, nil), ""},
		{"who pays an old price is told what a change would cost", pays(49_00, nil), keeps("49.00 USD")},
		{"who pays in another currency, too", pays(79_00, func(s *subscription.Subscription) { s.Currency = "eur" }), keeps("79.00 EUR")},
		{"a price that is not known is not compared", pays(0, nil), ""},
		{"who has canceled keeps nothing", pays(49_00, func(s *subscription.Subscription) { s.EndsAt = webtest.On(2026, 11, 24) }), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := k.earlierPrice(c.s); got != c.want {
				t.Errorf("it says %q", got)
			}
		})
	}
	t.Run("an old price of what is not sold any more says so", func(t *testing.T) {
		k := sentences{page.Catalog{Plans: plan.Defaults(), Now: webtest.Today, Sold: true}}
		k.Plans[2].OnSale = plan.Price{Monthly: plan.NotSold, Yearly: 790_00, Currency: "usd"}
		if got := k.earlierPrice(pays(49_00, nil)); !strings.HasSuffix(got, "Once you leave it, you cannot buy it again.") {
			t.Errorf("it says %q", got)
		}
	})
}

func TestStanding(t *testing.T) {
	home := tenant.Workspace{Plan: plan.Standard, Granted: plan.Free}
	says := func(w tenant.Workspace, s subscription.Subscription) string {
		return strings.Join(sentences{page.Catalog{Plans: plan.Defaults(), Now: webtest.Today, Sold: true}}.standing(w, s).Sentences, " ")
	}
	t.Run("the plan in force comes first", func(t *testing.T) {
		if got := says(tenant.Workspace{Plan: plan.Free, Granted: plan.Free}, subscription.Subscription{}); got != "This workspace is on the Starter plan." {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("a change that is planned is said with its day", func(t *testing.T) {
		got := says(home, standard(plan.Active, func(s *subscription.Subscription) { s.NextPlan, s.NextAt = plan.Basic, webtest.On(2026, 11, 24) }))
		if !strings.HasSuffix(got, " Changes to Basic on November 24.") {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("a change of a subscription that has ended is not", func(t *testing.T) {
		got := says(home, standard(plan.Canceled, func(s *subscription.Subscription) { s.NextPlan, s.NextAt = plan.Basic, webtest.On(2026, 11, 24) }))
		if strings.Contains(got, "Basic") {
			t.Errorf("it says %q", got)
		}
	})
	granted := tenant.Workspace{Plan: plan.Premium, Granted: plan.Premium}
	t.Run("a plan that was granted is said to be", func(t *testing.T) {
		for _, s := range []subscription.Subscription{{}, standard(plan.Active, nil)} {
			if got := says(granted, s); !strings.HasSuffix(got, " It was granted to this workspace, regardless of payments.") {
				t.Errorf("it says %q", got)
			}
		}
	})
	t.Run("where nothing is sold, every plan is granted, and none is said to be", func(t *testing.T) {
		if got := (sentences{page.Catalog{Plans: plan.Defaults(), Now: webtest.Today}}).standing(granted, subscription.Subscription{}).Sentences; len(got) != 1 {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("a grant below what is paid is not", func(t *testing.T) {
		w := tenant.Workspace{Plan: plan.Standard, Granted: plan.Basic}
		if got := says(w, standard(plan.Active, nil)); strings.Contains(got, "granted") {
			t.Errorf("it says %q", got)
		}
	})
}

func TestGrantsOnThePage(t *testing.T) {
	k := sentences{page.Catalog{Plans: plan.Defaults(), Now: webtest.Today, Sold: true}}
	until := webtest.On(2027, 1, 31)
	for _, c := range []struct {
		name string
		w    tenant.Workspace
		s    subscription.Subscription
		want string
	}{
		{
			"a grant that ends says when, and what comes then",
			tenant.Workspace{Plan: plan.Premium, Granted: plan.Premium, GrantedUntil: until},
			subscription.Subscription{},
			"It was granted to this workspace until January 31, 2027. After that, the workspace has the plan it pays for, or the Starter plan.",
		},
		{
			"a grant below what is paid for does not matter",
			tenant.Workspace{Plan: plan.Standard, Granted: plan.Basic, GrantedUntil: until},
			standard(plan.Active, nil),
			"It costs 79.00 USD a month. The next payment is due on November 24.",
		},
		{
			"a plan that cannot be verified says until when it is in force",
			tenant.Workspace{Plan: plan.Standard, Granted: plan.Free},
			standard(plan.Active, func(s *subscription.Subscription) {
				s.UnverifiedUntil, s.Access.Until = webtest.On(2026, 12, 9), webtest.On(2026, 12, 9)
			}),
			"This server can no longer check payments. Ask its operator. The plan you paid for stays active until December 9 at the latest.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			says := k.standing(c.w, c.s).Sentences
			if got := says[len(says)-1]; got != c.want {
				t.Errorf("it says %q", says)
			}
		})
	}
}
