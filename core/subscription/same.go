package subscription

import (
	"time"

	"parley/core/plan"
)

// same reports whether two rows agree. When and how often Stripe was asked does not matter, nor
// does the address of an invoice, which Stripe may write differently each time.
func same(a, b Subscription) bool {
	timesOfA, timesOfB := a.times(), b.times()
	for i := range timesOfA {
		if !sameTime(timesOfA[i], timesOfB[i]) {
			return false
		}
	}
	return a.words() == b.words()
}

// words returns the fields that are not times.
func (s Subscription) words() any {
	return struct {
		customer, id, status, plan, interval, currency, next, access any
		amount                                                       int
		unknown, stale, trialUsed                                    bool
	}{
		s.CustomerID, s.ID, s.Status, s.Plan, s.Interval, s.Currency, s.NextPlan, plan.Higher(s.Access.Plan, plan.Free),
		s.Amount,
		s.Access.Unknown, s.CustomerStale, s.TrialUsed,
	}
}

func (s Subscription) times() [7]*time.Time {
	return [...]*time.Time{s.PeriodEnd, s.EndsAt, s.TrialEnd, s.PastDueSince, s.NextAt, s.CheckoutAt, s.Access.Until}
}

func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}
