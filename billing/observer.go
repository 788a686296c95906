package billing

import "log/slog"

// Observer receives what happens, for metrics. Its arguments come from small fixed sets.
type Observer interface {
	// Event is called for each event that is received or caught up with. Kind is
	// Stripe's type, or "other"; outcome is one of the constants below.
	Event(kind, outcome string)
	// Corrected is called when a reconciliation changed a subscription that events
	// should have changed.
	Corrected()
	// Alarm is called for something that an operator should look into; reason is one
	// of the constants below.
	Alarm(reason string)
}

// The outcomes of an event.
const (
	// Applied says that the subscription has changed.
	Applied = "applied"
	// Unchanged says that Stripe was asked and nothing was new.
	Unchanged = "unchanged"
	// Duplicate is an event whose effect is stored already.
	Duplicate = "duplicate"
	// Ignored is an event that concerns no workspace.
	Ignored = "ignored"
	// Refused is a request without a current signature by Stripe.
	Refused = "refused"
	// Failed is an event that Stripe has to send again.
	Failed = "failed"
)

// Outcomes returns all outcomes of events.
func Outcomes() []string { return []string{Applied, Unchanged, Duplicate, Ignored, Refused, Failed} }

// The reasons of an alarm.
const (
	// TwoSubscriptions is a customer who pays for more than one.
	TwoSubscriptions = "two_subscriptions"
	// UnknownPrice is a subscription to something that is not a plan.
	UnknownPrice = "unknown_price"
	// UnknownStatus is a status that the rule of package plan does not know.
	UnknownStatus = "unknown_status"
	// MissingCustomer is a customer that Stripe does not know.
	MissingCustomer = "missing_customer"
	// OtherAccount is a customer of another Stripe account or mode than the key's.
	OtherAccount = "other_account"
	// Uncanceled is a deleted workspace for which somebody may still pay at another
	// Stripe.
	Uncanceled = "uncanceled"
	// MissingSubscription is a customer whose subscription no longer exists.
	MissingSubscription = "missing_subscription"
	// Refunded is a payment that was given back, in part or whole.
	Refunded = "refund"
	// Disputed is a payment that the payer's bank was asked to take back, and
	// DisputeLost one that it did take back.
	Disputed    = "dispute"
	DisputeLost = "dispute_lost"
	// APIVersion is an event of another API version than this program's, to which
	// the webhook endpoint should be pinned.
	APIVersion = "api_version"
)

// Nop is an observer that does nothing.
type Nop struct{}

// Event does nothing.
func (Nop) Event(string, string) {}

// Corrected does nothing.
func (Nop) Corrected() {}

// Alarm does nothing.
func (Nop) Alarm(string) {}

// Alarms returns all reasons of alarms.
func Alarms() []string {
	return []string{
		APIVersion, Disputed, DisputeLost, MissingCustomer, MissingSubscription, OtherAccount, Refunded, TwoSubscriptions, Uncanceled,
		UnknownPrice, UnknownStatus,
	}
}

// alarm tells the operator to look into something.
func (s *Service) alarm(reason string, about ...any) {
	s.observer.Alarm(reason)
	s.log.Error("billing: an operator should look into this", append([]any{slog.String("reason", reason)}, about...)...)
}
