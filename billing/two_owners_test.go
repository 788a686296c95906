package billing_test

import (
	"sync"
	"testing"

	"parley/billing"
	"parley/core/plan"
)

func TestManyGoToPayAtOnce(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, t, openBooks(t, ""), "")
	pages := make([]string, 8)
	var all sync.WaitGroup
	for i := range pages {
		all.Go(func() {
			var err error
			pages[i], err = b.processes[i%2].Checkout(b.ctx, b.workspace, billing.Purchase{Plan: plan.Standard, Interval: plan.Monthly},
				billing.Back{Done: "http://parley.example/", Canceled: "http://parley.example/"})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, page := range pages {
		_, _ = b.stripe.Press(page, "pay") // refused on a page that was closed
	}
	b.comeBack(b.workspace)
	if n := len(b.stripe.Subscriptions(b.row(b.workspace).CustomerID)); n != 1 || b.alarms.rang(billing.TwoSubscriptions) != 0 {
		t.Errorf("there are %d subscriptions", n)
	}
}
