package stripetest

import (
	"fmt"
	"slices"
)

func (s *Server) createSchedule(r *Request) (any, error) {
	p := r.params()
	if !p.has("from_subscription") {
		return nil, invalid("from_subscription", "This Stripe makes schedules from subscriptions only.")
	}
	sub, err := s.subscription(p.get("from_subscription"), "from_subscription")
	switch {
	case err != nil:
		return nil, err
	case sub.over():
		return nil, invalid("from_subscription", "You cannot migrate a subscription that is already canceled.")
	case sub.Schedule != "":
		return nil, invalid("from_subscription", "You cannot migrate a subscription that is already attached to a schedule: `%s`.", sub.Schedule)
	}
	made := s.follow(sub)
	made.Metadata = p.mergeMetadata(nil)
	return made, nil
}

func (s *Server) updateSchedule(r *Request) (any, error) {
	found, err := s.scheduleThatRuns(r.id)
	if err != nil {
		return nil, err
	}
	p := r.params()
	var phases []*phase
	for i, wanted := range p.hashes("phases") {
		made, err := s.phaseOf(wanted, fmt.Sprintf("phases[%d]", i), phases)
		if err != nil {
			return nil, err
		}
		phases = append(phases, made)
	}
	if len(phases) > 0 {
		found.Phases = phases
		now := phases[max(0, slices.IndexFunc(phases, func(p *phase) bool { return p.StartDate <= s.moment() && s.moment() < p.EndDate }))].span
		found.CurrentPhase = &now
	}
	found.Metadata = p.mergeMetadata(found.Metadata)
	s.emit("subscription_schedule.updated", found)
	return found, nil
}

// phaseOf reads a phase that begins where the one before ends.
func (s *Server) phaseOf(p params, param string, before []*phase) (*phase, error) {
	items := p.hashes("items")
	if len(items) != 1 {
		return nil, invalid(param+"[items]", "This Stripe knows subscriptions to one price.")
	}
	of, err := s.price(items[0].get("price"), param+"[items][0][price]")
	if err != nil {
		return nil, err
	}
	made := &phase{span{p.moment("start_date"), p.moment("end_date")}, []phaseItem{{ref(of.ID), 1}}, p.get("proration_behavior")}
	if len(before) > 0 {
		made.StartDate = before[len(before)-1].EndDate
	}
	if made.EndDate == 0 {
		made.EndDate = made.StartDate.months(of.months() * max(1, int(p.number("iterations"))))
	}
	if made.StartDate == 0 || made.EndDate <= made.StartDate {
		return nil, invalid(param+"[end_date]", "The end date of a phase must be after its start date.")
	}
	return made, nil
}

func (s *Server) listSchedules(r *Request) (any, error) {
	return page(r, s.schedules, func(found *schedule) bool { return r.params().is("customer", string(found.Customer)) })
}

func (s *Server) scheduleThatRuns(id string) (*schedule, error) {
	found, err := s.schedule(id)
	if err == nil && found.Status != active {
		return nil, invalid("", "You cannot change a subscription schedule that is currently in the `%s` status.", found.Status)
	}
	return found, err
}

func (s *Server) releaseSchedule(r *Request) (any, error) {
	found, err := s.scheduleThatRuns(r.id)
	if err != nil {
		return nil, err
	}
	s.release(found)
	return found, nil
}

// cancelSchedule ends the subscription, too.
func (s *Server) cancelSchedule(r *Request) (any, error) {
	found, err := s.scheduleThatRuns(r.id)
	if err != nil {
		return nil, err
	}
	sub, _ := find(s.subscriptions, string(found.Subscription))
	s.cancel(sub)
	return found, nil
}
