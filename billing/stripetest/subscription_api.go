package stripetest

import "slices"

const momentOfDay = moment(24 * 60 * 60)

func (s *Server) listSubscriptions(r *Request) (any, error) {
	p := r.params()
	if id := p.get("customer"); id != "" {
		if _, ok := find(s.customers, id); !ok {
			return nil, missing("customer", id, "customer")
		}
	}
	return page(r, s.subscriptions, func(sub *subscription) bool {
		return p.is("customer", string(sub.Customer)) && sub.listed(p.get("status")) && p.is("price", sub.price().ID) && p.within("created", sub.Created)
	})
}

func (sub *subscription) listed(status string) bool {
	switch status {
	case "all":
		return true
	case "":
		return sub.Status != canceled
	case "ended":
		return sub.over()
	}
	return sub.Status == status
}

func (s *Server) updateSubscription(r *Request) (any, error) {
	sub, err := s.subscription(r.id, "")
	if err != nil {
		return nil, err
	}
	p := r.params()
	switch {
	case sub.over() && slices.ContainsFunc(p.keys(), func(key string) bool { return key != "metadata" && key != "expand" }):
		return nil, invalid("", "A canceled subscription can only update its cancellation_details and metadata.")
	case sub.Schedule != "" && p.has("cancel_at_period_end"):
		return nil, invalid("cancel_at_period_end", "The subscription is managed by the subscription schedule `%s`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.", sub.Schedule)
	}
	if p.has("default_payment_method") {
		s.know(p.get("default_payment_method"))
		sub.DefaultPaymentMethod = ref(p.get("default_payment_method"))
	}
	sub.Metadata = p.mergeMetadata(sub.Metadata)
	s.changeEnd(sub, p)
	s.emit("customer.subscription.updated", sub)
	if p.get("trial_end") == "now" && sub.Status == trialing {
		s.endTrial(sub)
	}
	return sub, nil
}

// changeEnd sets whether a subscription ends with its period, if the parameters say so.
func (s *Server) changeEnd(sub *subscription, p params) {
	if !p.has("cancel_at_period_end") {
		return
	}
	sub.CancelAtPeriodEnd, sub.CancelAt, sub.CanceledAt = p.yes("cancel_at_period_end"), 0, 0
	if sub.CancelAtPeriodEnd {
		sub.CancelAt, sub.CanceledAt = sub.CurrentPeriodEnd, s.moment()
	}
}

// cancelSubscription does not find a subscription that has ended, as Stripe does
// not either.
func (s *Server) cancelSubscription(r *Request) (any, error) {
	sub, err := s.subscription(r.id, "")
	if err != nil {
		return nil, err
	}
	if sub.over() {
		return nil, missing("subscription", r.id, "")
	}
	if sub.Status == incomplete {
		s.expire(sub)
	} else {
		s.cancel(sub)
	}
	return sub, nil
}
