// Package upstream owns what all model servers over HTTP have in common: the
// client's transport, the time limits of a call, the lines of an event stream,
// the text of an answer on its way to the caller, and the faults that the caller
// and the log get.
//
// It does not own requests or the decoding of answers: packages llm/openai and
// llm/anthropic each know one wire format.
package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

const (
	// usageTime limits how long a server may take for the lines after its
	// answer, such as the usage.
	usageTime = 2 * time.Second
	// resumeTime limits how long it may take to go on after a text that it calls its
	// last. Some servers call every text that.
	resumeTime = 10 * time.Second
	// drainTime limits how long it may take to end the response after the last
	// line, so that the connection can be reused.
	drainTime = 20 * time.Millisecond
)

const (
	errFirstToken = Error("the first token did not arrive in time")
	errWholeTime  = Error("the answer did not end in time")
	errLingering  = Error("the stream stayed open after the answer")
)

// Call holds the time limits of one answer, and knows whether its request has been
// sent. It belongs to one goroutine.
type Call struct {
	// ctx ends with the caller's context, or when time is up.
	ctx    context.Context
	caller context.Context
	cancel context.CancelCauseFunc
	first  *time.Timer
	whole  *time.Timer
	// rest bounds the lines after the answer. It is nil until they begin.
	rest  *time.Timer
	sent  atomic.Bool
	trace httptrace.ClientTrace
}

type callKey struct{}

// Begin starts the clock of a call. caller is the caller's context. Limits must be
// complete: see [Limits.Complete]. End the call with [Call.End].
func Begin(caller context.Context, limits Limits) *Call {
	ctx, cancel := context.WithCancelCause(caller)
	c := &Call{
		caller: caller,
		cancel: cancel,
		first:  time.AfterFunc(limits.FirstToken, func() { cancel(errFirstToken) }),
		whole:  time.AfterFunc(limits.Timeout, func() { cancel(errWholeTime) }),
	}
	// Each try starts by looking for a connection.
	c.trace.GetConn = func(string) { c.sent.Store(false) }
	c.trace.WroteHeaders = func() { c.sent.Store(true) }
	c.ctx = context.WithValue(httptrace.WithClientTrace(ctx, &c.trace), callKey{}, c)
	return c
}

// Context returns the context of the call's requests. It ends with the caller's
// context, or when time is up.
func (c *Call) Context() context.Context { return c.ctx }

// Sent reports whether a server has received a request of a [Client] and not
// refused it.
func (c *Call) Sent() bool { return c.sent.Load() }

// noteRefusal tells the request's call, if it has one, that the server refused it.
func noteRefusal(request *http.Request) {
	if c, ok := request.Context().Value(callKey{}).(*Call); ok {
		c.sent.Store(false)
	}
}

// Started ends the wait for the first token.
func (c *Call) Started() { c.first.Stop() }

// Finished says that the answer is complete. The server gets 2 more seconds for
// what follows it.
func (c *Call) Finished() { c.limitRest(usageTime) }

// MayResume says that the answer is complete unless more text follows. The server
// gets 10 more seconds for it.
func (c *Call) MayResume() { c.limitRest(resumeTime) }

// Resumed says that the answer goes on after all.
func (c *Call) Resumed() {
	if c.rest != nil {
		c.rest.Stop()
	}
}

// Drain reads the unwanted rest of a response, for a short time: net/http reuses
// only connections whose response was read to the end.
func (c *Call) Drain(body io.Reader) {
	c.limitRest(drainTime)
	_, _ = io.CopyN(io.Discard, body, maxRefusalBytes)
}

// limitRest gives the rest of the stream a time limit that starts now.
func (c *Call) limitRest(limit time.Duration) {
	if c.rest != nil {
		c.rest.Reset(limit)
		return
	}
	c.rest = time.AfterFunc(limit, func() { c.cancel(errLingering) })
}

// Cut judges a stream that ended with err, which may be io.EOF. If the answer was
// complete by then, the result is nil, whatever happened to the connection.
func (c *Call) Cut(err error, complete bool) error {
	if complete && c.caller.Err() == nil {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}

// End stops the call's context and timers.
func (c *Call) End() {
	c.first.Stop()
	c.whole.Stop()
	if c.rest != nil {
		c.rest.Stop()
	}
	c.cancel(nil)
}

// Failure returns the error that the caller gets for err: errors of its own emit
// or context unchanged, any other as a [Fault]. begun says whether text was
// emitted before.
func (c *Call) Failure(err error, begun bool) error {
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
	return faultOf(err, begun)
}
