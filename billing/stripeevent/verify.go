package stripeevent

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhook"

	"parley/core/fault"
)

const (
	// MaxEvent bounds the body of a webhook, in bytes.
	MaxEvent = 512 << 10
	// Tolerance is how far the time in a signature may be from now, before or
	// after: https://docs.stripe.com/webhooks#replay-attacks
	Tolerance = 300 * time.Second
	// MaxID is the length of the longest identifier that is stored.
	MaxID = 255
)

// ErrSignature is the cause of the fault of an event without a current signature by Stripe.
var ErrSignature = errors.New("not signed by Stripe")

// Verify reads an event that Stripe signed just now. It accepts other API versions, because
// only the identifiers are used.
func Verify(body []byte, signature, secret string, now time.Time) (*stripe.Event, error) {
	if secret == "" { // every signature would match an empty secret
		return nil, fault.New(fault.Unavailable, "Webhooks are not set up here. Ask the operator of this server to set STRIPE_WEBHOOK_SECRET.").ForOperator()
	}
	if len(body) > MaxEvent {
		return nil, fault.New(fault.TooLarge, "The event is larger than %d KiB.", MaxEvent>>10)
	}
	e, err := webhook.ConstructEventWithOptions(body, signature, secret, webhook.ConstructEventOptions{
		IgnoreTolerance: true, IgnoreAPIVersionMismatch: true, // checked here; also refuses times in the future
	})
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, ErrSignature, "The signature is not Stripe's. Check STRIPE_WEBHOOK_SECRET.")
	}
	if now.Sub(signedAt(signature)).Abs() > Tolerance {
		return nil, fault.Wrap(fault.Invalid, ErrSignature, "The signature is too old or from the future. Check this server's clock.")
	}
	if e.ID == "" || len(e.ID) > MaxID {
		return nil, fault.New(fault.Invalid, "The event has no usable id.")
	}
	return &e, nil
}

// signedAt returns the time in a verified signature: the last one, as in package webhook.
func signedAt(signature string) time.Time {
	var at time.Time
	for pair := range strings.SplitSeq(signature, ",") {
		if value, ok := strings.CutPrefix(pair, "t="); ok {
			seconds, _ := strconv.ParseInt(value, 10, 64) // a verified signature has only numbers
			at = time.Unix(seconds, 0)
		}
	}
	return at
}
