package billing

import (
	"context"
	"log/slog"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/billing/notice"
	"parley/core/audit"
)

// receiveTimeout bounds the handling of one event. Stripe does not wait much longer.
const receiveTimeout = 30 * time.Second

// Receive handles what Stripe sent to the webhook: the body as it came, and the
// header Stripe-Signature. It returns nil once the effect is stored, and for
// events that concern nobody here. It is Invalid if Stripe did not sign the body
// within the last five minutes, TooLarge above [notice.MaxEvent], and otherwise a
// failure after which Stripe should send the event again.
func (s listener) Receive(ctx context.Context, body []byte, signature string) error {
	ctx, cancel := context.WithTimeout(ctx, receiveTimeout)
	defer cancel()
	e, err := notice.Verify(body, signature, s.config.WebhookSecret, s.now())
	if err != nil {
		s.observer.Event(notice.OtherKind, Refused)
		return err
	}
	if e.APIVersion != stripe.APIVersion {
		s.alarm(APIVersion, slog.String("event", e.ID), slog.String("version", e.APIVersion))
	}
	h := notice.Of(e)
	outcome, err := s.handle(audit.As(ctx, audit.Stripe), h)
	s.observer.Event(h.Label(), outcome)
	return err
}
