package fetch

import (
	"context"
	"crypto/x509"
	"net"
	"net/netip"
	"time"

	"parley/fetch/hosts"
)

// Config configures a [Fetcher]. The zero value is safe and polite.
type Config struct {
	// UserAgent is sent with every request, such as
	// "Parley/1.0 (+https://example.com/robot)". Its leading letters are the
	// name that robots.txt matches. Empty: "Parley/1.0".
	UserAgent string

	// Allow lists special hosts and networks that Parley may reach, such as an
	// intranet, each on its own ports. Deny lists public networks that it may
	// not reach. Allow takes precedence.
	Allow []Target
	Deny  []netip.Prefix
	// Ports are the ports at which public addresses may be reached. Empty: 80
	// and 443.
	Ports []int
	// Refused, if set, is called for each connection refused for its address or
	// port, with the target's host and port.
	Refused func(ctx context.Context, target string)
	// Resolver looks names up. Nil: the system's.
	Resolver *net.Resolver
	// Roots are the certificate authorities trusted. Nil: the system's.
	Roots *x509.CertPool

	// Bytes is the longest body, after decompression. 0: 20 MB.
	Bytes int64
	// Timeout is the longest time for a page, including redirects and body,
	// but not the wait for the host's slot. 0: 30 s.
	Timeout time.Duration
	// Longest is the longest time for a page, or for the sitemaps of a site, with every
	// robots.txt and wait on the way. 0: 5 minutes.
	Longest time.Duration

	// Delay is the pause between two requests to a host. 0: 1 s; negative:
	// none. A longer Crawl-delay in robots.txt takes precedence, up to MaxDelay.
	Delay time.Duration
	// MaxDelay bounds the Crawl-delay. 0: 30 s.
	MaxDelay time.Duration
	// MaxWait is the longest wait for the host's slot. After it a page fails as
	// RateLimited, with a time to try again. 0: 2 minutes.
	MaxWait time.Duration
	// PageWait is the longest wait for the host's slot before a page's first
	// request. 0, or more than MaxWait: MaxWait.
	PageWait time.Duration
	// Hosts lets several processes read a host one after the other. Nil: this
	// process is alone.
	Hosts hosts.Hosts
}

const (
	connectTime    = 10 * time.Second
	handshakeTime  = 10 * time.Second
	headerTime     = 20 * time.Second
	maxHeaderBytes = 64 << 10
	maxRedirects   = 5
	maxURLBytes    = 4096
)

func (c Config) withDefaults() Config {
	if c.UserAgent == "" {
		c.UserAgent = "Parley/1.0"
	}
	if len(c.Ports) == 0 {
		c.Ports = []int{80, 443}
	}
	if c.Bytes <= 0 {
		c.Bytes = 20 << 20
	}
	c.Timeout = positive(c.Timeout, 30*time.Second)
	c.Longest = positive(c.Longest, 5*time.Minute)
	c.MaxDelay = positive(c.MaxDelay, 30*time.Second)
	c.MaxWait = positive(c.MaxWait, 2*time.Minute)
	c.PageWait = min(positive(c.PageWait, c.MaxWait), c.MaxWait)
	if c.Delay == 0 {
		c.Delay = time.Second
	}
	c.Delay = max(c.Delay, 0)
	return c
}

func positive(value, otherwise time.Duration) time.Duration {
	if value <= 0 {
		return otherwise
	}
	return value
}
