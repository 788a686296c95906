// Package notice reads what Stripe sends to the webhook: whether Stripe signed it
// just now, and whom it is about.
//
// It does not own what follows from an event (package billing).
package notice

import (
	"strings"

	"github.com/stripe/stripe-go/v76"
)

// families are the beginnings of the types of events after which a
// subscription may be another.
var families = []string{"checkout.session.", "customer.subscription.", "customer.deleted", "invoice.", "subscription_schedule.", chargeRefunded, refundUpdated, disputeFamily}

const (
	// OtherKind is the label of a type of events that concerns nobody here.
	OtherKind       = "other"
	customerDeleted = "customer.deleted"
	// maxKind is the length of the longest type of event that is stored.
	maxKind = 100
)

// Notice is what is taken from an event.
type Notice struct {
	ID, Kind string
	// Customer is the one that it is about, or empty.
	Customer string
	// Reversed is the money that went back, whose customer is asked for.
	Reversed Reversed
}

// Of reads an event.
func Of(e *stripe.Event) Notice {
	n := Notice{ID: e.ID, Kind: string(e.Type), Customer: concerned(e), Reversed: reversedBy(e)}
	if n.Reversed.Any() {
		n.Customer = ""
	}
	if len(n.Kind) > maxKind {
		n.Kind = OtherKind
	}
	return n
}

func ours(kind string) bool {
	for _, family := range families {
		if strings.HasPrefix(kind, family) {
			return true
		}
	}
	return false
}

// Label is the type of the event for metrics.
func (n Notice) Label() string {
	if ours(n.Kind) {
		return n.Kind
	}
	return OtherKind
}

// concerned is the customer that an event is about, or empty.
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

// IDOf is the id of an object of an event, which may be there whole; empty for
// what is none.
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
