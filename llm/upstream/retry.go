package upstream

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// firstRetryDelay is the wait before the first retry if the server names none. It
// doubles with each retry.
const firstRetryDelay = 500 * time.Millisecond

// retries retries requests that reached no server, or whose server may answer
// soon. It gives up if a server names a longer wait than the limit.
func retries(limits Limits) retrypolicy.RetryPolicy[*http.Response] {
	if limits.Retries == 0 {
		// failsafe-go treats zero retries as its default of two.
		return retrypolicy.NewBuilder[*http.Response]().WithMaxAttempts(1).ReturnLastFailure().Build()
	}
	return retrypolicy.NewBuilder[*http.Response]().
		WithMaxRetries(limits.Retries).
		HandleIf(func(response *http.Response, err error) bool { return err != nil || mayAnswerSoon(response.StatusCode) }).
		AbortIf(func(response *http.Response, _ error) bool {
			return response != nil && (serverWait(response) > limits.MaxRetryDelay || response.Header.Get("X-Should-Retry") == "false")
		}).
		WithDelayFunc(func(try failsafe.ExecutionAttempt[*http.Response]) time.Duration {
			if response := try.LastResult(); response != nil && serverWait(response) > 0 {
				return serverWait(response)
			}
			wait := min(limits.MaxRetryDelay, firstRetryDelay<<min(max(try.Retries(), 0), 10))
			return wait - rand.N(wait/4+1)
		}).
		ReturnLastFailure().
		Build()
}

// mayAnswerSoon reports whether a refused request may be sent again unchanged
// (RFC 9110, 15.5.9, 15.5.10 and 15.6; RFC 6585, 4).
func mayAnswerSoon(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status >= http.StatusInternalServerError
}

// serverWait returns how long a server asks clients to wait: in Retry-After, or in
// Retry-After-Ms, which OpenAI and Azure also send. It is 0 if the server names
// nothing.
func serverWait(response *http.Response) time.Duration {
	if ms, err := strconv.Atoi(response.Header.Get("Retry-After-Ms")); err == nil {
		return time.Duration(max(0, min(ms, int(maxRetryAfter/time.Millisecond)))) * time.Millisecond
	}
	return RetryAfter(response.Header.Get("Retry-After"))
}
