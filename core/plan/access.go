package plan

import "time"

// Status is that of a subscription, as Stripe names it:
// https://docs.stripe.com/api/subscriptions/object#subscription_object-status
type Status string

// The statuses. Stripe may add others.
const (
	// None is that of a workspace which never subscribed.
	None              Status = ""
	Trialing          Status = "trialing"
	Active            Status = "active"
	PastDue           Status = "past_due"
	Incomplete        Status = "incomplete"
	IncompleteExpired Status = "incomplete_expired"
	Unpaid            Status = "unpaid"
	Canceled          Status = "canceled"
	Paused            Status = "paused"
)

// Terminal reports whether a subscription of this status never changes again.
func (s Status) Terminal() bool { return s == Canceled || s == IncompleteExpired }

// Standing is what access depends on.
type Standing struct {
	Status Status
	// Plan is what is subscribed to. One that is no plan of ours is as unknown
	// as a status that is none.
	Plan Name
	// PastDueSince is when a payment first failed, if one is due.
	PastDueSince *time.Time
	// EndsAt is when the subscription ends, if that is known.
	EndsAt *time.Time
	// UnverifiedUntil is when access ends because Stripe cannot be asked any
	// more; nil while it can.
	UnverifiedUntil *time.Time
}

// Access is the plan that a standing gives.
type Access struct {
	Plan Name
	// Until is when that ends by itself, and [Free] begins; nil if never.
	Until *time.Time
	// Unknown says that the rule does not know the status or the plan. The
	// access is then the last known one, and somebody should look.
	Unknown bool
}

// Access is the one rule from a subscription's state to a plan. Last is the
// access before, and grace how long a failed payment is waited for.
func (s Standing) Access(last Access, grace time.Duration, now time.Time) Access {
	access := s.promised(last, grace)
	if s.UnverifiedUntil != nil && access.Plan.Above(Free) {
		access.Until = earlier(access.Until, *s.UnverifiedUntil)
	}
	if access.Until != nil && !now.Before(*access.Until) {
		return Access{Plan: Free, Unknown: access.Unknown}
	}
	return access
}

// promised is the access before it is asked whether it has ended already.
func (s Standing) promised(last Access, grace time.Duration) Access {
	until := s.EndsAt
	switch s.Status {
	case Trialing, Active:
	case PastDue:
		if s.PastDueSince != nil {
			until = earlier(until, s.PastDueSince.Add(grace))
		}
	case None, Incomplete, IncompleteExpired, Unpaid, Canceled, Paused:
		return Access{Plan: Free}
	default:
		return unknown(last)
	}
	if !s.Plan.known() {
		return unknown(last)
	}
	return Access{Plan: s.Plan, Until: until}
}

// unknown keeps the access that there was. Nobody who may have paid loses it.
func unknown(last Access) Access {
	return Access{Plan: Higher(last.Plan, Free), Until: last.Until, Unknown: true}
}

func earlier(a *time.Time, b time.Time) *time.Time {
	if a != nil && a.Before(b) {
		return a
	}
	return &b
}
