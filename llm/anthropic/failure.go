package anthropic

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"parley/core/fault"
)

// The sentences for callers.
const (
	notAnswered = "The language model did not answer. Try again."
	brokeOff    = "The language model broke its answer off. Try again."
	tooBusy     = "The language model is busy. Try again in a moment."
	declined    = "The language model declined to answer this. Ask in another way."
)

// maxRetryAfter bounds what a server can tell callers to wait.
const maxRetryAfter = 5 * time.Minute

var (
	errNoResponse = errors.New("the server gave no response")
	errCut        = errors.New("the stream ended before the answer did")
	errEmpty      = errors.New("the answer is empty")
	errTooLong    = errors.New("the answer is longer than 1 MiB")
	errLongLine   = errors.New("a line of the stream is longer than 256 KiB")
)

// ownErrors are those that hold nothing but their text.
var ownErrors = []error{
	errNoResponse, errCut, errEmpty, errTooLong, errLongLine, errMalformed, errDeclined,
	errManyCalls, errLongCalls, errFirstToken, errWholeTime, errLingering,
}

// retryAfter reads the header's seconds or date (RFC 9110, 10.2.3), or is 0.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil {
		return min(time.Duration(max(0, min(seconds, 3600)))*time.Second, maxRetryAfter)
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(0, min(time.Until(date), maxRetryAfter))
	}
	return 0
}

// upstream is the fault for an error of the server or of the way to it.
func upstream(err error, begun bool) error {
	failure := fault.Wrap(fault.Upstream, printable(err), "%s", sentence(err, begun))
	var refused *refusal
	if errors.As(err, &refused) {
		failure.RetryAfter = refused.retryAfter
	}
	return failure
}

// sentence is what the caller reads.
func sentence(err error, begun bool) string {
	var refused *refusal
	switch {
	case errors.Is(err, errDeclined):
		return declined
	case begun:
		return brokeOff
	case errors.As(err, &refused) && refused.busy():
		return tooBusy
	default:
		return notAnswered
	}
}

// printable is err without what may hold secrets or texts. Errors of this
// package are safe. Those of net/http quote addresses and what the server
// sent, which may be an echo of the request: of them only the sort is kept.
func printable(err error) error {
	for _, own := range ownErrors {
		if errors.Is(err, own) {
			return own
		}
	}
	var refused *refusal
	if errors.As(err, &refused) {
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
		return "it was cancelled"
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
