// Package stripeapi makes calls to one account at Stripe: each has a deadline and a bounded
// response, and its failure is a fault without secrets.
//
// It does not own requests or the meaning of responses (packages billing and setup).
package stripeapi

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/core/fault"
	"parley/internal/intx"
)

const (
	// callTimeout bounds one call with its retries; ListTimeout one that reads many
	// pages.
	callTimeout = 10 * time.Second
	ListTimeout = time.Minute

	// Retries is how often a call is repeated if Stripe does not answer.
	Retries = 2
	// MaxAnswer bounds a response in bytes, MaxListed the items of a list.
	MaxAnswer = 16 << 20
	MaxListed = 10_000
	// PageSize is how many items of a list one call returns.
	PageSize = 100
)

// Client makes the calls. Every POST carries an idempotency key: stripe-go generates one per
// call, including its retries, if none is given.
type Client struct {
	Backend stripe.Backend
	Key     string
	account accountCache
}

// Connect returns a client with a secret key; baseURL is a Stripe for tests, and empty for
// Stripe itself. Called, unless nil, is told how each call ended.
func Connect(key, baseURL string, called func(error)) *Client {
	config := &stripe.BackendConfig{
		HTTPClient:        &http.Client{Timeout: ListTimeout, Transport: bounded{called}, CheckRedirect: refuseRedirect},
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull}, // it would log requests
		MaxNetworkRetries: stripe.Int64(Retries),
		EnableTelemetry:   stripe.Bool(false),
	}
	if baseURL != "" {
		config.URL = stripe.String(baseURL)
	}
	return &Client{Backend: stripe.GetBackendWithConfig(stripe.APIBackend, config), Key: key}
}

// bounded refuses endless responses, because stripe-go reads all of a response. It tells how
// calls end.
type bounded struct{ called func(error) }

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, MaxAnswer)
	}
	if b.called != nil && !errors.Is(err, context.Canceled) {
		b.called(outage(response, err))
	}
	return response, err
}

// outage is why Stripe is no use to this server just now, or nil. That it refuses a request is
// no outage.
func outage(response *http.Response, err error) error {
	switch {
	case err != nil:
		return withoutAddress(err)
	case response.StatusCode == http.StatusUnauthorized, response.StatusCode >= http.StatusInternalServerError:
		return fmt.Errorf("stripe answers with status %d", response.StatusCode)
	}
	return nil
}

// refuseRedirect keeps the key from being sent elsewhere; Stripe never redirects.
func refuseRedirect(*http.Request, []*http.Request) error {
	return errors.New("a redirect from Stripe is not followed")
}

// Ask makes one call with a deadline. Its error is a fault.
func Ask[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	return AskFor(ctx, callTimeout, call)
}

// AskFor makes one call with a given deadline. Its error is a fault.
func AskFor[T any](ctx context.Context, limit time.Duration, call func(context.Context) (T, error)) (T, error) {
	var none T
	if intx.Inside(ctx) {
		return none, fault.New(fault.Internal, "Stripe was called inside a database transaction; call it before or after")
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answer, err := call(ctx)
	if err != nil {
		return none, failure(err)
	}
	return answer, nil
}

// All reads a list to its end.
func All[T any](it *stripe.Iter) ([]T, error) {
	var items []T
	for it.Next() {
		if len(items) == MaxListed {
			return nil, errors.New("the list is longer than expected")
		}
		items = append(items, it.Current().(T))
	}
	return items, it.Err()
}

// Listed is a list that was read to its end, as one of which reading may still fail.
func Listed[T any](items []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// Moment converts a time of Stripe's; zero becomes nil.
func Moment(unix int64) *time.Time {
	if unix == 0 {
		return nil
	}
	at := time.Unix(unix, 0).UTC()
	return &at
}
