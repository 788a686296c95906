// Package isolating is what package core/isolation works with: a client that speaks to the
// server over HTTP, and the installation's own index.
package isolating

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley/core/fault"
	"parley/core/isolation"
)

// Server sends requests to a server over HTTP.
type Server struct {
	base   string
	secret string
	client *http.Client
	// progress is told how long the server wants no further requests.
	progress func(step string)
}

const (
	// requestWithin bounds one answer, and maxBody what is read of it.
	requestWithin = 60 * time.Second
	maxBody       = 8 << 20
	// mostTries and longestWait bound how often, and how long, a request that was refused for
	// now is tried again.
	mostTries   = 10
	longestWait = 2 * time.Minute
	busyFor     = 2 * time.Second
)

var _ isolation.Server = (*Server)(nil)

// Header carries the secret of a check: see [NewServer].
const Header = "X-Parley-Check"

// NewServer returns a client of the server at an address. The secret, which the server knows how to
// check, says that its requests are of a check. It tells of each wait.
func NewServer(base, secret string, progress func(step string)) (*Server, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fault.New(fault.Invalid, "Give the address of the server with --url, such as https://parley.example.com.")
	}
	return &Server{
		base: strings.TrimRight(base, "/"), secret: secret, progress: progress,
		client: &http.Client{
			Timeout: requestWithin, Transport: http.DefaultTransport.(*http.Transport).Clone(),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Check fails if no server answers.
func (s *Server) Check(ctx context.Context) error {
	answer, err := s.once(ctx, isolation.Request{Method: http.MethodGet, Path: "/healthz"})
	if err == nil && answer.status != http.StatusOK {
		err = fmt.Errorf("status %d", answer.status)
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "No server answers at %s. Start it, or give its address with --url.", s.base)
	}
	return nil
}

// Send implements [isolation.Server].
func (s *Server) Send(ctx context.Context, request isolation.Request) (isolation.Answer, error) {
	for tries := 1; ; tries++ {
		answer, err := s.once(ctx, request)
		if err != nil {
			if ctx.Err() != nil {
				return isolation.Answer{}, ctx.Err()
			}
			return isolation.Answer{}, fault.Wrap(fault.Unavailable, err, "The server at %s does not answer.", s.base)
		}
		wait := answer.retryAfter()
		if wait == 0 || tries == mostTries {
			return isolation.Answer{Status: answer.status, Head: answer.head, Body: answer.body}, nil
		}
		if wait > busyFor {
			s.progress(fmt.Sprintf("The server wants no more requests for %s. Waiting.", wait))
		}
		select {
		case <-ctx.Done():
			return isolation.Answer{}, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// answer is the part of a response that was read.
type answer struct {
	status     int
	head, body string
	retry      string
}

// retryAfter is how long to wait before the same request is sent again, or zero.
func (a answer) retryAfter() time.Duration {
	if a.status != http.StatusTooManyRequests && a.status != http.StatusServiceUnavailable {
		return 0
	}
	seconds, err := strconv.Atoi(a.retry)
	if err != nil {
		return busyFor
	}
	return min(cmp.Or(time.Duration(seconds)*time.Second, busyFor), longestWait)
}

func (s *Server) once(ctx context.Context, r isolation.Request) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, s.base+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return answer{}, err
	}
	if kind := isolation.ContentType(r.Body); kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	request.Header.Set("User-Agent", "parley-doctor-isolation")
	request.Header.Set("X-Request-Id", "isolation")
	request.Header.Set(Header, s.secret)
	switch r.Credential.Kind {
	case isolation.Session:
		// The server takes the name that fits its own address.
		request.Header.Set("Cookie", "parley_session="+r.Credential.Secret+"; __Host-parley_session="+r.Credential.Secret)
		request.Header.Set("Sec-Fetch-Site", "same-origin")
	case isolation.Publishable:
		if strings.HasPrefix(r.Path, "/api/v1/") { // elsewhere any origin is another site's
			request.Header.Set("Origin", isolation.Origin)
		}
		fallthrough
	case isolation.Bearer:
		request.Header.Set("Authorization", "Bearer "+r.Credential.Secret)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return answer{}, withoutAddress(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return answer{}, err
	}
	return answer{response.StatusCode, head(response.Header), string(body), response.Header.Get("Retry-After")}, nil
}

// head has the headers, as they are meant: an address in one is often escaped.
func head(headers http.Header) string {
	var b strings.Builder
	for name, values := range headers {
		text := strings.Join(values, " ")
		if meant, err := url.QueryUnescape(text); err == nil {
			text = meant
		}
		fmt.Fprintln(&b, name, text)
	}
	return b.String()
}

// withoutAddress leaves out the address, which can have a code.
func withoutAddress(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
