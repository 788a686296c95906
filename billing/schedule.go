package billing

import (
	"context"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/setup"
	"parley/billing/stripeapi"
	"parley/core/plan"
	"parley/core/subscription"
)

// nextPlan returns the plan to which a schedule changes a subscription, and when. It is the same
// plan if only the interval changes.
func (s *Service) nextPlan(ctx context.Context, chosen candidate, billed subscription.Billed) (plan.Name, *time.Time, error) {
	phase := s.nextPhase(chosen.subscription.Schedule)
	if phase == nil {
		return "", nil, nil
	}
	for _, item := range phase.Items {
		if item.Price == nil || chosen.item != nil && chosen.item.Price != nil && item.Price.ID == chosen.item.Price.ID {
			continue
		}
		price, err := s.getPrice(ctx, item.Price.ID) // a schedule has only its id
		if err != nil {
			return "", nil, err
		}
		name, ok, err := s.planOf(ctx, price)
		if err != nil {
			return "", nil, err
		}
		if ok && (name != billed.Plan || setup.IntervalOf(price) != billed.Interval) {
			return name, stripeapi.Moment(phase.StartDate), nil
		}
	}
	return "", nil, nil
}

// nextPhase returns the phase after the current one, or after now.
func (s *Service) nextPhase(schedule *stripe.SubscriptionSchedule) *stripe.SubscriptionSchedulePhase {
	if !scheduled(schedule) {
		return nil
	}
	after := s.now().Unix()
	if schedule.CurrentPhase != nil {
		after = schedule.CurrentPhase.EndDate - 1
	}
	for _, phase := range schedule.Phases {
		if phase.StartDate > after {
			return phase
		}
	}
	return nil
}

// scheduled reports whether a schedule still has an effect.
func scheduled(schedule *stripe.SubscriptionSchedule) bool {
	return schedule != nil && (schedule.Status == stripe.SubscriptionScheduleStatusActive || schedule.Status == stripe.SubscriptionScheduleStatusNotStarted)
}
