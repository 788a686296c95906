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
	// Silent is what people read while Stripe does not answer.
	Silent    = "Stripe does not answer. Try again in a minute."
	busyPause = time.Minute
)

// refusal is an error of Stripe's without its message, which may hold a part of
// the key or an address.
type refusal struct {
	status             int
	kind               stripe.ErrorType
	code               stripe.ErrorCode
	parameter, request string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("stripe: status %d, type %q, code %q, parameter %q, request %q", r.status, r.kind, r.code, r.parameter, r.request)
}

// failure makes a fault of what a call failed with.
func failure(err error) error {
	var answer *stripe.Error
	if !errors.As(err, &answer) {
		return fault.Wrap(fault.Upstream, withoutAddress(err), Silent)
	}
	cause := &refusal{
		status: answer.HTTPStatusCode, kind: answer.Type, code: answer.Code,
		parameter: answer.Param, request: answer.RequestID,
	}
	switch {
	case cause.status == http.StatusForbidden:
		return fault.Wrap(fault.Unavailable, cause, "The key of this server lacks a right at Stripe. Its operator has to run: parley doctor")
	case cause.status == http.StatusUnauthorized:
		return fault.Wrap(fault.Unavailable, cause, "Stripe does not take the key of this server. Its operator has to check STRIPE_SECRET_KEY.")
	case cause.status == http.StatusTooManyRequests:
		busy := fault.Wrap(fault.Unavailable, cause, "Stripe is busy. Try again in a minute.")
		busy.RetryAfter = busyPause
		return busy
	case cause.status >= http.StatusInternalServerError:
		return fault.Wrap(fault.Upstream, cause, Silent)
	}
	return fault.Wrap(fault.Upstream, cause, "Stripe refused the request. Try again later; if it stays so, tell the operator.")
}

// withoutAddress leaves out the address of the call, which names the customer,
// and any part of an answer that is none of Stripe's.
func withoutAddress(err error) error {
	var failed *url.Error
	switch {
	case errors.As(err, &failed):
		return failed.Err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	}
	return errors.New("stripe: the answer cannot be read")
}

// Missing reports whether Stripe does not have what was asked for.
func Missing(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && (cause.status == http.StatusNotFound || cause.code == stripe.ErrorCodeResourceMissing)
}

// MissingCustomer is missing for the customer that a request names.
func MissingCustomer(err error) bool {
	var cause *refusal
	return Missing(err) && errors.As(err, &cause) && cause.parameter == "customer"
}

// Refused reports whether Stripe understood a request and does not do it.
func Refused(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && (cause.status == http.StatusBadRequest || cause.status == http.StatusNotFound)
}

// Away reports whether a failure is of a kind that says that Stripe, the key or
// the database does not work. What Stripe refuses of one customer is none.
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
