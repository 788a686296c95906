// Package stripeapi makes calls to one account at Stripe: each has a deadline,
// its answer is bounded, and its failure is a fault without secrets.
//
// It does not own what is asked or what an answer means (packages billing and
// setup).
package stripeapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/core/fault"
	"parley/internal/intx"
)

const (
	// callTimeout bounds one call, its retries included; ListTimeout one that
	// reads many pages.
	callTimeout = 10 * time.Second
	ListTimeout = time.Minute

	// Retries is how often a call is repeated that Stripe did not answer.
	Retries = 2
	// MaxAnswer bounds the bytes of an answer, MaxListed the items of a list.
	MaxAnswer = 16 << 20
	MaxListed = 10_000
	// PageSize is how many items of a list one call returns.
	PageSize = 100
)

// Client is where calls go. Every POST carries an idempotency key: stripe-go
// makes one for each call, the same for its retries, where none is given.
type Client struct {
	Backend stripe.Backend
	Key     string
	whose   identity
}

// Connect returns a client with a secret key; baseURL is that of another Stripe,
// for tests, and empty for Stripe itself.
func Connect(key, baseURL string) *Client {
	config := &stripe.BackendConfig{
		HTTPClient:        &http.Client{Timeout: ListTimeout, Transport: bounded{}, CheckRedirect: refuseRedirect},
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull}, // it would log requests
		MaxNetworkRetries: stripe.Int64(Retries),
		EnableTelemetry:   stripe.Bool(false),
	}
	if baseURL != "" {
		config.URL = stripe.String(baseURL)
	}
	return &Client{Backend: stripe.GetBackendWithConfig(stripe.APIBackend, config), Key: key}
}

// bounded refuses to read an answer without end: stripe-go reads all of it.
type bounded struct{}

func (bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, MaxAnswer)
	}
	return response, err
}

// refuseRedirect keeps the key from being sent elsewhere; Stripe redirects no call.
func refuseRedirect(*http.Request, []*http.Request) error {
	return errors.New("the answer was a redirect, which is not followed")
}

// Ask makes one call with a deadline. Its error is a fault.
func Ask[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	return AskFor(ctx, callTimeout, call)
}

// AskFor makes one call with a deadline of its own. Its error is a fault.
func AskFor[T any](ctx context.Context, limit time.Duration, call func(context.Context) (T, error)) (T, error) {
	var none T
	if intx.Inside(ctx) {
		return none, fault.New(fault.Internal, "Stripe is called inside a database transaction; call it before or after")
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
			return nil, errors.New("the list is longer than anything expected")
		}
		items = append(items, it.Current().(T))
	}
	return items, it.Err()
}

// Moment is a time of Stripe's; none if it is zero.
func Moment(unix int64) *time.Time {
	if unix == 0 {
		return nil
	}
	at := time.Unix(unix, 0).UTC()
	return &at
}
