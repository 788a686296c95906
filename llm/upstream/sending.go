package upstream

import (
	"io"
	"net/http"
	"sync"
)

// releaseBody sends a request and releases its body once it is sent and the
// server has begun to answer. net/http keeps a request while its response is read,
// and with it the source of its body, which for a long stream is the largest
// thing in memory.
func releaseBody(request *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if request.Body == nil || request.Body == http.NoBody || request.GetBody == nil {
		return next(request)
	}
	source := &bodySource{open: request.GetBody}
	sent := request.WithContext(request.Context())
	sent.Body, sent.GetBody = &sentBody{from: request.Body}, source.reopen
	response, err := next(sent)
	if err == nil {
		source.release()
	}
	return response, err
}

// bodySource opens a body again, for a request that is resent on another
// connection.
type bodySource struct {
	mu   sync.Mutex
	open func() (io.ReadCloser, error)
}

func (s *bodySource) reopen() (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		return nil, http.ErrBodyReadAfterClose
	}
	body, err := s.open()
	if err != nil {
		return nil, err
	}
	return &sentBody{from: body}, nil
}

func (s *bodySource) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = nil
}

// sentBody holds nothing once it is closed, which net/http does after sending it.
type sentBody struct {
	mu   sync.Mutex
	from io.ReadCloser
}

func (b *sentBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.from == nil {
		return 0, http.ErrBodyReadAfterClose
	}
	return b.from.Read(p)
}

func (b *sentBody) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.from == nil {
		return nil
	}
	from := b.from
	b.from = nil
	return from.Close()
}
