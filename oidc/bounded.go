package oidc

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"parley/internal/jsonsize"
)

// bounded returns a client whose answers are bounded in time and size: go-oidc and
// oauth2 read them whole.
func bounded(client *http.Client) *http.Client {
	limited := *client
	limited.Timeout = answerTime
	limited.Transport = limiter{client.Transport}
	return &limited
}

type limiter struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (l limiter) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(&limitedBody{response.Body, maxAnswer})
	err = errors.Join(err, response.Body.Close())
	if err == nil && (jsonsize.Check(body, maxValues) != nil || bytes.Count(body, []byte("&")) > maxValues) { // oauth2 reads forms, too
		err = errTooLarge
	}
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

var errTooLarge = errors.New("the provider's answer is too large")

// limitedBody fails after a number of bytes: an answer that is cut could mean something
// else.
type limitedBody struct {
	io.ReadCloser
	left int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
