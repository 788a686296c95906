// Package stripeevent reads the events that Stripe sends to the webhook: whether Stripe
// signed an event just now, and whom it is about.
//
// It does not own the consequences of an event (package billing).
package stripeevent

import (
	"strings"

	"github.com/stripe/stripe-go/v76"
)

// families lists the prefixes of the types of events after which a subscription may differ.
var families = []string{"checkout.session.", "customer.subscription.", "customer.deleted", "invoice.", "subscription_schedule.", chargeRefunded, refundUpdated, disputeFamily}

const (
	// OtherKind is the label of events that concern no workspace.
	OtherKind       = "other"
	customerDeleted = "customer.deleted"
	// maxKind is the length of the longest type of event that is stored.
	maxKind = 100
)

// Event is what Parley uses of an event.
type Event struct {
	ID, Kind string
	// Customer is the customer that it is about, or empty.
	Customer string
	// Reversed is the refunded or disputed charge; its customer is looked up.
	Reversed Reversed
}

// Of reads an event.
func Of(sent *stripe.Event) Event {
	e := Event{ID: sent.ID, Kind: string(sent.Type), Customer: concerned(sent), Reversed: reversedBy(sent)}
	if e.Reversed.Any() {
		e.Customer = ""
	}
	if len(e.Kind) > maxKind {
		e.Kind = OtherKind
	}
	return e
}

func ours(kind string) bool {
	for _, family := range families {
		if strings.HasPrefix(kind, family) {
			return true
		}
	}
	return false
}

// Label returns the type of the event for metrics.
func (e Event) Label() string {
	if ours(e.Kind) {
		return e.Kind
	}
	return OtherKind
}

// concerned returns the customer that an event is about, or "".
func concerned(e *stripe.Event) string {
	if !ours(string(e.Type)) || e.Data == nil {
		return ""
	}
	named := e.Data.Object["customer"]
	if e.Type == customerDeleted {
		named = e.Data.Object["id"]
	}
	return IDOf(named)
}

// IDOf returns the id of an object in an event, which may be expanded, or "".
func IDOf(named any) string {
	if whole, ok := named.(map[string]any); ok {
		named = whole["id"]
	}
	id, _ := named.(string)
	if len(id) > MaxID {
		return ""
	}
	return id
}
