package billing_test

import (
	"net/http"
	"testing"
	"time"

	"parley/core/plan"
)

func TestRefreshLapsed(t *testing.T) {
	t.Parallel()
	// canceled is a business whose access is about to end.
	canceled := func(t *testing.T) *business {
		b := newBusiness(t, t, openBooks(t, ""), "")
		b.customer = b.buy(b.workspace, plan.Standard, plan.Monthly)
		b.stripe.CancelAtPeriodEnd(b.customer, true)
		b.stripe.Deliver()
		return b
	}
	// end is the moment at which it does, with no event since.
	end := func(b *business) {
		b.stripe.Advance(b.row(b.workspace).EndsAt.Sub(b.stripe.Now()))
		b.stripe.Take()
	}

	t.Run("whoever took back the cancellation keeps the plan, even if Stripe's event was lost", func(t *testing.T) {
		b := canceled(t)
		b.stripe.CancelAtPeriodEnd(b.customer, false)
		end(b)
		b.must(b.processes[0].RefreshLapsed(b.ctx))
		if got := b.inForce(b.workspace); got != plan.Standard {
			t.Errorf("the plan is %s", got)
		}
	})
	t.Run("whoever did not gets the free plan", func(t *testing.T) {
		b := canceled(t)
		end(b)
		b.must(b.processes[0].RefreshLapsed(b.ctx))
		if got := b.inForce(b.workspace); got != plan.Free {
			t.Errorf("the plan is %s", got)
		}
	})
	t.Run("while Stripe is down nobody loses the plan, for a limited time", func(t *testing.T) {
		b := canceled(t)
		end(b)
		b.stripe.SetDown(true)
		if err := b.processes[0].RefreshLapsed(b.ctx); err == nil {
			t.Error("nothing failed")
		}
		for waited, want := range []plan.Name{plan.Standard, plan.Free} {
			if _, err := b.Lapses.LapseBefore(b.ctx, b.stripe.Now().Add(time.Duration(waited-1))); err != nil || b.inForce(b.workspace) != want {
				t.Errorf("the plan is %s, want %s: %v", b.inForce(b.workspace), want, err)
			}
		}
	})
}

func TestCustomerThatWasDeleted(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, t, openBooks(t, ""), "")
	before := b.buy(b.workspace, plan.Standard, plan.Monthly)
	request, err := http.NewRequestWithContext(b.ctx, http.MethodDelete, b.stripe.URL+"/v1/customers/"+before, nil)
	b.must(err)
	request.Header.Set("Authorization", "Bearer "+b.stripe.Key)
	answer, err := http.DefaultClient.Do(request)
	b.must(err)
	b.must(answer.Body.Close())
	b.comeBack(b.workspace)
	if got := b.inForce(b.workspace); got != plan.Free {
		t.Errorf("the plan of a deleted customer is %s", got)
	}

	after := b.buy(b.workspace, plan.Premium, plan.Yearly)
	b.comeBack(b.workspace)
	if got := b.inForce(b.workspace); got != plan.Premium || after == before {
		t.Errorf("customer %s is on %s, after %s was deleted", after, got, before)
	}
}
