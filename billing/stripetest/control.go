package stripetest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stripe/stripe-go/v76"
)

// FailPayments makes Stripe refuse a customer's payments, or accept them again.
func (s *Server) FailPayments(customerID string, failing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustFind(customerID).failing = failing
}

// SetStatus sets the status of a customer's latest subscription, possibly an unknown one, and
// emits an event.
func (s *Server) SetStatus(customerID, status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.latest(customerID)
	sub.Status = status
	s.emit("customer.subscription.updated", sub)
}

// Subscribe creates a subscription as a checkout does, to the price with a lookup key.
func (s *Server) Subscribe(customerID, lookupKey string, trialDays int) error {
	return s.do(func() error {
		to, err := s.priceByKey(lookupKey)
		if err != nil {
			return err
		}
		var trialEnd moment
		if trialDays > 0 {
			trialEnd = s.moment() + moment(trialDays)*momentOfDay
		}
		_, err = s.open(opening{customer: s.mustFind(customerID), price: to, trialEnd: trialEnd, metadata: map[string]string{}})
		return err
	})
}

// ChangePrice moves a customer's latest subscription to another price immediately, and
// charges the difference.
func (s *Server) ChangePrice(customerID, lookupKey string) error {
	return s.do(func() error {
		to, err := s.priceByKey(lookupKey)
		if err != nil {
			return err
		}
		sub := s.latest(customerID)
		if err := s.changePriceOf(sub, to, prorateAtOnce, ""); err != nil {
			return err
		}
		s.emit("customer.subscription.updated", sub)
		return nil
	})
}

// SchedulePrice moves a customer's latest subscription to another price at the end of the
// current period.
func (s *Server) SchedulePrice(customerID, lookupKey string) error {
	return s.do(func() error {
		to, err := s.priceByKey(lookupKey)
		if err == nil {
			s.schedulePrice(s.latest(customerID), to)
		}
		return err
	})
}

// CancelAtPeriodEnd makes a customer's latest subscription end with its period, or continue.
func (s *Server) CancelAtPeriodEnd(customerID string, ends bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endWithPeriod(s.latest(customerID), ends)
}

// Cancel ends a customer's latest subscription immediately.
func (s *Server) Cancel(customerID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel(s.latest(customerID))
}

// Subscriptions returns a customer's subscriptions, oldest first, as clients see them.
func (s *Server) Subscriptions(customerID string) []stripe.Subscription {
	return seen[stripe.Subscription](s, func() (all []any) {
		for _, sub := range s.subscriptions {
			if sub.Customer == ref(customerID) {
				all = append(all, sub)
			}
		}
		return all
	})
}

// Invoices returns a customer's invoices, oldest first, as clients see them.
func (s *Server) Invoices(customerID string) []stripe.Invoice {
	return seen[stripe.Invoice](s, func() (all []any) {
		for _, inv := range s.invoices {
			if inv.Customer == ref(customerID) {
				all = append(all, inv)
			}
		}
		return all
	})
}

// Customers returns all customers that are not deleted, oldest first.
func (s *Server) Customers() []stripe.Customer {
	return seen[stripe.Customer](s, func() (all []any) {
		for _, c := range s.customers {
			if !c.deleted {
				all = append(all, c)
			}
		}
		return all
	})
}

func seen[T any](s *Server, objects func() []any) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	var read []T
	if err := json.Unmarshal(rendered(objects()), &read); err != nil {
		panic(err) // it was just written as JSON
	}
	return read
}

func (s *Server) do(change func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return change()
}

// mustFind and latest panic for mistakes in a test.
func (s *Server) mustFind(customerID string) *customer {
	c, err := s.living(customerID, "customer")
	if err != nil {
		panic("stripetest: " + err.Error())
	}
	return c
}

func (s *Server) latest(customerID string) *subscription {
	for _, sub := range slices.Backward(s.subscriptions) {
		if sub.Customer == ref(customerID) {
			return sub
		}
	}
	panic(fmt.Sprintf("stripetest: customer %q has no subscription", customerID))
}

func (s *Server) priceByKey(key string) (*price, error) {
	i := slices.IndexFunc(s.prices, func(p *price) bool { return p.LookupKey == ref(key) && p.Active })
	if i < 0 {
		return nil, missing("price", key, "lookup_key")
	}
	return s.prices[i], nil
}

// schedulePrice starts another price with the next period.
func (s *Server) schedulePrice(sub *subscription, to *price) {
	of, ok := find(s.schedules, string(sub.Schedule))
	if !ok {
		of = s.follow(sub)
	}
	at := slices.IndexFunc(of.Phases, func(p *phase) bool { return p.span == *of.CurrentPhase })
	now := of.Phases[at]
	next := &phase{span{now.EndDate, now.EndDate.months(to.months())}, []phaseItem{{ref(to.ID), 1}}, prorateNot}
	of.Phases = []*phase{now, next}
	s.emit("subscription_schedule.updated", of)
}
