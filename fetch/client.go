package fetch

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"time"
)

// NewClient returns a client for servers that owners name and that are asked
// again and again, as models are. It reaches public addresses only, as
// [SafeDialer] does, but on any port: who runs a model of their own runs it
// where they like. Without encryption it reaches the targets of Allow only,
// since a key is sent along. Of the configuration only Allow, Deny, Refused,
// Resolver and Roots matter.
//
// What is sent goes to the host that it was meant for, and nowhere else: no
// redirect is followed, and no proxy is taken from the environment. It keeps
// connections, which were judged when they were made, and sets no time limit
// for an answer: whoever asks does, by the request's context.
func NewClient(config Config) *http.Client {
	config = Config{Allow: config.Allow, Deny: config.Deny, Resolver: config.Resolver, Roots: config.Roots, Timeout: connectTime, Refused: config.Refused}
	plain := config
	plain.Deny = everywhere // Allow goes first.
	return &http.Client{
		Transport:     byScheme{secure: newTransport(config), plain: newTransport(plain)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

var everywhere = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// byScheme has other addresses for http than for https.
type byScheme struct{ secure, plain *http.Transport }

// RoundTrip is that of [http.RoundTripper].
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
		Proxy:                 nil, // A proxy would connect in our place, unchecked.
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
		DisableCompression:     true, // it would delay what is streamed
	}
}
