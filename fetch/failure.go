package fetch

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"code.dny.dev/ssrf"

	"parley/core/fault"
)

// Causes that callers treat specially: errors.Is finds them.
var (
	// ErrGone is a page that the server no longer has.
	ErrGone = errors.New("gone")
	// ErrSignIn is a page that requires a sign-in.
	ErrSignIn = errors.New("requires a sign-in")
	// ErrDisallowed is a page that robots.txt excludes.
	ErrDisallowed = errors.New("disallowed by robots.txt")
	// ErrPrivate is an address in a network that Parley does not reach, or a
	// name that does not exist; it does not say which of the two.
	ErrPrivate = errors.New("not a public address")
	// ErrTooLarge is a page with too many bytes.
	ErrTooLarge = errors.New("too large")
	// ErrKind is a page of a kind that Parley does not read, such as a picture.
	ErrKind = errors.New("unsupported kind of content")
)

// errTime is the cause of a request that exceeded its time.
var errTime = errors.New("the time for the page is over")

// stopped is the failure for a caller who stopped waiting.
func stopped(ctx context.Context) error {
	return fault.Wrap(fault.Upstream, ctx.Err(), "Fetching was stopped. Parley will try the page again later.")
}

// failure turns a network error into a sentence for the owner. ctx is the
// request's, with errTime as its cause if its time is over.
func (f *Fetcher) failure(ctx context.Context, err error) error {
	var known *fault.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, ErrPrivate):
		return fault.Wrap(fault.Invalid, err, "There is no public site at this address. Check the address.")
	case errors.Is(err, ssrf.ErrProhibitedPort):
		return fault.Wrap(fault.Invalid, errors.Join(ErrPrivate, err), "Parley does not fetch pages from this port. Use an address on port 80 or 443.")
	case errors.Is(err, ErrTooLarge):
		return fault.Wrap(fault.Invalid, err, "The page is larger than %d MB.", max(f.config.Bytes>>20, 1))
	case errors.Is(context.Cause(ctx), errTime):
		return fault.Wrap(fault.Upstream, err, "The page did not answer within %s.", seconds(f.config.Timeout))
	case ctx.Err() != nil:
		return stopped(ctx)
	}
	if found := lookUpFailure(err); found != nil {
		return found
	}
	if found := secureFailure(err); found != nil {
		return found
	}
	return transferFailure(err)
}

func lookUpFailure(err error) error {
	var dns *net.DNSError
	if !errors.As(err, &dns) {
		return nil
	}
	return fault.Wrap(fault.Upstream, err, "Parley could not look up the site's name right now.")
}

func secureFailure(err error) error {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var operation *net.OpError
	switch {
	case errors.As(err, &certificate):
		return fault.Wrap(fault.Invalid, err, "The site's certificate is not valid, so Parley cannot be sure that it is the right site.")
	case errors.As(err, &record), errors.As(err, &operation) && isAlert(operation.Op), contains(err, "server gave HTTP response to HTTPS client"):
		return fault.Wrap(fault.Upstream, err, "Parley could not make a secure connection to the server.")
	}
	return nil
}

// isAlert recognizes how crypto/tls marks the alerts that it gets and sends.
func isAlert(operation string) bool { return operation == "remote error" || operation == "local error" }

func transferFailure(err error) error {
	var network net.Error
	var operation *net.OpError
	var damaged flate.CorruptInputError
	switch {
	case errors.As(err, &network) && network.Timeout():
		return fault.Wrap(fault.Upstream, err, "The server did not start to respond in time.")
	case errors.As(err, &operation) && operation.Op == "dial":
		return fault.Wrap(fault.Upstream, err, "The server could not be reached.")
	case contains(err, "response headers exceeded"):
		return fault.Wrap(fault.Invalid, err, "The server sends too many headers.")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &damaged):
		return fault.Wrap(fault.Upstream, err, "The page arrived damaged: it cannot be decompressed.")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.As(err, &operation):
		return fault.Wrap(fault.Upstream, err, "The connection broke before the page was complete.")
	}
	return fault.Wrap(fault.Upstream, err, "The server sent an invalid response.")
}

// contains finds errors of net/http that have no type.
func contains(err error, text string) bool { return strings.Contains(err.Error(), text) }

func seconds(d time.Duration) string {
	if d == time.Second {
		return "1 second"
	}
	if d > time.Second && d%time.Second == 0 {
		return fmt.Sprintf("%d seconds", d/time.Second)
	}
	return d.String()
}
