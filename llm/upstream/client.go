package upstream

import (
	"io"
	"net"
	"net/http"
	"time"
)

// maxRefusalBytes bounds what is read of a body that is not an answer.
const maxRefusalBytes = 16 << 10

// NewHTTPClient returns the client for many long streams to one server: it
// keeps connections for the next stream, and an open stream costs little
// memory. It speaks HTTP/1.1 to http addresses, and follows no redirect.
func NewHTTPClient() *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           dialer.DialContext,
			ForceAttemptHTTP2:     true,
			MaxIdleConns:          1024,
			MaxIdleConnsPerHost:   1024,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   5 * time.Second,
			ExpectContinueTimeout: time.Second,
			// A line of a stream has some 150 to 300 bytes. A request is
			// written once, and a buffer of any size lasts as long as its
			// connection.
			ReadBufferSize:         2 << 10,
			WriteBufferSize:        1 << 10,
			MaxResponseHeaderBytes: 64 << 10,
			// Compression would delay tokens, and costs 40 KiB a stream.
			DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// LimitRefusals is a middleware for the SDKs of vendors. It keeps them from
// reading a refusal of any length into memory, and tells the [Call] of a
// request that it was refused. It sees the response to every try.
func LimitRefusals(request *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	response, err := next(request)
	if response != nil && response.StatusCode != http.StatusOK {
		noteRefusal(request)
		body := response.Body
		response.Body = limitedBody{io.LimitReader(body, maxRefusalBytes), body}
	}
	return response, err
}

type limitedBody struct {
	io.Reader
	io.Closer
}
