package upstream

import "time"

// Limits bound the time and the retries of a call.
type Limits struct {
	// Timeout bounds the whole answer, retries included. Zero means 2 minutes.
	Timeout time.Duration
	// FirstToken bounds the wait for the first token of the answer, retries
	// included. Zero means 30 seconds. It is never more than Timeout.
	FirstToken time.Duration
	// Retries is how often a request is sent again if it reached no server, or
	// the server could not answer. Zero means 2, below zero none.
	Retries int
	// MaxRetryDelay bounds the wait before a retry. Zero means 5 seconds.
	MaxRetryDelay time.Duration
}

// Complete returns the limits with defaults. Call it once: it turns negative
// Retries into 0.
func (l Limits) Complete() Limits {
	l.Timeout = orDefault(l.Timeout, 2*time.Minute)
	l.FirstToken = min(orDefault(l.FirstToken, 30*time.Second), l.Timeout)
	l.MaxRetryDelay = orDefault(l.MaxRetryDelay, 5*time.Second)
	if l.Retries == 0 {
		l.Retries = 2
	}
	l.Retries = max(l.Retries, 0)
	return l
}

func orDefault(given, otherwise time.Duration) time.Duration {
	if given <= 0 {
		return otherwise
	}
	return given
}
