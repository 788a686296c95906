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
	// openTime is how long the breaker then stays open.
	openTime = 15 * time.Second
)

// Breaker is a circuit breaker. It opens when a provider has failed five times in
// a row: then nobody calls the provider for 15 seconds, and after that only one
// trial at a time until an answer has begun. It belongs to one provider of one
// workspace, or to one of the server's own, and all models of that provider
// share it. It is safe for concurrent use.
type Breaker struct {
	circuit circuitbreaker.CircuitBreaker[any]
	// ofOperator says that the operator has to mend what makes it open.
	ofOperator bool
}

// NewBreaker returns a closed breaker, which admits everything. It logs when it
// opens and when it closes.
func NewBreaker(log *slog.Logger) *Breaker {
	circuit := circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(failuresToOpen).WithSuccessThreshold(1).WithDelay(openTime).
		OnOpen(func(circuitbreaker.StateChangedEvent) {
			log.Warn("model provider paused after repeated failures", "pause_ms", openTime.Milliseconds())
		}).
		OnClose(func(circuitbreaker.StateChangedEvent) { log.Info("model provider answers again") }).
		Build()
	return &Breaker{circuit: circuit}
}

// OfOperator says that the provider is one of the server's own, and returns the breaker.
func (b *Breaker) OfOperator() *Breaker {
	b.ofOperator = true
	return b
}

// attempt is one request that a breaker has admitted. Only the first call of
// answers, fails or abandon counts.
type attempt struct {
	breaker *Breaker
	// trial says that this attempt decides whether the breaker closes. The next
	// attempts wait for it.
	trial   bool
	settled bool
}

// admit returns an attempt, or false while the breaker is open.
func (b *Breaker) admit() (*attempt, bool) {
	if !b.circuit.TryAcquirePermit() {
		return nil, false
	}
	return &attempt{breaker: b, trial: b.circuit.IsHalfOpen()}, true
}

// answers records that text arrived, or that the answer ended without a failure.
// The provider works, however the answer ends: a user who asks for endless answers
// cannot open the breaker.
func (a *attempt) answers() {
	if !a.settled {
		a.settled = true
		a.breaker.circuit.RecordSuccess()
	}
}

// fails records that the attempt ended with an error.
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

// abandon records that the caller ended the attempt, which says nothing about the
// provider. A trial must then be repeated, but not at once.
func (a *attempt) abandon() {
	if !a.settled && a.trial {
		a.breaker.circuit.RecordFailure()
	}
	a.settled = true
}

// isProviders reports whether the provider or the network caused a failure. Other
// failures do not count: waiting does not fix a bad key or an unknown model, and
// any visitor can make a model decline. "Too many requests" counts, because it
// passes. Adapters put the server's status into their errors.
func isProviders(err error) bool {
	var refusal interface{ Status() int }
	if !errors.As(err, &refusal) {
		return fault.Is(err, fault.Upstream)
	}
	status := refusal.Status()
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// paused returns the fault for a provider whose breaker is open.
func (b *Breaker) paused() error {
	failure := fault.New(fault.Upstream, "The language model failed several times in a row, so Parley is giving it a short break. Try again in a few seconds.").Named(fault.ModelFailed)
	failure.RetryAfter = max(b.circuit.RemainingDelay(), time.Second)
	failure.Cause = circuitbreaker.ErrOpen
	if b.ofOperator {
		return failure.ForOperator()
	}
	return failure
}
