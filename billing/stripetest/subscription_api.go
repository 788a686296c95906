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
	case sub.Schedule != "" && (p.has("cancel_at_period_end") || p.has("cancel_at")):
		return nil, invalid("cancel_at_period_end", "The subscription is managed by the subscription schedule `%s`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.", sub.Schedule)
	}
	if p.has("default_payment_method") {
		s.know(p.get("default_payment_method"))
		sub.DefaultPaymentMethod = ref(p.get("default_payment_method"))
	}
	if err := s.changeItems(sub, p); err != nil {
		return nil, err
	}
	sub.Metadata = p.mergeMetadata(sub.Metadata)
	s.changeEnd(sub, p)
	s.emit("customer.subscription.updated", sub)
	if p.get("trial_end") == "now" && sub.Status == trialing {
		s.endTrial(sub)
	}
	return sub, nil
}

// changeEnd sets when a subscription ends, if the parameters say so.
func (s *Server) changeEnd(sub *subscription, p params) {
	switch {
	case p.has("cancel_at_period_end"):
		sub.CancelAtPeriodEnd, sub.CancelAt, sub.CanceledAt = p.yes("cancel_at_period_end"), 0, 0
		if sub.CancelAtPeriodEnd {
			sub.CancelAt, sub.CanceledAt = sub.CurrentPeriodEnd, s.moment()
		}
	case p.has("cancel_at"):
		sub.CancelAtPeriodEnd, sub.CancelAt, sub.CanceledAt = false, p.moment("cancel_at"), 0
		if sub.CancelAt != 0 {
			sub.CanceledAt = s.moment()
		}
	}
}

func (s *Server) changeItems(sub *subscription, p params) error {
	for _, change := range p.hashes("items") {
		if !change.has("price") {
			continue
		}
		if change.get("id") != sub.Items.Data[0].ID {
			return invalid("items", "This Stripe knows subscriptions to one price: name the item whose price changes.")
		}
		to, err := s.price(change.get("price"), "items[0][price]")
		if err != nil {
			return err
		}
		if err := s.changePriceOf(sub, to, p.get("proration_behavior"), p.get("payment_behavior")); err != nil {
			return err
		}
	}
	return nil
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
