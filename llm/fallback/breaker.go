package fallback

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"parley/core/fault"
)

const (
	// failuresToOpen is how many failures in a row a provider may have.
	failuresToOpen = 5
	// restTime is how long it is left alone then.
	restTime = 15 * time.Second
)

// Breaker leaves a provider alone that has failed five times in a row: for 15
// seconds, and then until one answer of it has begun. It belongs to one
// provider of one workspace, or to one of the server's own, and is shared by
// the models of that provider. It is safe for concurrent use.
type Breaker struct {
	circuit circuitbreaker.CircuitBreaker[any]
}

// NewBreaker returns a closed breaker, which admits everything. It writes to
// log when a provider is left alone, and when it is asked again.
func NewBreaker(log *slog.Logger) *Breaker {
	circuit := circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(failuresToOpen).WithSuccessThreshold(1).WithDelay(restTime).
		OnOpen(func(circuitbreaker.StateChangedEvent) {
			log.Warn("model provider left alone: it fails", "for", restTime)
		}).
		OnClose(func(circuitbreaker.StateChangedEvent) { log.Info("model provider answers again") }).
		Build()
	return &Breaker{circuit}
}

// attempt is one request that a breaker has admitted. Each is ended once.
type attempt struct {
	breaker *Breaker
	// trial says that it decides whether the provider is asked again. The next
	// one waits for it.
	trial bool
}

// admit returns an attempt, or false while the provider is left alone.
func (b *Breaker) admit() (*attempt, bool) {
	if !b.circuit.TryAcquirePermit() {
		return nil, false
	}
	return &attempt{b, b.circuit.IsHalfOpen()}, true
}

// answers is called when the first text comes. A trial has succeeded then,
// however long the rest may take.
func (a *attempt) answers() {
	if a.trial {
		a.trial = false
		a.breaker.circuit.RecordSuccess()
	}
}

// end records how the attempt ended.
func (a *attempt) end(err error) {
	if err != nil && isProviders(err) {
		a.breaker.circuit.RecordFailure()
		return
	}
	a.breaker.circuit.RecordSuccess()
}

// abandon ends an attempt that says nothing of the provider, because the
// caller ended it. A trial has to be repeated then, but not at once.
func (a *attempt) abandon() {
	if a.trial {
		a.breaker.circuit.RecordFailure()
	}
}

// isProviders tells failures of a provider, or of the way to it, from answers
// that say that the request was wrong: a bad key or an unknown model will not
// get better by waiting. Too many requests will.
func isProviders(err error) bool {
	var refusal interface{ Status() int }
	if !errors.As(err, &refusal) {
		return fault.Is(err, fault.Upstream)
	}
	status := refusal.Status()
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// left is the fault for a provider that is left alone.
func (b *Breaker) left() error {
	failure := fault.New(fault.Upstream, "The language model did not answer several times, and is left alone for a moment. Try again soon.")
	failure.RetryAfter = max(b.circuit.RemainingDelay(), time.Second)
	failure.Cause = circuitbreaker.ErrOpen
	return failure
}
