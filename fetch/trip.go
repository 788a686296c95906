package fetch

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"parley/core/fault"
)

// trip fetches one resource: one request, and another for each redirect.
type trip struct {
	fetcher *Fetcher
	left    time.Duration // the rest of the time for all requests
	limit   int64         // the longest body
	cut     bool          // cuts a longer body at limit instead of failing
	robots  robotsPolicy

	request Request
	known   validator // of the previous page
	// inspect may refuse a response before its body is read.
	inspect func(header http.Header, u *url.URL) error

	visited bool   // the trip has taken a host's slot before
	at      string // the address that the trip has reached
}

// robotsPolicy says how a trip treats robots.txt.
type robotsPolicy int

const (
	// obey checks robots.txt for permission and for the pause between requests.
	obey robotsPolicy = iota
	// slowly uses only the pause in robots.txt. It is for files that are made
	// for robots.
	slowly
	// first is the trip to robots.txt itself. No pause follows it, because the
	// page that needs it belongs to the same visit.
	first
)

// answer is a response that is not a redirect. It has a body if it is good.
type answer struct {
	url    *url.URL
	status int
	header http.Header
	body   []byte
	// conditional says that the request had an ETag or a date.
	conditional bool
}

var (
	errCircle    = fault.New(fault.Invalid, "The page redirects in a loop.")
	errRedirects = fault.New(fault.Invalid, "The page redirects more than %d times.", maxRedirects)
)

// follow sends the request and follows redirects.
func (t *trip) follow(ctx context.Context, u *url.URL) (*answer, error) {
	seen := make(map[string]bool)
	for {
		t.at = u.String()
		if seen[t.at] {
			return nil, errCircle
		}
		if len(seen) > maxRedirects {
			return nil, errRedirects
		}
		seen[t.at] = true
		answer, err := t.visit(ctx, u)
		if err != nil || !redirects(answer.status) {
			return answer, err
		}
		next, err := answer.location()
		if err != nil {
			return nil, err
		}
		u = next
	}
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// location returns the target of a redirect, and checks it like any other
// address.
func (a *answer) location() (*url.URL, error) {
	to := a.header.Get("Location")
	if to == "" {
		return nil, fault.New(fault.Invalid, "The page redirects, but does not say where to.")
	}
	next, err := resolve(a.url, to)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "The page redirects to an address that Parley cannot fetch: %s", fault.As(err).Message)
	}
	return next, nil
}
