package fetch

import (
	"net/http"
	"strconv"
	"time"

	"parley/core/fault"
)

// statusFault explains to the owner a response that is not a page.
func (a *answer) statusFault() error {
	status := a.status
	switch {
	case isWhole(status):
		return nil
	case status == http.StatusNotModified:
		return a.notModified()
	case status == http.StatusNotFound || status == http.StatusGone:
		return fault.Wrap(fault.Invalid, ErrGone, "The server answered %d: the page is gone.", status)
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusProxyAuthRequired:
		return fault.Wrap(fault.Invalid, ErrSignIn, "The server answered %d: the page requires a sign-in or does not admit programs.", status)
	case status == http.StatusTooManyRequests:
		return a.later("The server answered %d: it asks to be read more slowly.")
	case status == http.StatusRequestTimeout || status == http.StatusTooEarly || status >= 500:
		return a.later("The server answered %d: it cannot show the page right now.")
	case status >= 400:
		return fault.New(fault.Invalid, "The server answered %d: it refuses to show the page.", status)
	}
	return fault.New(fault.Invalid, "The server answered %d, which is not a complete page.", status)
}

// notModified is an error only if the request had no condition.
func (a *answer) notModified() error {
	if a.conditional {
		return nil
	}
	return fault.New(fault.Upstream, "The server sent an invalid response.")
}

func (a *answer) later(sentence string) error {
	return &fault.Error{
		Kind: fault.Upstream, RetryAfter: a.retryAfter(),
		Message: fault.New(fault.Upstream, sentence, a.status).Message,
	}
}

// maxRetryAfter bounds the pause that a server may request.
const maxRetryAfter = 24 * time.Hour

// retryAfter returns the pause that a server with a 429 or 5xx requests: seconds
// or a date (RFC 9110, section 10.2.3). Zero means that it names none.
func (a *answer) retryAfter() time.Duration {
	if a.status != http.StatusTooManyRequests && a.status < 500 {
		return 0
	}
	value := a.header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(time.Until(date), 0), maxRetryAfter)
}
