package anthropic

import (
	"context"
	"errors"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

var (
	errFirstToken = errors.New("the first token did not come in time")
	errWholeTime  = errors.New("the answer did not end in time")
	errLingering  = errors.New("the stream stayed open after the answer")
)

// call is the time that one answer may take, and how far its request came.
type call struct {
	// ctx ends with the caller's, and when the time is over.
	ctx    context.Context
	caller context.Context
	cancel context.CancelCauseFunc
	first  *time.Timer
	whole  *time.Timer
	// sent says that the request is with the server, which has not refused it.
	sent atomic.Bool
}

func begin(caller context.Context, config Config) *call {
	ctx, cancel := context.WithCancelCause(caller)
	c := &call{
		caller: caller,
		cancel: cancel,
		first:  time.AfterFunc(config.FirstTokenTimeout, func() { cancel(errFirstToken) }),
		whole:  time.AfterFunc(config.Timeout, func() { cancel(errWholeTime) }),
	}
	c.ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		// Each attempt begins with the search for a connection.
		GetConn:      func(string) { c.sent.Store(false) },
		WroteHeaders: func() { c.sent.Store(true) },
	})
	return c
}

// started ends the wait for the first token.
func (c *call) started() { c.first.Stop() }

// hurry gives the stream only so much longer.
func (c *call) hurry(limit time.Duration) (stop func() bool) {
	return time.AfterFunc(limit, func() { c.cancel(errLingering) }).Stop
}

func (c *call) end() {
	c.first.Stop()
	c.whole.Stop()
	c.cancel(nil)
}

// failure is what the caller of Generate gets: the error of its own emit or
// the end of its own context as they are, anything else as a fault. begun says
// whether text was emitted before.
func (c *call) failure(err error, begun bool) error {
	var own *emitError
	if errors.As(err, &own) {
		return own.err
	}
	if ended := c.caller.Err(); ended != nil {
		return ended
	}
	if errors.Is(err, context.Canceled) {
		err = context.Cause(c.ctx)
	}
	return upstream(err, begun)
}

// emitError tells an error of emit from one of the server.
type emitError struct{ err error }

func (e *emitError) Error() string { return e.err.Error() }
