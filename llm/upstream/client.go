package upstream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/failsafe-go/failsafe-go"
)

// maxRefusalBytes bounds how much of a body other than an answer is read.
const maxRefusalBytes = 16 << 10

// Server is one model server and the settings of its requests.
type Server struct {
	// BaseURL is the address that the paths of requests are added to.
	BaseURL string
	// Header has the headers of every request: the key, and those of the API.
	Header http.Header
	// HTTP sends the requests. Whatever it says of redirects, none is followed:
	// a key and a question must not go to any host that a redirect names.
	HTTP *http.Client
	// API is how the server refuses.
	API *API
}

// Client sends requests to a server, and sends them again while the server
// cannot be reached or cannot answer. It is safe for concurrent use.
type Client struct {
	server   Server
	base     *url.URL
	http     http.Client
	retrying failsafe.Executor[*http.Response]
}

// NewClient returns a client that waits and retries as limits say, which are
// complete. It fails when the base URL cannot be parsed.
func NewClient(server Server, limits Limits) (*Client, error) {
	base, err := url.Parse(server.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("upstream: the base URL: %w", err)
	}
	c := &Client{server: server, base: base, retrying: failsafe.With(retries(limits))}
	c.http = *server.HTTP
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// Post sends a JSON body, and again as [Limits] say. The response is an answer
// with status 200, whose body the caller closes; everything else is an error:
// a [Refusal], or why there was no response. Nothing is retried once a server
// has answered 200.
//
// The body is not kept while the answer is read.
func (c *Client) Post(ctx context.Context, path, accept string, body []byte) (*http.Response, error) {
	response, err := c.retrying.WithContext(ctx).GetWithExecution(
		func(try failsafe.Execution[*http.Response]) (*http.Response, error) {
			discard(try.LastResult())
			return c.send(ctx, http.MethodPost, path, accept, body)
		})
	return c.server.API.accepted(response, err)
}

// Get asks once. The path may have a query. Its result is that of [Client.Post].
func (c *Client) Get(ctx context.Context, path string) (*http.Response, error) {
	return c.server.API.accepted(c.send(ctx, http.MethodGet, path, "application/json", nil))
}

// send sends one request. What a refusal says is read as far as 16 KiB only.
func (c *Client) send(ctx context.Context, method, path, accept string, body []byte) (*http.Response, error) {
	path, query, _ := strings.Cut(path, "?")
	address := c.base.JoinPath(path)
	address.RawQuery = query
	request, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range c.server.Header {
		request.Header[name] = values
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("User-Agent", "Parley")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := releaseBody(request, c.http.Do)
	if response != nil && response.StatusCode != http.StatusOK {
		noteRefusal(request)
		response.Body = limitedBody{io.LimitReader(response.Body, maxRefusalBytes), response.Body}
	}
	return response, err
}

// discard lets the connection of a response that is not wanted be used again.
func discard(response *http.Response) {
	if response == nil {
		return
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
}

type limitedBody struct {
	io.Reader
	io.Closer
}

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
