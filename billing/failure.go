package billing

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
	silent    = "Stripe does not answer. Try again in a minute."
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
		return fault.Wrap(fault.Upstream, withoutAddress(err), silent)
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
		return fault.Wrap(fault.Upstream, cause, silent)
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

// missing reports whether Stripe does not have what was asked for.
func missing(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && (cause.status == http.StatusNotFound || cause.code == stripe.ErrorCodeResourceMissing)
}

// missingCustomer is missing for the customer that a request names.
func missingCustomer(err error) bool {
	var cause *refusal
	return missing(err) && errors.As(err, &cause) && cause.parameter == "customer"
}

// refused reports whether Stripe understood a request and does not do it.
func refused(err error) bool {
	var cause *refusal
	return errors.As(err, &cause) && (cause.status == http.StatusBadRequest || cause.status == http.StatusNotFound)
}
