package api

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/core/fault"
	"parley/internal/requestid"
)

// MaxWebhookBody is the limit of a webhook's body, in bytes.
const MaxWebhookBody = 512 << 10

// Billing takes what Stripe tells. It is Invalid when Stripe has not said it;
// any other failure means that Stripe should say it again.
type Billing interface {
	Receive(ctx context.Context, body []byte, signature string) error
}

var errNoBilling = fault.New(fault.NotFound, "This server does not take payments.")

// stripeWebhook takes what Stripe tells.
type stripeWebhook struct{ *API }

// receive takes an event of Stripe. Its success means that all that
// follows from the event is stored. The body is as it was sent, because the
// signature is of its bytes: https://docs.stripe.com/webhooks/signature
func (h stripeWebhook) receive(c *fiber.Ctx) error {
	if h.Billing == nil {
		return errNoBilling
	}
	if err := bodies.Read(c); err != nil {
		return err
	}
	body := c.Request().Body()
	err := h.Billing.Receive(c.UserContext(), body, c.Get("Stripe-Signature"))
	outcome := outcomeOf(err)
	h.Log.Info("event of Stripe", "request_id", requestid.Of(c), "bytes", len(body), "outcome", outcome)
	switch outcome {
	case "handled":
		return succeed(c, struct{}{})
	case "refused":
		return err
	}
	return askAgain(err)
}

// outcomeOf says in a word what became of an event.
func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "handled"
	case fault.Is(err, fault.Invalid), fault.Is(err, fault.TooLarge):
		return "refused"
	}
	return "failed"
}

// askAgain gives a failure a status of 500 or 503, after which Stripe sends the
// event again. What is wrong on this side is none of its business.
func askAgain(err error) error {
	kind := fault.Upstream
	if fault.Is(err, fault.Unavailable) {
		kind = fault.Unavailable
	}
	return &fault.Error{
		Kind: kind, Message: "The server could not process the event. Send it again.",
		RetryAfter: fault.As(err).RetryAfter, Cause: err,
	}
}
