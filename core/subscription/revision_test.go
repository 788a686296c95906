package subscription_test

import (
	"sync"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
)

func TestRevisions(t *testing.T) {
	t.Parallel()
	t.Run("a state read before another writer stored one is refused", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		c.bill(c.active(plan.Standard))
		_, err := c.Ledger.Apply(t.Context(), c.space.ID, 0, c.active(plan.Basic), false, subscription.Cause{})
		c.isA(err, fault.Conflict)
		c.isOn(plan.Standard)
	})
	t.Run("even if the other writer found nothing new", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		billed := c.active(plan.Standard)
		c.bill(billed)
		early := c.subscription().Revision
		c.bill(billed)
		_, err := c.Ledger.Apply(t.Context(), c.space.ID, early, c.active(plan.Basic), false, subscription.Cause{})
		c.isA(err, fault.Conflict)
	})
	t.Run("the event with it is not lost", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		cause := subscription.Cause{EventID: "evt_1", EventType: "customer.subscription.updated"}
		_, err := c.Ledger.Apply(t.Context(), c.space.ID, 7, c.active(plan.Basic), false, cause)
		c.isA(err, fault.Conflict)
		if saw, err := c.Ledger.SawEvent(t.Context(), "evt_1"); saw || err != nil {
			t.Errorf("it is noted: %v, %v", saw, err)
		}
		if applied := c.billBecause(c.active(plan.Basic), cause); !applied.Changed {
			t.Errorf("the second time: %+v", applied)
		}
	})
	t.Run("of fifty concurrent writers one wins", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		won, lost := 0, 0
		for _, err := range atOnce(50, func() error {
			_, err := c.Ledger.Apply(t.Context(), c.space.ID, 0, c.active(plan.Standard), false, subscription.Cause{})
			return err
		}) {
			switch {
			case err == nil:
				won++
			case fault.Is(err, fault.Conflict):
				lost++
			}
		}
		if won != 1 || lost != 49 || c.subscription().Revision != 1 {
			t.Errorf("%d won, %d lost, revision %d", won, lost, c.subscription().Revision)
		}
	})
	t.Run("our own fields do not change the revision", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		c.must(c.Customers.BeginCheckout(t.Context(), c.space.ID))
		c.must(c.Customers.MarkTold(t.Context(), c.space.ID))
		if got := c.subscription(); got.Revision != 0 || !got.CheckoutAt.Equal(c.now) {
			t.Errorf("the row is %+v", got)
		}
	})
}

// atOnce runs fn n times concurrently.
func atOnce(n int, fn func() error) []error {
	errs := make([]error, n)
	var begin, end sync.WaitGroup
	begin.Add(1)
	for i := range n {
		end.Go(func() {
			begin.Wait()
			errs[i] = fn()
		})
	}
	begin.Done()
	end.Wait()
	return errs
}

func TestEvents(t *testing.T) {
	t.Parallel()
	t.Run("fifty concurrent deliveries of an event have one effect", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		before := len(c.history())
		cause := subscription.Cause{EventID: "evt_1", EventType: "customer.subscription.created"}
		var mu sync.Mutex
		effects := 0
		for _, err := range atOnce(50, func() error {
			applied, err := c.Ledger.Apply(t.Context(), c.space.ID, 0, c.active(plan.Standard), false, cause)
			mu.Lock()
			defer mu.Unlock()
			if applied.Changed {
				effects++
			}
			return err
		}) {
			c.must(err)
		}
		if entries := c.history(); effects != 1 || len(entries) != before+1 || c.subscription().Revision != 1 {
			t.Errorf("%d effects, %d entries, revision %d", effects, len(entries)-before, c.subscription().Revision)
		}
	})
	t.Run("a known event changes nothing, whatever was read", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		c.must(c.Ledger.NoteEvent(t.Context(), "evt_1", "customer.updated"))
		c.must(c.Ledger.NoteEvent(t.Context(), "evt_1", "customer.updated"))
		saw, err := c.Ledger.SawEvent(t.Context(), "evt_1")
		if err != nil || !saw {
			t.Fatalf("it was not noted: %v", err)
		}
		applied := c.billBecause(c.active(plan.Standard), subscription.Cause{EventID: "evt_1"})
		if applied != (subscription.Applied{}) {
			t.Errorf("applied %+v", applied)
		}
		c.isOn(plan.Free)
	})
	t.Run("an event is forgotten after ninety days, and no sooner", func(t *testing.T) {
		c := newClock(t)
		c.must(c.Ledger.NoteEvent(t.Context(), "evt_1", "customer.updated"))
		noted := func(want bool) {
			t.Helper()
			c.must(c.DeleteExpired(t.Context()))
			if saw, err := c.Ledger.SawEvent(t.Context(), "evt_1"); err != nil || saw != want {
				t.Errorf("it is noted: %v, %v", saw, err)
			}
		}
		c.pass(90 * day)
		noted(true)
		c.pass(time.Second)
		noted(false)
	})
}
