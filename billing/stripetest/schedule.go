package stripetest

import "slices"

// schedule is https://docs.stripe.com/api/subscription_schedules/object.
type schedule struct {
	head
	Customer             ref               `json:"customer"`
	Subscription         ref               `json:"subscription"`
	ReleasedSubscription ref               `json:"released_subscription"`
	Status               string            `json:"status"`
	EndBehavior          string            `json:"end_behavior"`
	Phases               []*phase          `json:"phases"`
	CurrentPhase         *span             `json:"current_phase"`
	CanceledAt           moment            `json:"canceled_at"`
	ReleasedAt           moment            `json:"released_at"`
	CompletedAt          moment            `json:"completed_at"`
	Metadata             map[string]string `json:"metadata"`
}

type phase struct {
	span
	Items             []phaseItem `json:"items"`
	ProrationBehavior string      `json:"proration_behavior"`
}

type span struct {
	StartDate moment `json:"start_date"`
	EndDate   moment `json:"end_date"`
}

type phaseItem struct {
	Price    ref `json:"price"`
	Quantity int `json:"quantity"`
}

// follow gives a subscription a schedule whose first phase is its current period.
func (s *Server) follow(sub *subscription) *schedule {
	now := span{sub.CurrentPeriodStart, sub.CurrentPeriodEnd}
	made := &schedule{
		head: s.newHead("sub_sched", "subscription_schedule"), Customer: sub.Customer, Subscription: ref(sub.ID), Status: active,
		EndBehavior: "release", CurrentPhase: &now, Metadata: map[string]string{},
		Phases: []*phase{{now, []phaseItem{{ref(sub.price().ID), 1}}, "create_prorations"}},
	}
	s.schedules = append(s.schedules, made)
	s.byID[made.ID] = made
	sub.Schedule = ref(made.ID)
	s.emit("subscription_schedule.created", made)
	s.emit("customer.subscription.updated", sub)
	return made
}

// release ends the schedule and leaves the subscription as it is.
func (s *Server) release(of *schedule) {
	sub, _ := find(s.subscriptions, string(of.Subscription))
	of.Status, of.ReleasedAt, of.ReleasedSubscription, of.Subscription, of.CurrentPhase = "released", s.moment(), of.Subscription, "", nil
	sub.Schedule = ""
	s.emit("subscription_schedule.released", of)
	s.emit("customer.subscription.updated", sub)
}

// stepOfSchedule returns when the next phase begins or the last one ends.
func (s *Server) stepOfSchedule(of *schedule) step {
	if of.Status != active {
		return step{}
	}
	end := of.CurrentPhase.EndDate
	next := slices.IndexFunc(of.Phases, func(p *phase) bool { return p.StartDate >= end })
	if next < 0 {
		return step{end, func() { s.release(of) }}
	}
	return step{end, func() { s.enter(of, of.Phases[next]) }}
}

// enter begins a phase. If a period ends at the same time, the renewal that
// follows bills the price of the phase.
func (s *Server) enter(of *schedule, next *phase) {
	sub, _ := find(s.subscriptions, string(of.Subscription))
	now := next.span
	of.CurrentPhase = &now
	to, _ := find(s.prices, string(next.Items[0].Price))
	if s.moment() == sub.CurrentPeriodEnd && sub.price().months() == to.months() {
		sub.Items.Data[0].Price = to
	} else {
		_ = s.changePriceOf(sub, to, next.ProrationBehavior, "") // it was checked when it was scheduled
	}
	s.emit("subscription_schedule.updated", of)
	s.emit("customer.subscription.updated", sub)
}
