package billing

import (
	"testing"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/setup"
	"parley/core/plan"
)

func of(id string, status plan.Status, name plan.Name, created int64) candidate {
	return candidate{
		subscription: &stripe.Subscription{ID: id, Status: stripe.SubscriptionStatus(status), Created: created},
		plan:         name,
	}
}

func TestChoose(t *testing.T) {
	tests := []struct {
		name       string
		want       string
		candidates []candidate
	}{
		{"a current one counts before one that has ended", "b", []candidate{of("a", plan.Canceled, plan.Premium, 2), of("b", plan.Active, plan.Basic, 1)}},
		{"of two paid ones the higher plan counts", "b", []candidate{of("a", plan.Active, plan.Basic, 2), of("b", plan.Active, plan.Standard, 1)}},
		{"of two equal ones the later one counts", "b", []candidate{of("a", plan.Active, plan.Basic, 1), of("b", plan.Active, plan.Basic, 2)}},
		{"a failed first payment does not hide a paid subscription", "a", []candidate{of("a", plan.Active, plan.Basic, 1), of("b", plan.Incomplete, plan.Premium, 2)}},
		{"a late payment does not hide a paid subscription", "a", []candidate{of("a", plan.Trialing, plan.Basic, 1), of("b", plan.PastDue, plan.Premium, 2)}},
		{"a late payment counts before an unknown status", "a", []candidate{of("a", plan.PastDue, plan.Basic, 1), of("b", "frozen", plan.Premium, 2)}},
		{"an unknown status counts before one without access", "b", []candidate{of("a", plan.Unpaid, plan.Premium, 2), of("b", "frozen", plan.Basic, 1)}},
		{"of two that have ended the later one counts", "b", []candidate{of("a", plan.Canceled, plan.Basic, 1), of("b", plan.IncompleteExpired, plan.Basic, 2)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := choose(test.candidates).subscription.ID; got != test.want {
				t.Errorf("chose %s, want %s", got, test.want)
			}
			reversed := []candidate{test.candidates[1], test.candidates[0]}
			if got := choose(reversed).subscription.ID; got != test.want {
				t.Errorf("in the other order chose %s, want %s", got, test.want)
			}
		})
	}
}

func TestPlanOf(t *testing.T) {
	metadata := map[string]string{"plan": "premium"}
	tests := []struct {
		name  string
		price *stripe.Price
		want  plan.Name
	}{
		{"the lookup key names it", &stripe.Price{LookupKey: "parley_standard_monthly"}, plan.Standard},
		{"the product names it when the lookup key has moved on", &stripe.Price{Product: &stripe.Product{ID: "parley_basic"}}, plan.Basic},
		{"the lookup key counts before the product", &stripe.Price{LookupKey: "parley_basic_yearly", Product: &stripe.Product{ID: "parley_premium"}}, plan.Basic},
		{"the metadata of a price names it", &stripe.Price{LookupKey: "summer", Product: &stripe.Product{ID: "prod_1"}, Metadata: metadata}, plan.Premium},
		{"the metadata of a product names it", &stripe.Price{Product: &stripe.Product{ID: "prod_1", Metadata: metadata}}, plan.Premium},
		{"a plan that does not exist is none", &stripe.Price{LookupKey: "parley_gold_monthly", Metadata: map[string]string{"plan": "gold"}}, ""},
		{"the key of another product is none", &stripe.Price{LookupKey: "other_basic_monthly"}, ""},
		{"a product that only has a plan's name is none", &stripe.Price{Product: &stripe.Product{ID: "basic"}}, ""},
		{"nothing is none", nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := setup.PlanOf(test.price)
			if got != test.want || ok != (test.want != "") {
				t.Errorf("got %q, %v, want %q", got, ok, test.want)
			}
		})
	}
}

func TestIntervalOf(t *testing.T) {
	tests := []struct {
		recurring *stripe.PriceRecurring
		want      plan.Interval
	}{
		{&stripe.PriceRecurring{Interval: "month", IntervalCount: 1}, plan.Monthly},
		{&stripe.PriceRecurring{Interval: "year", IntervalCount: 1}, plan.Yearly},
		{&stripe.PriceRecurring{Interval: "month", IntervalCount: 3}, ""},
		{&stripe.PriceRecurring{Interval: "week", IntervalCount: 1}, ""},
		{nil, ""},
	}
	for _, test := range tests {
		if got := setup.IntervalOf(&stripe.Price{Recurring: test.recurring}); got != test.want {
			t.Errorf("%+v is %q, want %q", test.recurring, got, test.want)
		}
	}
}
