package fetch

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
)

func TestReaders(t *testing.T) {
	for name, path := range map[string]string{"page": "/", "robots.txt": "/robots.txt"} {
		t.Run("a host whose "+name+" trickles occupies three readers and no more", func(t *testing.T) {
			asked, free := make(chan struct{}, 10), make(chan struct{})
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != path {
					http.NotFound(w, r)
					return
				}
				w.WriteHeader(http.StatusOK)
				w.(http.Flusher).Flush()
				asked <- struct{}{}
				<-free
			}))
			t.Cleanup(site.Close)
			f := open(t, Config{}, site.URL)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, maxReaders)
			for range maxReaders {
				go func() {
					_, err := f.Get(ctx, Request{URL: site.URL + "/"})
					ended <- err
				}()
			}
			<-asked
			for f.slots.reading(site.URL) < maxReaders {
				time.Sleep(time.Millisecond)
			}
			for _, read := range []func() error{
				func() error { _, err := f.Get(t.Context(), Request{URL: site.URL + "/other"}); return err },
				func() error { _, err := f.Discover(t.Context(), site.URL, Rules{}); return err },
			} {
				if err := read(); !fault.Is(err, fault.RateLimited) || fault.As(err).RetryAfter != crowdedFor {
					t.Errorf("another reader got %v", err)
				}
			}
			if len(ended) > 0 {
				t.Errorf("a reader has ended: %v", <-ended)
			}
			cancel()
			close(free)
			for range maxReaders {
				<-ended
			}
			if n := f.slots.reading(site.URL); n != 0 {
				t.Errorf("%d readers are left", n)
			}
		})
	}
}

// reading returns how many readers the host of an address has.
func (t *slots) reading(address string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "http://"), ":")
	return t.readers[host]
}
