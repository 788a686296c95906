package harness

import (
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
)

// Site is a web site whose pages can be changed.
type Site struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string
	holds map[string]chan struct{}
	// asked counts the requests for each path, and same those answered with
	// 304.
	asked map[string]int
	same  int
}

// NewSite starts a site without pages, until the test ends.
func NewSite(t *testing.T) *Site {
	t.Helper()
	s := &Site{pages: map[string]string{}, holds: map[string]chan struct{}{}, asked: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.mu.Lock()
		for _, hold := range s.holds {
			close(hold)
		}
		clear(s.holds)
		s.mu.Unlock()
		s.Close()
	})
	return s
}

// Allowed lets a program fetch from the site, which is on this machine.
func (s *Site) Allowed(c *app.Config) {
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
	c.FetchAllow, c.FetchDelay = []string{"127.0.0.0/8:" + port}, time.Millisecond
}

// Address is where a page of the site is.
func (s *Site) Address(path string) string { return s.URL + path }

// Put makes or changes a page, of a text and links.
func (s *Site) Put(path, text string, links ...string) {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>Page %s</title><main><h1>Page %s</h1><p>%s</p>", path, path, text)
	for _, link := range links {
		fmt.Fprintf(&b, `<p><a href="%s">More about %s</a></p>`, link, link)
	}
	s.mu.Lock()
	s.pages[path] = b.String() + "</main></html>"
	s.mu.Unlock()
}

// Remove takes a page away.
func (s *Site) Remove(path string) {
	s.mu.Lock()
	delete(s.pages, path)
	s.mu.Unlock()
}

// Hold keeps requests for a path waiting until it is released.
func (s *Site) Hold(path string) (release func()) {
	gate := make(chan struct{})
	s.mu.Lock()
	s.holds[path] = gate
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.holds[path] == gate {
			delete(s.holds, path)
			close(gate)
		}
	}
}

// Visits counts the requests for pages.
func (s *Site) Visits() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, times := range s.asked {
		if s.pages[path] != "" {
			n += times
		}
	}
	return n
}

// NotModified counts the requests that were answered with 304.
func (s *Site) NotModified() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.same
}

// ServeHTTP answers with a page.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked[r.URL.Path]++
	page, known := s.pages[r.URL.Path]
	gate := s.holds[r.URL.Path]
	s.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	if !known {
		http.NotFound(w, r)
		return
	}
	etag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(page)))
	w.Header().Set("ETag", etag)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.Header.Get("If-None-Match") == etag {
		s.mu.Lock()
		s.same++
		s.mu.Unlock()
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write([]byte(page))
}
