package anthropic

import (
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/anthropics/anthropic-sdk-go/option"
)

const (
	// maxRefusalBytes bounds what is read of a body that is not an answer.
	maxRefusalBytes = 16 << 10
	// firstRetryDelay is the wait before the first retry at a server that says
	// nothing about it. It doubles with each.
	firstRetryDelay = 500 * time.Millisecond
)

// NewHTTPClient returns the client for many long streams to one server: it
// keeps connections for the next stream, and an open stream costs little
// memory. It follows no redirect.
func NewHTTPClient() *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return withoutRedirects(&http.Client{
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           dialer.DialContext,
			ForceAttemptHTTP2:     true,
			MaxIdleConns:          1024,
			MaxIdleConnsPerHost:   1024,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   5 * time.Second,
			ExpectContinueTimeout: time.Second,
			// An event has some 150 bytes. A request is written once, and a
			// buffer of any size lasts as long as its connection.
			ReadBufferSize:         2 << 10,
			WriteBufferSize:        1 << 10,
			MaxResponseHeaderBytes: 64 << 10,
			// Compression would delay tokens, and costs 40 KiB a stream.
			DisableCompression: true,
		},
	})
}

// withoutRedirects returns a client like the given one that follows none:
// net/http would take X-Api-Key along to any host that a redirect names.
func withoutRedirects(client *http.Client) *http.Client {
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// limitRefusals keeps the SDK from reading a refusal of any length into
// memory.
func limitRefusals(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	response, err := next(request)
	if response != nil && response.StatusCode != http.StatusOK {
		body := response.Body
		response.Body = limitedBody{io.LimitReader(body, maxRefusalBytes), body}
	}
	return response, err
}

type limitedBody struct {
	io.Reader
	io.Closer
}

// boundRetryDelay keeps the SDK from waiting longer than limit before a retry,
// which would be as long as the server likes, and from asking a server again
// that names a longer wait, or that has agreed to answer.
func boundRetryDelay(limit time.Duration) option.Middleware {
	return func(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		response, err := next(request)
		if response == nil {
			return response, err
		}
		wait := retryAfter(response.Header.Get("Retry-After"))
		if response.StatusCode < http.StatusBadRequest || wait > limit {
			response.Header.Set("X-Should-Retry", "false")
			return response, err
		}
		if wait == 0 {
			attempt, _ := strconv.Atoi(request.Header.Get("X-Stainless-Retry-Count"))
			wait = min(limit, firstRetryDelay<<min(max(attempt, 0), 10))
			wait -= rand.N(wait/4 + 1)
		}
		// The SDK heeds this header before Retry-After.
		response.Header.Set("Retry-After-Ms", strconv.FormatInt(wait.Milliseconds(), 10))
		return response, err
	}
}
