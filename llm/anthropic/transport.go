package anthropic

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/anthropics/anthropic-sdk-go/option"

	"parley/llm/upstream"
)

// firstRetryDelay is the wait before the first retry at a server that says
// nothing about it. It doubles with each.
const firstRetryDelay = 500 * time.Millisecond

// withoutRedirects returns a client like the given one that follows none:
// net/http would take X-Api-Key along to any host that a redirect names.
func withoutRedirects(client *http.Client) *http.Client {
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// boundRetryDelay keeps the SDK from waiting longer than limit before a retry,
// which would be as long as the server likes, and from asking a server again
// that names a longer wait, or that has agreed to answer.
func boundRetryDelay(limit time.Duration) option.Middleware {
	return func(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		response, err := next(request)
		if response == nil {
			return response, err
		}
		wait := upstream.RetryAfter(response.Header.Get("Retry-After"))
		if response.StatusCode < http.StatusBadRequest || wait > limit {
			response.Header.Set("X-Should-Retry", "false")
			return response, err
		}
		if wait == 0 {
			attempt, _ := strconv.Atoi(request.Header.Get("X-Stainless-Retry-Count"))
			wait = min(limit, firstRetryDelay<<min(max(attempt, 0), 10))
			wait -= rand.N(wait/4 + 1)
		}
		// The SDK heeds this header before Retry-After.
		response.Header.Set("Retry-After-Ms", strconv.FormatInt(wait.Milliseconds(), 10))
		return response, err
	}
}
