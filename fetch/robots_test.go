package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/core/fault"
)

// serveRobots starts a site with a robots.txt.
func serveRobots(t *testing.T, robots, other http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/robots") {
			robots(w, r)
			return
		}
		other(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
}

func answers(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

func content(w http.ResponseWriter, _ *http.Request) { html(w, "content") }

const (
	notAllowed = "The site's robots.txt does not allow Parley to read this page."
	notKnown   = "Parley cannot read the site's robots.txt right now, so it does not know which pages it may read. It will try again later."
)

func TestSilentRobots(t *testing.T) {
	site := serveRobots(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, content)
	refused(t, open(t, Config{Longest: time.Second}, site.URL), site.URL+"/page", fault.Upstream, "Fetching was stopped. Parley will try the page again later.")
}

func TestRobots(t *testing.T) {
	t.Run("a page that it disallows is not requested", func(t *testing.T) {
		var asked atomic.Int64
		site := serveRobots(t, says("User-agent: parley\nDisallow: /private\n\nUser-agent: *\nDisallow: /public"),
			func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/private") {
					asked.Add(1)
				}
				html(w, "content")
			})
		f := open(t, Config{UserAgent: "Parley/1.0 (+https://example.com)"}, site.URL)
		failure := refused(t, f, site.URL+"/private/a?b=c", fault.Invalid, notAllowed)
		if !errors.Is(failure, ErrDisallowed) || asked.Load() > 0 {
			t.Errorf("cause %v, asked %d times", failure.Cause, asked.Load())
		}
		page(t, f, site.URL+"/public")
	})
	t.Run("neither is a disallowed target of a redirect", func(t *testing.T) {
		other := serveRobots(t, says("User-agent: *\nDisallow: /"), func(http.ResponseWriter, *http.Request) { t.Error("it was requested") })
		site := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/", http.StatusFound) })
		refused(t, open(t, Config{}, site.URL, other.URL), site.URL+"/", fault.Invalid, notAllowed)
	})
	for _, status := range []int{400, 401, 403, 404, 410, 451} {
		t.Run("without one (a "+http.StatusText(status)+") everything is allowed", func(t *testing.T) {
			site := serveRobots(t, answers(status), content)
			page(t, open(t, Config{}, site.URL), site.URL+"/")
		})
	}
	for _, status := range []int{429, 500, 503} {
		t.Run("while it fails (a "+http.StatusText(status)+") nothing is allowed", func(t *testing.T) {
			site := serveRobots(t, answers(status), func(http.ResponseWriter, *http.Request) { t.Error("a page was requested") })
			failure := refused(t, open(t, Config{}, site.URL), site.URL+"/", fault.Upstream, notKnown)
			if failure.RetryAfter <= 0 {
				t.Error("the fault does not say when to try again")
			}
		})
	}
	t.Run("while it is unreachable nothing is allowed, and the reason is the network's", func(t *testing.T) {
		site := serveRobots(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			func(http.ResponseWriter, *http.Request) { t.Error("a page was requested") })
		refused(t, open(t, Config{}, site.URL), site.URL+"/", fault.Upstream, "The connection broke before the page was complete.")
	})
	t.Run("its redirects are followed", func(t *testing.T) {
		site := serveRobots(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				http.Redirect(w, r, "/robots/real", http.StatusMovedPermanently)
				return
			}
			_, _ = w.Write([]byte("User-agent: *\nDisallow: /"))
		}, content)
		refused(t, open(t, Config{}, site.URL), site.URL+"/", fault.Invalid, notAllowed)
	})
	t.Run("if it redirects in a loop, it counts as missing", func(t *testing.T) {
		site := serveRobots(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/robots.txt", http.StatusFound)
		}, content)
		page(t, open(t, Config{}, site.URL), site.URL+"/")
	})
	t.Run("if it redirects to a private network, it is refused", func(t *testing.T) {
		site := serveRobots(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
		}, content)
		f := open(t, Config{Ports: []int{80}}, site.URL)
		refused(t, f, site.URL+"/", fault.Invalid, "There is no public site at this address. Check the address.")
	})
	t.Run("everything after 500 KiB is ignored", func(t *testing.T) {
		site := serveRobots(t, says("User-agent: *\nDisallow: /a\n"+strings.Repeat("#", 500<<10)+"\nDisallow: /b"), content)
		f := open(t, Config{}, site.URL)
		refused(t, f, site.URL+"/a", fault.Invalid, notAllowed)
		page(t, f, site.URL+"/b")
	})
	t.Run("a compressed file is read up to the limit", func(t *testing.T) {
		bomb := packed(t, []byte("User-agent: *\nDisallow: /a\n"+strings.Repeat("#", 4<<20)))
		site := serveRobots(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		}, content)
		refused(t, open(t, Config{}, site.URL), site.URL+"/a", fault.Invalid, notAllowed)
	})
}

