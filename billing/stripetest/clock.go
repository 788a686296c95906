package stripetest

import "time"

// step is something that happens at a given time.
type step struct {
	at moment
	do func()
}

// Now returns the clock's time. Only [Server.Advance] moves it.
func (s *Server) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Advance lets time pass: trials end, periods are renewed and paid, failed payments are
// retried, and scheduled changes happen, each at its time.
func (s *Server) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	until := s.now.Add(d)
	for {
		next := s.nextStep()
		if next.do == nil || next.at > momentOf(until) {
			break
		}
		if at := next.at.time(); at.After(s.now) {
			s.now = at
		}
		next.do()
	}
	s.now = until
}

// nextStep returns the next step. Of several at one time, payments come first.
func (s *Server) nextStep() step {
	var next step
	consider := func(other step) {
		if other.do != nil && (next.do == nil || other.at < next.at) {
			next = other
		}
	}
	for _, inv := range s.invoices {
		consider(s.stepOfInvoice(inv))
	}
	for _, schedule := range s.schedules {
		consider(s.stepOfSchedule(schedule))
	}
	for _, sub := range s.subscriptions {
		consider(s.stepOfSubscription(sub))
	}
	for _, session := range s.checkouts {
		if session.Status == open {
			consider(step{session.ExpiresAt, func() { s.expireCheckout(session) }})
		}
	}
	return next
}

func (s *Server) stepOfInvoice(inv *invoice) step {
	switch {
	case !inv.AutoAdvance || inv.closed():
		return step{}
	case inv.Status == draft:
		return step{inv.Created.add(draftFor), func() { s.attempt(inv) }}
	case inv.NextPaymentAttempt != 0:
		return step{inv.NextPaymentAttempt, func() { s.attempt(inv) }}
	}
	return step{}
}

// announced is how long before its end Stripe announces the end of a trial.
const announced = 3 * day

func (s *Server) stepOfSubscription(sub *subscription) step {
	switch sub.Status {
	case incomplete:
		return step{sub.Created.add(incompleteFor), func() { s.expire(sub) }}
	case trialing:
		if !sub.warned {
			return step{sub.TrialEnd.add(-announced), func() { s.announce(sub) }}
		}
	case active, pastDue, unpaid:
	default:
		return step{}
	}
	switch {
	case sub.CancelAt != 0 && sub.CancelAt <= sub.CurrentPeriodEnd:
		return step{sub.CancelAt, func() { s.cancel(sub) }}
	case sub.Status == trialing:
		return step{sub.TrialEnd, func() { s.endTrial(sub) }}
	}
	return step{sub.CurrentPeriodEnd, func() { s.renew(sub) }}
}

func (s *Server) announce(sub *subscription) {
	sub.warned = true
	s.emit("customer.subscription.trial_will_end", sub)
}

// expire ends a subscription whose first payment never succeeded.
func (s *Server) expire(sub *subscription) {
	s.end(sub, incompleteExpired)
	s.emit("customer.subscription.updated", sub)
	if inv, ok := find(s.invoices, string(sub.LatestInvoice)); ok && inv.Status == open {
		inv.Status, inv.StatusTransitions.VoidedAt = void, s.moment()
		s.emit("invoice.voided", inv)
	}
}

func (s *Server) endTrial(sub *subscription) {
	sub.Status, sub.TrialEnd = active, s.moment()
	s.anchor(sub)
	s.billPeriod(sub)
}

func (s *Server) renew(sub *subscription) {
	sub.nextPeriod()
	s.billPeriod(sub)
}

// billPeriod drafts the invoice of a period that has started.
func (s *Server) billPeriod(sub *subscription) {
	s.bill(sub, "subscription_cycle", sub.price().UnitAmount)
	s.emit("customer.subscription.updated", sub)
}
