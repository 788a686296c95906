package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"

	"parley/core/fault"
)

// Error is an error that holds nothing but its own text, so it may be logged
// as it is.
type Error string

// Error returns the text.
func (e Error) Error() string { return string(e) }

// Useless is an answer without use, such as an empty one. It does not count as a
// failure of the server: otherwise a visitor could open the circuit breaker with
// questions that no model answers. It may be logged as it is.
type Useless struct {
	// Reason is for the log.
	Reason string
	// Sentence is the message for the caller. Empty means the usual one.
	Sentence string
}

// Error returns the reason.
func (u *Useless) Error() string { return u.Reason }

// Status returns the status of the response.
func (u *Useless) Status() int { return http.StatusOK }

const (
	errNoResponse = Error("the server gave no response")
	errCut        = Error("the stream ended before the answer did")
	errSwitch     = Error("the server changed the protocol, which nobody asked for")
	errLongLine   = Error("a line of the stream is longer than 1 MiB")
	errLongStream = Error("the stream is longer than 48 MiB")
)

// ErrDeclined is an answer that the model, or a filter of its provider, withheld.
var ErrDeclined error = &Useless{Reason: "the model declined to answer", Sentence: declined}

var (
	errEmpty   error = &Useless{Reason: "the answer is empty"}
	errTooLong error = &Useless{Reason: "the answer is longer than 1 MiB"}
)

// Fault returns the fault for an error of a server, or on the way to it, before
// any text was emitted: Unavailable for a server that limits how often it is asked,
// and Upstream for all else. Its cause may be logged: it is an [Error], a [Useless] or
// a [Refusal], or names only the kind of err.
func Fault(err error) *fault.Error { return faultOf(err, false) }

// faultOf is Fault; begun says whether text was emitted before.
func faultOf(err error, begun bool) *fault.Error {
	means := meaningOf(err, begun)
	failure := fault.Wrap(means.kind, printable(err), "%s", means.sentence).Named(means.code)
	var refused *Refusal
	if errors.As(err, &refused) {
		failure.RetryAfter = refused.retryAfter
	}
	return failure
}

// printable returns err without anything that may hold secrets or texts. Errors
// of net/http quote addresses and the server's bytes, which may echo the request:
// printable keeps only their kind.
func printable(err error) error {
	var (
		own     Error
		useless *Useless
		refused *Refusal
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &useless):
		return useless
	case errors.As(err, &refused):
		return refused
	}
	return errors.New("the connection to the server failed: " + sort(err))
}

func sort(err error) string {
	var (
		number      syscall.Errno
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		timeout     net.Error
	)
	switch {
	case errors.As(err, &number):
		return number.Error()
	case errors.As(err, &dns):
		return "its name could not be resolved"
	case errors.As(err, &certificate):
		return "its certificate is not trusted"
	case errors.As(err, &record):
		return "it does not speak TLS"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "it was closed"
	case errors.Is(err, context.Canceled):
		return "it was canceled"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "it timed out"
	default:
		return fmt.Sprintf("%T", root(err))
	}
}

func root(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
