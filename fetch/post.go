package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/core/fault"
	"parley/core/webhook"
)

// Poster sends webhooks. Like [NewClient] it reaches public addresses over https, and
// the targets of Allow over http as well.
type Poster struct {
	client    *http.Client
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
	userAgent string
}

const (
	// maxAnswer is how much of an endpoint's answer is read.
	maxAnswer = 64 << 10
	// checkTime is how long the check of a new address takes at most.
	checkTime = 5 * time.Second
)

// NewPoster returns a poster. It uses of the configuration what [NewClient] does, and
// UserAgent.
func NewPoster(config Config) *Poster {
	client := NewClient(config)
	direct := Config{Allow: config.Allow, Deny: config.Deny, Resolver: config.Resolver, Timeout: connectTime, Refused: config.Refused}
	return &Poster{client: client, dial: safeDialer(direct), userAgent: config.withDefaults().UserAgent}
}

var _ webhook.Poster = (*Poster)(nil)

// Check is Invalid for an address that is not public. A server that does not answer just
// now is admitted: it may be started later.
func (p *Poster) Check(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fault.InField("url", "Enter an address such as https://example.com/hooks/parley.")
	}
	port := u.Port()
	if port == "" {
		port = u.Scheme // such as https, whose port is known
		if port == "https" {
			port = "443"
		} else {
			port = "80"
		}
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	conn, err := p.dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if conn != nil {
		_ = conn.Close()
	}
	if errors.Is(err, ErrPrivate) {
		failure := fault.InField("url", "There is no public server at this address. Check the address.")
		failure.Cause = err
		return failure
	}
	return nil
}

// Post sends a webhook. It reads at most 64 KiB of the answer.
func (p *Poster) Post(ctx context.Context, r webhook.Request) (webhook.Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return webhook.Answer{}, fault.Wrap(fault.Invalid, err, "The address is not valid.")
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", p.userAgent)
	response, err := p.client.Do(request)
	if err != nil {
		return webhook.Answer{}, postFailure(ctx, err)
	}
	defer response.Body.Close()
	// A status is an answer, even if what follows it is cut.
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	return webhook.Answer{
		Status: response.StatusCode, Body: string(body),
		RetryAfter: (&answer{status: response.StatusCode, header: response.Header}).retryAfter(),
	}, nil
}

func postFailure(ctx context.Context, err error) error {
	var dns *net.DNSError
	switch {
	case errors.Is(err, ErrPrivate):
		return fault.Wrap(fault.Invalid, err, "There is no public server at this address.")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.Wrap(fault.Upstream, err, "No answer within 10 seconds.")
	case errors.As(err, &dns):
		return fault.Wrap(fault.Upstream, err, "The name of the server could not be looked up.")
	}
	return fault.Wrap(fault.Upstream, err, "The connection failed.")
}
