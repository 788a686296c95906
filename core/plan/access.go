package plan

import "time"

// Status is the status of a subscription in Stripe's terms:
// https://docs.stripe.com/api/subscriptions/object#subscription_object-status
type Status string

// The statuses. Stripe may add others.
const (
	// None is the status of a workspace that never subscribed.
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

// Terminal reports whether a subscription with this status never changes again.
func (s Status) Terminal() bool { return s == Canceled || s == IncompleteExpired }

// Standing is the state of a subscription that access depends on.
type Standing struct {
	Status Status
	// Plan is the plan subscribed to. A plan that we do not have is treated like
	// an unknown status.
	Plan Name
	// PastDueSince is when a payment first failed, if one is overdue.
	PastDueSince *time.Time
	// EndsAt is when the subscription ends, if known.
	EndsAt *time.Time
	// UnverifiedUntil is when access ends because Parley can no longer ask
	// Stripe; nil while it can.
	UnverifiedUntil *time.Time
}

// Access is the plan to which a standing entitles.
type Access struct {
	Plan Name
	// Until is when the access ends and [Free] begins; nil if never.
	Until *time.Time
	// Unknown says that the rule does not know the status or the plan. The last
	// known access then continues, and an operator should look into it.
	Unknown bool
}

// Access is the one rule that turns a subscription's state into a plan. Last is the
// previous access, and grace how long to wait for a failed payment.
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

// promised returns the access without checking whether it has already ended.
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

// unknown keeps the last access. Nobody who may have paid loses it.
func unknown(last Access) Access {
	return Access{Plan: Higher(last.Plan, Free), Until: last.Until, Unknown: true}
}

func earlier(a *time.Time, b time.Time) *time.Time {
	if a != nil && a.Before(b) {
		return a
	}
	return &b
}
