package billing

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/stripe/stripe-go/v76"
	stripesub "github.com/stripe/stripe-go/v76/subscription"

	"parley/billing/setup"
	"parley/billing/stripeapi"
	"parley/core/plan"
	"parley/core/subscription"
)

// billed translates a subscription. Everything comes from Stripe's current state, so
// that earlier events do not matter; only the plan of an unknown price stays as it was.
func (s *Service) billed(ctx context.Context, known subscription.Subscription, chosen candidate) (subscription.Billed, error) {
	found := chosen.subscription
	billed := subscription.Billed{
		ID: found.ID, Status: chosen.status(), Plan: plan.Higher(chosen.plan, plan.Free),
		Interval: setup.IntervalOf(chosen.price()), TrialEnd: stripeapi.Moment(found.TrialEnd),
	}
	billed.Amount, billed.Currency = chosen.costs()
	if billed.Status.Terminal() {
		return s.ended(ctx, known, found, billed)
	}
	var err error
	if billed.PeriodEnd, err = s.periodEnd(ctx, found); err != nil {
		return billed, err
	}
	billed.EndsAt = endsAt(found, billed.PeriodEnd)
	if billed.PastDueSince, billed.InvoiceURL, err = s.overdue(ctx, known, found); err != nil {
		return billed, err
	}
	billed.NextPlan, billed.NextAt, err = s.nextPlan(ctx, chosen, billed)
	return billed, err
}

// ended adds when a subscription ended and, if it ended because nobody paid, since when
// the payment was due.
func (s *Service) ended(ctx context.Context, known subscription.Subscription, found *stripe.Subscription, billed subscription.Billed) (_ subscription.Billed, err error) {
	billed.EndsAt = stripeapi.Moment(found.EndedAt)
	if why := found.CancellationDetails; why == nil || why.Reason != stripe.SubscriptionCancellationDetailsReasonPaymentFailed {
		return billed, nil
	}
	billed.PastDueSince, _, err = s.openInvoices(ctx, known, found)
	return billed, err
}

// lastPlan returns the plan that stays with a subscription whose price is not one of ours:
// whoever has paid is not locked out because somebody changed to a price that was created
// by hand. What the subscription does not give now it does not bring back, and a
// subscription to something else gives nothing, whatever an earlier one gave.
func (s *Service) lastPlan(known subscription.Subscription, c candidate) plan.Name {
	last := known.Access.Plan
	switch until := known.Access.Until; {
	case c.status().Terminal():
		last = known.Plan // it says what has ended
	case known.UnverifiedUntil != nil && certainty(known.Status) > certainty(plan.Unpaid):
		last = known.Plan // only Stripe was missing
	case until != nil && !s.now().Before(*until):
		last = ""
	}
	if !c.status().Terminal() {
		s.alarm(UnknownPrice, slog.String("workspace", known.WorkspaceID), slog.String("subscription", c.subscription.ID))
	}
	if known.ID != c.subscription.ID || !last.Above(plan.Free) {
		return ""
	}
	return last
}

// periodEnd returns when the next payment is due. Newer versions of Stripe's API have it
// only in the items, which this version of stripe-go does not read.
func (s *Service) periodEnd(ctx context.Context, found *stripe.Subscription) (*time.Time, error) {
	if found.CurrentPeriodEnd != 0 {
		return stripeapi.Moment(found.CurrentPeriodEnd), nil
	}
	client := stripesub.Client{B: s.api.Backend, Key: s.api.Key}
	again, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Subscription, error) {
		params := &stripe.SubscriptionParams{}
		params.Context = ctx
		return client.Get(found.ID, params)
	})
	if err != nil {
		return nil, err
	}
	return itemsPeriodEnd(again.LastResponse.RawJSON), nil
}

func itemsPeriodEnd(raw []byte) *time.Time {
	var body struct {
		Items struct {
			Data []struct {
				CurrentPeriodEnd int64 `json:"current_period_end"`
			} `json:"data"`
		} `json:"items"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil
	}
	var end int64
	for _, item := range body.Items.Data {
		end = max(end, item.CurrentPeriodEnd)
	}
	return stripeapi.Moment(end)
}

// endsAt returns when a subscription ends if nobody does anything.
func endsAt(found *stripe.Subscription, periodEnd *time.Time) *time.Time {
	switch {
	case found.CancelAt != 0:
		return stripeapi.Moment(found.CancelAt)
	case found.CancelAtPeriodEnd:
		return periodEnd
	case scheduled(found.Schedule) && found.Schedule.EndBehavior == stripe.SubscriptionScheduleEndBehaviorCancel && len(found.Schedule.Phases) > 0:
		return stripeapi.Moment(found.Schedule.Phases[len(found.Schedule.Phases)-1].EndDate)
	}
	return nil
}
