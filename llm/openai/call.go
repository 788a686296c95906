package openai

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

var (
	errFirstToken = errors.New("the first token did not come in time")
	errWholeTime  = errors.New("the answer did not end in time")
	errLingering  = errors.New("the stream stayed open after the answer")
)

// call is the time that one answer may take, and how far its request has come.
type call struct {
	// ctx ends with the caller's, and when the time is over.
	ctx    context.Context
	caller context.Context
	cancel context.CancelCauseFunc
	first  *time.Timer
	whole  *time.Timer
	// rest is for what comes after the answer, nil before that.
	rest *time.Timer
	// sent says that a request is with the server, which has not refused it.
	sent  atomic.Bool
	trace httptrace.ClientTrace
}

func begin(caller context.Context, config Config) *call {
	ctx, cancel := context.WithCancelCause(caller)
	return &call{
		ctx:    ctx,
		caller: caller,
		cancel: cancel,
		first:  time.AfterFunc(config.FirstTokenTimeout, func() { cancel(errFirstToken) }),
		whole:  time.AfterFunc(config.Timeout, func() { cancel(errWholeTime) }),
	}
}

type callKey struct{}

// traced is ctx for requests of which sent is to be known. Each try begins with
// the search for a connection.
func (c *call) traced() context.Context {
	c.trace.GetConn = func(string) { c.sent.Store(false) }
	c.trace.WroteHeaders = func() { c.sent.Store(true) }
	return context.WithValue(httptrace.WithClientTrace(c.ctx, &c.trace), callKey{}, c)
}

// noteRefusal tells the call of a request, if it has one, that it was refused.
func noteRefusal(request *http.Request) {
	if c, ok := request.Context().Value(callKey{}).(*call); ok {
		c.sent.Store(false)
	}
}

// started ends the wait for the first token.
func (c *call) started() { c.first.Stop() }

// hurry gives the stream only so much longer, counted from the last hurry.
func (c *call) hurry(limit time.Duration) {
	if c.rest != nil {
		c.rest.Reset(limit)
		return
	}
	c.rest = time.AfterFunc(limit, func() { c.cancel(errLingering) })
}

func (c *call) end() {
	c.first.Stop()
	c.whole.Stop()
	if c.rest != nil {
		c.rest.Stop()
	}
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
