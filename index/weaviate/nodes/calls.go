package nodes

import (
	"context"
	"errors"
	"io"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// RoundTrip implements [http.RoundTripper]. It ignores the request's host.
func (n *Nodes) RoundTrip(request *http.Request) (*http.Response, error) {
	var (
		response *http.Response
		err      error
		sent     bool
	)
	n.do(request.Context(), func(to *node) (gone bool) {
		attempt := request.Clone(request.Context())
		attempt.URL.Scheme, attempt.URL.Host, attempt.Host = n.scheme, to.REST, ""
		if sent && request.Body != nil && request.Body != http.NoBody {
			if request.GetBody == nil {
				return false // the first attempt has used the body up
			}
			body, failure := request.GetBody()
			if failure != nil {
				return false
			}
			attempt.Body = body
		}
		if response != nil {
			_ = response.Body.Close()
		}
		sent = true
		response, err = n.http.RoundTrip(attempt) //nolint:bodyclose // the caller closes the last one, and the lines above the others
		if err != nil {
			return !errors.Is(err, context.Canceled)
		}
		return unable(response.StatusCode)
	})
	return response, err
}

// unable reports whether a status means that another node may answer: this one
// starts, stops, or is a proxy without its server.
func unable(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}

// Invoke implements [grpc.ClientConnInterface].
func (n *Nodes) Invoke(ctx context.Context, method string, args, reply any, options ...grpc.CallOption) (err error) {
	n.do(ctx, func(to *node) (gone bool) {
		err = to.grpc.Invoke(ctx, method, args, reply, options...)
		if status.Code(err) == codes.Unavailable {
			// Otherwise the next call fails without an attempt until the connection's
			// own pause is over.
			to.grpc.ResetConnectBackoff()
		}
		return lost(ctx, err)
	})
	return err
}

// NewStream implements [grpc.ClientConnInterface].
func (n *Nodes) NewStream(ctx context.Context, description *grpc.StreamDesc, method string, options ...grpc.CallOption) (stream grpc.ClientStream, err error) {
	n.do(ctx, func(to *node) (gone bool) {
		stream, err = to.grpc.NewStream(ctx, description, method, options...)
		return lost(ctx, err)
	})
	return stream, err
}

// lost reports whether a call's node is down, or does not answer in time, or has
// ended a call that its caller still waits for.
func lost(ctx context.Context, err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded:
		return true
	case codes.Canceled:
		return ctx.Err() == nil
	}
	return false
}

// bounded bounds the size of answers: the vendor's client reads them to their end.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(request)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, answerSize), response.Body}
	}
	return response, err
}
