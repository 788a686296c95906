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

// attempt is one request that a breaker has admitted. The first of what is
// called on it counts.
type attempt struct {
	breaker *Breaker
	// trial says that it decides whether the provider is asked again. The next
	// one waits for it.
	trial   bool
	settled bool
}

// admit returns an attempt, or false while the provider is left alone.
func (b *Breaker) admit() (*attempt, bool) {
	if !b.circuit.TryAcquirePermit() {
		return nil, false
	}
	return &attempt{breaker: b, trial: b.circuit.IsHalfOpen()}, true
}

// answers is called when text comes, or an end without a failure. However the
// rest may go, the provider answers; and who asks for endless answers cannot
// have it left alone.
func (a *attempt) answers() {
	if !a.settled {
		a.settled = true
		a.breaker.circuit.RecordSuccess()
	}
}

// fails is called when the attempt ends with an error.
func (a *attempt) fails(err error) {
	if !isProviders(err) {
		a.answers()
		return
	}
	if !a.settled {
		a.settled = true
		a.breaker.circuit.RecordFailure()
	}
}

// abandon is called when the attempt says nothing of the provider, because the
// caller ended it. A trial has to be repeated then, but not at once.
func (a *attempt) abandon() {
	if !a.settled && a.trial {
		a.breaker.circuit.RecordFailure()
	}
	a.settled = true
}

// isProviders tells failures of a provider, or of the way to it, from answers
// that say that the request was wrong, and from those that are of no use: a bad
// key or an unknown model will not get better by waiting, and whoever talks
// with a chatbot can bring a model to decline. Too many requests will pass.
// Adapters give what was answered a status.
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
