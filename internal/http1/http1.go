// Package http1 owns a client of HTTP/1.1 whose open responses are cheap: a caller
// reads from the connection on its own goroutine, where net/http keeps two more
// goroutines and their buffers for each connection. Thousands of streams from a
// model server wait in it at the same time.
//
// It does not own the format of messages: package net/http writes requests and
// reads responses. It does not own TLS, proxies or HTTP/2 either: requests that need
// them take another transport.
package http1

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
)

const (
	// maxRequest is the longest body, in bytes, that is sent from here. A server
	// that refuses a longer one may answer before it has read it, and would have to
	// be heard while the rest is written.
	maxRequest = 256 << 10
	// maxHead bounds what a server can send before the body of its response.
	maxHead = 64 << 10
	// maxInformed is how many informational responses may precede a response.
	maxInformed = 5
)

var (
	errHead     = fmt.Errorf("http1: the response begins with more than %d bytes of headers", maxHead)
	errInformed = errors.New("http1: the server sends informational responses only")
	errSwitch   = errors.New("http1: the server changed the protocol, for which nobody asked")
	errHeader   = errors.New("http1: a header field has a character that none may have")
)

// Transport sends requests to http addresses. It is safe for concurrent use. Set its
// fields before its first use.
type Transport struct {
	// Dial opens connections.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Other gets the requests that are not for this transport: to https addresses,
	// through its proxies, and those with a body of more than 256 KiB or of unknown
	// length.
	Other *http.Transport

	idle idle
}

// RoundTrip implements [http.RoundTripper]. The response does not keep the request.
//
// It sends a request again only if the kept connection that it was to go over was
// closed, and nothing had been written to it.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	address, err := t.address(request)
	if err != nil {
		closeBody(request)
		return nil, err
	}
	if address == "" {
		return t.Other.RoundTrip(request)
	}
	if !isClean(request.Header) {
		closeBody(request)
		return nil, errHeader
	}
	// The work is deep, and the caller's stack would stay as large as it once was
	// for as long as the stream is open.
	done := make(chan exchanged, 1)
	go func() { done <- t.exchange(request, address) }()
	ended := <-done
	return ended.response, ended.err
}

// exchanged is how a request ended: with a response, or with an error.
type exchanged struct {
	response *http.Response
	err      error
}

// exchange sends a request, again if need be, and reads its response up to the body.
func (t *Transport) exchange(request *http.Request, address string) exchanged {
	for {
		ended, again := t.try(request, address)
		if !again {
			return ended
		}
		var err error
		if request, err = anew(request, ended.err); err != nil {
			return exchanged{err: err}
		}
	}
}

// CloseIdleConnections closes the connections that carry no request.
func (t *Transport) CloseIdleConnections() {
	t.idle.closeAll()
	t.Other.CloseIdleConnections()
}

// address returns where a request goes, or nothing if it goes by the other transport.
func (t *Transport) address(request *http.Request) (string, error) {
	u := request.URL
	if u.Scheme != "http" || request.ContentLength < 0 || request.ContentLength > maxRequest || !isASCII(u.Host) {
		return "", nil
	}
	if request.ContentLength == 0 && request.Body != nil && request.Body != http.NoBody {
		return "", nil
	}
	if t.Other.Proxy != nil {
		if proxy, err := t.Other.Proxy(request); err != nil || proxy != nil {
			return "", err
		}
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port), nil
}

// try sends a request over one connection. Again says that the server had closed it
// before.
func (t *Transport) try(request *http.Request, address string) (ended exchanged, again bool) {
	ctx := request.Context()
	if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.GetConn != nil {
		trace.GetConn(address)
	}
	c, kept := t.idle.take(address), true
	if c == nil {
		var err error
		if c, err = t.dial(ctx, address); err != nil {
			closeBody(request)
			return exchanged{err: causeOf(ctx, err)}, false
		}
		kept = false
	}
	c.stop = context.AfterFunc(ctx, c.cut)
	err := c.write(request)
	if err != nil && c.written == 0 {
		c.drop()
		return exchanged{err: causeOf(ctx, err)}, kept && ctx.Err() == nil
	}
	response, err := c.answer(request, err)
	if err != nil {
		c.drop()
		return exchanged{err: causeOf(ctx, err)}, false
	}
	response.Body = &body{from: response.Body, conn: c, ctx: ctx, keep: t.keeper(request, response)}
	if response.ContentLength == 0 || request.Method == http.MethodHead {
		_, _ = response.Body.Read(nil)
	}
	return exchanged{response: response}, false
}

func (t *Transport) dial(ctx context.Context, address string) (*conn, error) {
	opened, err := t.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: opened, address: address}, nil
}

// keeper returns what keeps the connection for the next request, or nil if one of
// the ends closes it.
func (t *Transport) keeper(request *http.Request, response *http.Response) *idle {
	if request.Close || response.Close {
		return nil
	}
	return &t.idle
}

// anew returns a request with its body from the beginning, or why it cannot be sent
// again.
func anew(request *http.Request, failed error) (*http.Request, error) {
	if request.Body == nil || request.Body == http.NoBody {
		return request, nil
	}
	if request.GetBody == nil {
		return nil, failed
	}
	body, err := request.GetBody()
	if err != nil {
		return nil, failed
	}
	again := *request
	again.Body = body
	return &again, nil
}

// causeOf returns why a request failed: the end of its context, if that is why.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func closeBody(request *http.Request) {
	if request.Body != nil {
		_ = request.Body.Close()
	}
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// isClean reports whether no value can end its header field.
func isClean(header http.Header) bool {
	for _, values := range header {
		for _, value := range values {
			if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }) {
				return false
			}
		}
	}
	return true
}
