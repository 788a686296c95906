package billing

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhook"

	"parley/core/audit"
	"parley/core/fault"
)

const (
	// MaxEvent bounds the body of a webhook, in bytes.
	MaxEvent = 512 << 10
	// tolerance is how far the time in a signature may be from now, before or
	// after: https://docs.stripe.com/webhooks#replay-attacks
	tolerance = 300 * time.Second
	// receiveTimeout bounds the handling of one event, of which Stripe waits for
	// the end not much longer.
	receiveTimeout = 30 * time.Second
	// maxID is the length of the longest identifier that is stored.
	maxID = 255
)

// ErrSignature is the cause of the fault of an event that Stripe did not sign
// just now.
var ErrSignature = errors.New("not signed by Stripe")

// Receive handles what Stripe sent to the webhook: the body as it came, and the
// header Stripe-Signature. It returns nil once the effect is stored, and for
// events that concern nobody here. It is Invalid for what Stripe did not sign
// or not within five minutes, TooLarge above [MaxEvent], and otherwise a
// failure after which Stripe should send the event again.
func (s *Service) Receive(ctx context.Context, body []byte, signature string) error {
	ctx, cancel := context.WithTimeout(ctx, receiveTimeout)
	defer cancel()
	e, err := s.verify(body, signature)
	if err != nil {
		s.observer.Event(otherKind, Refused)
		return err
	}
	if e.APIVersion != stripe.APIVersion {
		s.alarm(APIVersion, slog.String("event", e.ID), slog.String("version", e.APIVersion))
	}
	h := hintOf(e)
	outcome, err := s.handle(audit.As(ctx, audit.Stripe), h)
	s.observer.Event(h.label(), outcome)
	return err
}

// verify reads an event that Stripe signed just now. An event of another API
// version will do: only its identifiers are used.
func (s *Service) verify(body []byte, signature string) (*stripe.Event, error) {
	if s.config.WebhookSecret == "" { // with which every signature would be right
		return nil, fault.New(fault.Unavailable, "Webhooks are not set up here. The operator has to set STRIPE_WEBHOOK_SECRET.")
	}
	if len(body) > MaxEvent {
		return nil, fault.New(fault.TooLarge, "The event is larger than %d KiB.", MaxEvent>>10)
	}
	e, err := webhook.ConstructEventWithOptions(body, signature, s.config.WebhookSecret, webhook.ConstructEventOptions{
		IgnoreTolerance: true, IgnoreAPIVersionMismatch: true, // both are checked here, the time also against the future
	})
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, ErrSignature, "The signature is not Stripe's. Check STRIPE_WEBHOOK_SECRET.")
	}
	if s.now().Sub(signedAt(signature)).Abs() > tolerance {
		return nil, fault.Wrap(fault.Invalid, ErrSignature, "The signature is too old, or from the future. Check this server's clock.")
	}
	if e.ID == "" || len(e.ID) > maxID {
		return nil, fault.New(fault.Invalid, "The event has no usable id.")
	}
	return &e, nil
}

// signedAt is the time in a signature that was found right: the last one, as in
// package webhook.
func signedAt(signature string) time.Time {
	var at time.Time
	for pair := range strings.SplitSeq(signature, ",") {
		if value, ok := strings.CutPrefix(pair, "t="); ok {
			seconds, _ := strconv.ParseInt(value, 10, 64) // a right signature has numbers only
			at = time.Unix(seconds, 0)
		}
	}
	return at
}
