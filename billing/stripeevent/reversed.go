package stripeevent

import (
	"strings"

	"github.com/stripe/stripe-go/v76"
)

// The events about refunds and disputes.
const (
	chargeRefunded = "charge.refunded"
	refundUpdated  = "charge.refund.updated"
	disputeFamily  = "charge.dispute."
)

// Reversed is the charge or the dispute that an event is about; both are empty for other
// events.
type Reversed struct{ Charge, Dispute string }

// Any reports whether there is one.
func (r Reversed) Any() bool { return r.Charge != "" || r.Dispute != "" }

func reversedBy(e *stripe.Event) Reversed {
	if e.Data == nil {
		return Reversed{}
	}
	switch kind := string(e.Type); {
	case kind == chargeRefunded:
		return Reversed{Charge: IDOf(e.Data.Object["id"])}
	case kind == refundUpdated:
		return Reversed{Charge: IDOf(e.Data.Object["charge"])}
	case strings.HasPrefix(kind, disputeFamily):
		return Reversed{Dispute: IDOf(e.Data.Object["id"])}
	}
	return Reversed{}
}
