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

const (
	// maxRefusalBytes bounds how much of a refusal's body is read.
	maxRefusalBytes = 16 << 10
	// maxHead bounds what a server can send before the body of its response,
	// informational responses included.
	maxHead = 64 << 10
)

// Server is one model server and the settings of its requests.
type Server struct {
	// BaseURL is the address in front of the paths of requests.
	BaseURL string
	// Header is sent with every request: the key, and the API's headers.
	Header http.Header
	// HTTP sends the requests. It never follows redirects, whatever its own
	// policy: a key and a question must not go to any host that a redirect names.
	HTTP *http.Client
	// API describes how the server refuses requests.
	API *API
}

// Client sends requests to a server, and retries while the server cannot be
// reached or cannot answer. It is safe for concurrent use.
type Client struct {
	server   Server
	base     *url.URL
	http     http.Client
	retrying failsafe.Executor[*http.Response]
}

// NewClient returns a client that waits and retries by limits, which must be
// complete. It fails if the base URL cannot be parsed.
func NewClient(server Server, limits Limits) (*Client, error) {
	base, err := url.Parse(server.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("upstream: parsing the base URL: %w", err)
	}
	c := &Client{server: server, base: base, retrying: failsafe.With(retries(limits))}
	c.http = *server.HTTP
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// Post sends a JSON body, and retries as [Limits] say. The response is an answer
// with status 200, whose body the caller closes; everything else is an error:
// a [Refusal], or why there was no response. Post never retries after a status of
// 200.
//
// It does not keep the body while the caller reads the answer.
func (c *Client) Post(ctx context.Context, path, accept string, body []byte) (*http.Response, error) {
	response, err := c.retrying.WithContext(ctx).GetWithExecution(
		func(try failsafe.Execution[*http.Response]) (*http.Response, error) {
			discard(try.LastResult())
			return c.send(ctx, http.MethodPost, path, accept, body)
		})
	return c.server.API.accepted(response, err)
}

// Get sends one request without retries. The path may have a query. The result is
// like [Client.Post]'s.
func (c *Client) Get(ctx context.Context, path string) (*http.Response, error) {
	return c.server.API.accepted(c.send(ctx, http.MethodGet, path, "application/json", nil))
}

// send sends one request. It reads at most 16 KiB of a refusal.
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
	response, err := c.exchange(request)
	if response != nil && response.StatusCode == http.StatusSwitchingProtocols {
		_ = response.Body.Close() // net/http hands such a connection over, and closes it no more.
		return nil, errSwitch
	}
	if response != nil && response.StatusCode != http.StatusOK {
		noteRefusal(request)
		response.Body = limitedBody{io.LimitReader(response.Body, maxRefusalBytes), response.Body}
	}
	return response, err
}

// exchange sends a request, and returns when its response begins. The work is deep,
// and is done on a goroutine that ends then: the caller's stack would stay as large
// as it once was, 16 KiB instead of 8, for as long as the stream is open.
func (c *Client) exchange(request *http.Request) (response *http.Response, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		response, err = releaseBody(request, c.http.Do)
	}()
	<-done
	return response, err
}

// discard lets the connection of an unwanted response be reused.
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

// NewHTTPClient returns the client for many long streams to one server. It keeps
// connections for the next stream, and speaks HTTP/1.1 to http addresses. It follows
// no redirects.
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
			// A line of a stream has some 150 to 300 bytes. A request is written in one
			// go, and a buffer lives as long as its connection.
			ReadBufferSize:         1 << 10,
			WriteBufferSize:        512,
			MaxResponseHeaderBytes: maxHead,
			// Compression would delay tokens, and costs 40 KiB per stream.
			DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
