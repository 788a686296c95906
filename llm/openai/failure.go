package openai

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

	"github.com/tidwall/gjson"

	"parley/core/fault"
)

// The sentences for callers.
const (
	notAnswered = "The language model did not answer. Try again."
	brokeOff    = "The language model broke its answer off. Try again."
	tooBusy     = "The language model is busy. Try again in a moment."
)

// maxRetryAfter bounds what a server can tell callers to wait.
const maxRetryAfter = 5 * time.Minute

var (
	errNoResponse = errors.New("the server gave no response")
	errCut        = errors.New("the stream ended before the answer did")
	errEmpty      = errors.New("the answer is empty")
	errTooLong    = errors.New("the answer is longer than 1 MiB")
	errLongLine   = errors.New("a line of the stream is longer than 256 KiB")
	errCalls      = errors.New("the calls of tools are more than 16, or longer than 64 KiB")
)

// ownErrors are those that hold nothing but their text.
var ownErrors = []error{
	errNoResponse, errCut, errEmpty, errTooLong, errLongLine, errCalls, errMalformed, errReported,
	errFirstToken, errWholeTime, errLingering, errVectors,
}

// refusal is a response that is not an answer.
type refusal struct {
	status     int
	code       string
	retryAfter time.Duration
}

func (r *refusal) Error() string {
	text := fmt.Sprintf("the server answered %d %s", r.status, http.StatusText(r.status))
	if r.code != "" {
		text += ", " + r.code
	}
	return text
}

// knownCodes are the codes and types of errors that may be logged. Others are
// not: a server can put anything there, the prompt and the key included.
var knownCodes = map[string]bool{
	"authentication_error": true, "billing_hard_limit_reached": true, "content_filter": true,
	"context_length_exceeded": true, "insufficient_quota": true, "invalid_api_key": true,
	"invalid_request_error": true, "model_not_found": true, "not_found_error": true, "permission_error": true,
	"rate_limit_exceeded": true, "server_error": true, "unsupported_parameter": true, "unsupported_value": true,
}

func refusalOf(response *http.Response) *refusal {
	found := &refusal{status: response.StatusCode, retryAfter: retryAfter(response.Header.Get("Retry-After"))}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxRefusalBytes))
	if err != nil || !gjson.ValidBytes(body) {
		return found
	}
	for _, path := range []string{"error.code", "error.type"} {
		if code := gjson.GetBytes(body, path).Str; knownCodes[code] {
			found.code = code
			break
		}
	}
	return found
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
	failure := fault.Wrap(fault.Upstream, printable(err), "%s", message(err, begun))
	var refused *refusal
	if errors.As(err, &refused) {
		failure.RetryAfter = refused.retryAfter
	}
	return failure
}

// message is the sentence for the caller.
func message(err error, begun bool) string {
	var refused *refusal
	switch {
	case begun:
		return brokeOff
	case errors.As(err, &refused) && refused.status == http.StatusTooManyRequests:
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
