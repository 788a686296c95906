package fetch

import (
	"crypto/tls"
	"net/http"
	"time"
)

// NewClient returns a client for servers that owners name and that are asked
// again and again, as models are. It reaches public addresses only, as
// [SafeDialer] does, but on any port: who runs a model of their own runs it
// where they like. Of the configuration only Allow, Deny, Resolver and Roots
// matter.
//
// What is sent goes to the host that it was meant for, and nowhere else: no
// redirect is followed, and no proxy is taken from the environment. It keeps
// connections, which were judged when they were made, and sets no time limit
// for an answer: whoever asks does, by the request's context.
func NewClient(config Config) *http.Client {
	config = Config{Allow: config.Allow, Deny: config.Deny, Resolver: config.Resolver, Roots: config.Roots}
	config.Timeout = connectTime
	return &http.Client{
		Transport: &http.Transport{
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
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
