package fetch

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"time"
)

// NewClient returns a client for servers that owners name and that Parley calls
// repeatedly, such as models. Like [SafeDialer] it reaches only public addresses,
// but on any port, because people run their own models where they like. Without
// encryption it reaches only the targets of Allow, because requests carry a key.
// From the configuration it uses only Allow, Deny, Refused, Resolver and Roots.
//
// A request goes only to the host that it names: the client follows no redirects
// and uses no proxy from the environment. It keeps connections, which were checked
// when they were made, and sets no time limit for an answer: callers do so through
// the request's context.
func NewClient(config Config) *http.Client {
	config = Config{Allow: config.Allow, Deny: config.Deny, Resolver: config.Resolver, Roots: config.Roots, Timeout: connectTime, Refused: config.Refused}
	plain := config
	plain.Deny = everywhere // Allow takes precedence
	return &http.Client{
		Transport:     byScheme{secure: newTransport(config), plain: newTransport(plain)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

var everywhere = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// byScheme uses one transport for http and another for https.
type byScheme struct{ secure, plain *http.Transport }

// RoundTrip implements [http.RoundTripper].
func (b byScheme) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme == "https" {
		return b.secure.RoundTrip(request)
	}
	return b.plain.RoundTrip(request)
}

// CloseIdleConnections is what [http.Client.CloseIdleConnections] calls.
func (b byScheme) CloseIdleConnections() {
	b.secure.CloseIdleConnections()
	b.plain.CloseIdleConnections()
}

func newTransport(config Config) *http.Transport {
	return &http.Transport{
		Proxy:                 nil, // a proxy would bypass the checks
		DialContext:           safeDialer(config),
		ForceAttemptHTTP2:     true,
		TLSClientConfig:       &tls.Config{RootCAs: config.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   handshakeTime,
		ExpectContinueTimeout: time.Second,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConns:          1024,
		MaxIdleConnsPerHost:   256,
		// Small buffers, for many streams of short lines.
		ReadBufferSize:         2 << 10,
		WriteBufferSize:        1 << 10,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true, // it would delay streams
	}
}
