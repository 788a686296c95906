package stripeapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/core/fault"
)

const (
	// Silent is the message while Stripe does not answer.
	Silent    = "Stripe does not answer. Try again in a minute."
	busyPause = time.Minute
)

// refusal is an error of Stripe's without its message, which may contain a part of the key or
// an address.
type refusal struct {
	status             int
	kind               stripe.ErrorType
	code               stripe.ErrorCode
	parameter, request string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("stripe: status %d, type %q, code %q, parameter %q, request %q", r.status, r.kind, r.code, r.parameter, r.request)
}

// failure converts an error of a call to a fault.
func failure(err error) error {
	var answer *stripe.Error
	if !errors.As(err, &answer) {
		return fault.Wrap(fault.Upstream, withoutAddress(err), Silent).ForOperator()
	}
	cause := &refusal{
		status: answer.HTTPStatusCode, kind: answer.Type, code: answer.Code,
		parameter: answer.Param, request: answer.RequestID,
	}
	switch {
	case cause.status == http.StatusForbidden:
		return fault.Wrap(fault.Unavailable, cause, "This server's key lacks a permission at Stripe. Ask its operator to run parley doctor.").ForOperator()
	case cause.status == http.StatusUnauthorized:
		return fault.Wrap(fault.Unavailable, cause, "Stripe rejects this server's key. Ask its operator to check STRIPE_SECRET_KEY.").ForOperator()
	case cause.status == http.StatusTooManyRequests:
		busy := fault.Wrap(fault.Unavailable, cause, "Stripe is busy. Try again in a minute.")
		busy.RetryAfter = busyPause
		return busy
	case cause.status >= http.StatusInternalServerError:
		return fault.Wrap(fault.Upstream, cause, Silent).ForOperator()
	}
	return fault.Wrap(fault.Upstream, cause, "Stripe refused the request. Try again later. If that does not help, tell the operator of this server.").ForOperator()
}

// withoutAddress removes the address of the call, which names the customer, and any part of a
// response that is not Stripe's.
func withoutAddress(err error) error {
	var failed *url.Error
	switch {
	case errors.As(err, &failed):
		return failed.Err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	}
	return errors.New("stripe: cannot read the response")
}

// Missing reports whether Stripe does not have the requested object.
func Missing(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && (cause.status == http.StatusNotFound || cause.code == stripe.ErrorCodeResourceMissing)
}

// MissingCustomer is Missing for the customer that a request names.
func MissingCustomer(err error) bool {
	var cause *refusal
	return Missing(err) && errors.As(err, &cause) && cause.parameter == "customer"
}

// Refused reports whether Stripe understood a request but refused it.
func Refused(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && (cause.status == http.StatusBadRequest || cause.status == http.StatusNotFound)
}

// Away reports whether Stripe, the key or the database does not work. A refusal about one
// customer does not count.
func Away(err error) bool {
	var cause *refusal
	if errors.As(err, &cause) {
		switch cause.status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
			return true
		}
		return cause.status >= http.StatusInternalServerError
	}
	return fault.Is(err, fault.Upstream) || fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Internal)
}

// Busy reports whether Stripe had too many requests.
func Busy(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && cause.status == http.StatusTooManyRequests
}

// Forbidden reports whether the key lacks a right.
func Forbidden(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && cause.status == http.StatusForbidden
}

// Unauthorized reports whether Stripe does not know the key.
func Unauthorized(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && cause.status == http.StatusUnauthorized
}
