package upstream

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// firstRetryDelay is the wait before the first retry at a server that says
// nothing about it. It doubles with each.
const firstRetryDelay = 500 * time.Millisecond

// retries asks a server again that was not reached, or that may answer soon. A
// server that names a longer wait than the limit is not asked again.
func retries(limits Limits) retrypolicy.RetryPolicy[*http.Response] {
	if limits.Retries == 0 {
		// To failsafe-go, no retries are the default of two.
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

// mayAnswerSoon reports whether a refused request may be sent again as it is
// (RFC 9110, 15.5.9, 15.5.10 and 15.6; RFC 6585, 4).
func mayAnswerSoon(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status >= http.StatusInternalServerError
}

// serverWait is how long a server asks to be left alone: by Retry-After, or by
// Retry-After-Ms, which OpenAI and Azure send, too. It is 0 when it says nothing.
func serverWait(response *http.Response) time.Duration {
	if ms, err := strconv.Atoi(response.Header.Get("Retry-After-Ms")); err == nil {
		return time.Duration(max(0, min(ms, int(maxRetryAfter/time.Millisecond)))) * time.Millisecond
	}
	return RetryAfter(response.Header.Get("Retry-After"))
}
