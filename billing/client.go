package billing

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
	// callTimeout bounds one call, its retries included; listTimeout one that
	// reads many pages.
	callTimeout = 10 * time.Second
	listTimeout = time.Minute

	retries = 2
	// maxAnswer bounds the bytes of an answer, maxListed the items of a list.
	maxAnswer = 16 << 20
	maxListed = 10_000
	pageSize  = 100
)

// account is where calls go. Every POST carries an idempotency key: stripe-go
// makes one for each call, the same for its retries, where none is given.
type account struct {
	backend stripe.Backend
	key     string
}

func connect(key, baseURL string) account {
	config := &stripe.BackendConfig{
		HTTPClient:        &http.Client{Timeout: listTimeout, Transport: bounded{}, CheckRedirect: refuseRedirect},
		LeveledLogger:     &stripe.LeveledLogger{Level: stripe.LevelNull}, // it would log requests
		MaxNetworkRetries: stripe.Int64(retries),
		EnableTelemetry:   stripe.Bool(false),
	}
	if baseURL != "" {
		config.URL = stripe.String(baseURL)
	}
	return account{stripe.GetBackendWithConfig(stripe.APIBackend, config), key}
}

// bounded refuses to read an answer without end: stripe-go reads all of it.
type bounded struct{}

func (bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	}
	return response, err
}

// refuseRedirect keeps the key from being sent elsewhere; Stripe redirects no call.
func refuseRedirect(*http.Request, []*http.Request) error {
	return errors.New("the answer was a redirect, which is not followed")
}

// ask makes one call with a deadline. Its error is a fault.
func ask[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	return askFor(ctx, callTimeout, call)
}

func askFor[T any](ctx context.Context, limit time.Duration, call func(context.Context) (T, error)) (T, error) {
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

// all reads a list to its end.
func all[T any](it *stripe.Iter) ([]T, error) {
	var items []T
	for it.Next() {
		if len(items) == maxListed {
			return nil, errors.New("the list is longer than anything expected")
		}
		items = append(items, it.Current().(T))
	}
	return items, it.Err()
}

// moment is a time of Stripe's; none if it is zero.
func moment(unix int64) *time.Time {
	if unix == 0 {
		return nil
	}
	at := time.Unix(unix, 0).UTC()
	return &at
}