func TestPoliteness(t *testing.T) {
	t.Run("pages of a host are fetched one by one, and robots.txt once", func(t *testing.T) {
		var present, files atomic.Int64
		site := serveRobots(t, func(w http.ResponseWriter, r *http.Request) {
			files.Add(1)
			http.NotFound(w, r)
		}, func(w http.ResponseWriter, _ *http.Request) {
			if present.Add(1) > 1 {
				t.Error("two at once")
			}
			present.Add(-1)
			html(w, "content")
		})
		f := open(t, Config{}, site.URL)
		var wait sync.WaitGroup
		for range maxReaders {
			wait.Go(func() { page(t, f, site.URL+"/") })
		}
		wait.Wait()
		if files.Load() != 1 {
			t.Errorf("robots.txt was read %d times", files.Load())
		}
	})
	t.Run("the pause is the longer of Parley's and the site's, up to a limit", func(t *testing.T) {
		for _, test := range []struct {
			delay  string
			config Config
			want   time.Duration
		}{
			{"0", Config{Delay: 2 * time.Second}, 2 * time.Second},
			{"0.5", Config{Delay: 2 * time.Second}, 2 * time.Second},
			{"7.5", Config{Delay: 2 * time.Second}, 7500 * time.Millisecond},
			{"86400", Config{Delay: 2 * time.Second}, 30 * time.Second},
			{"86400", Config{Delay: 2 * time.Second, MaxDelay: time.Minute}, time.Minute},
			{"soon", Config{}, 0},
		} {
			site := serveRobots(t, says("User-agent: *\nCrawl-delay: "+test.delay), content)
			f := open(t, test.config, site.URL)
			u, err := parseURL(site.URL + "/")
			if err != nil {
				t.Fatal(err)
			}
			for _, obedience := range []robotsPolicy{obey, slowly} {
				got, err := (&trip{fetcher: f, robots: obedience}).pause(t.Context(), u)
				if err != nil || got != test.want {
					t.Errorf("Crawl-delay %s: %v %v, want %v", test.delay, got, err, test.want)
				}
			}
		}
	})
	t.Run("a caller who goes away ends the pause", func(t *testing.T) {
		site := serveRobots(t, says("User-agent: *\nCrawl-delay: 30"), content)
		f := open(t, Config{}, site.URL)
		page(t, f, site.URL+"/1")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		_, err := f.Get(ctx, Request{URL: site.URL + "/2"})
		wants(t, site.URL, "", err, fault.Upstream, "Fetching was stopped. Parley will try the page again later.")
	})
	t.Run("requests name the program", func(t *testing.T) {
		const name = "Parley/1.0 (+https://example.com/robot)"
		site := serveRobots(t, func(w http.ResponseWriter, r *http.Request) {
			if r.UserAgent() != name {
				t.Errorf("%q", r.UserAgent())
			}
			http.NotFound(w, r)
		}, func(w http.ResponseWriter, r *http.Request) {
			if r.UserAgent() != name || r.Header.Get("Referer") != "" || r.Header.Get("Cookie") != "" {
				t.Errorf("%v", r.Header)
			}
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			html(w, "content")
		})
		f := open(t, Config{UserAgent: name}, site.URL)
		page(t, f, site.URL+"/")
		page(t, f, site.URL+"/")
	})
}
