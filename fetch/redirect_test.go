package fetch

import (
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"parley/core/fault"
)

func TestRedirects(t *testing.T) {
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var n int
		switch {
		case r.URL.Query().Has("to"):
			w.Header().Set("Location", r.URL.Query().Get("to"))
			w.WriteHeader(http.StatusFound)
		case r.URL.Path == "/circle":
			http.Redirect(w, r, "/circle/", http.StatusMovedPermanently)
		case r.URL.Path == "/circle/":
			http.Redirect(w, r, "/circle#again", http.StatusMovedPermanently)
		case r.URL.Path == "/nowhere":
			w.WriteHeader(http.StatusFound)
		case scan(r.URL.Path, &n) && n > 0:
			http.Redirect(w, r, fmt.Sprintf("/hop/%d", n-1), http.StatusTemporaryRedirect)
		default:
			html(w, "arrived at "+r.URL.Path)
		}
	})
	f := open(t, Config{}, site.URL)

	t.Run("five redirects are followed", func(t *testing.T) {
		got := page(t, f, site.URL+"/hop/5")
		if string(got.Body) != "arrived at /hop/0" || got.URL != site.URL+"/hop/0" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a sixth is not", func(t *testing.T) {
		refused(t, f, site.URL+"/hop/6", fault.Invalid, "The page redirects more than 5 times.")
	})
	t.Run("a loop is reported", func(t *testing.T) {
		refused(t, f, site.URL+"/circle", fault.Invalid, "The page redirects in a loop.")
	})
	t.Run("one without a target is reported", func(t *testing.T) {
		refused(t, f, site.URL+"/nowhere", fault.Invalid, "The page redirects, but does not say where to.")
	})
}

func scan(path string, n *int) bool {
	_, err := fmt.Sscanf(path, "/hop/%d", n)
	return err == nil
}

func TestForbiddenTargets(t *testing.T) {
	var reached atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		html(w, "secret")
	}))
	t.Cleanup(inside.Close)
	var to atomic.Value
	outside := httptest.NewUnstartedServer(withoutRobots(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to.Load().(string))
		w.WriteHeader(http.StatusFound)
	}))
	outside.Listener.Close()
	outside = serveAt(t, "127.0.0.3:0", outside.Config.Handler.ServeHTTP)
	public := Target{Network: netip.MustParsePrefix("127.0.0.3/32"), Ports: []uint16{uint16(port(t, outside.URL))}}
	f := New(Config{Allow: []Target{public}, Ports: []int{80, 443, port(t, outside.URL), port(t, inside.URL)}, Delay: -1})

	at := ":" + fmt.Sprint(port(t, inside.URL))
	const (
		private = "There is no public site at this address. Check the address."
		noHost  = "The address has a host name that cannot exist."
		scheme  = "Parley fetches only addresses that begin with http:// or https://."
		noURL   = "This is not a web address."
	)
	for target, sentence := range map[string]string{
		"http://127.0.0.1" + at:                private,
		"//127.0.0.1" + at:                     private,
		"http://127.0.0.1":                     private,
		"http://[::ffff:127.0.0.1]" + at:       private,
		"http://[::ffff:7f00:1]" + at:          private,
		"http://[::127.0.0.1]" + at:            private,
		"http://[::1]" + at:                    private,
		"http://[::]" + at:                     private,
		"http://0.0.0.0" + at:                  private,
		"http://%31%32%37.0.0.1" + at:          private,
		"http://127。0。0。1" + at:                private,
		"http://１２７.0.0.1" + at:                private,
		"http://localhost" + at:                private,
		"http://LOCALHOST." + at:               private,
		"http://169.254.169.254/latest/":       private,
		"http://[::ffff:169.254.169.254]/":     private,
		"http://[fd00:ec2::254]/":              private,
		"http://100.100.100.200/":              private,
		"http://168.63.129.16/":                private,
		"http://[64:ff9b::127.0.0.1]" + at:     private,
		"http://[64:ff9b::a9fe:a9fe]/":         private,
		"http://[64:ff9b:1::10.0.0.1]/":        private,
		"http://[2002:7f00:1::]/":              private,
		"http://[2001:0:7f00:1::]/":            private,
		"http://2130706433" + at:               noHost,
		"http://0x7f.1" + at:                   noHost,
		"http://0x7f000001" + at:               noHost,
		"http://127.1" + at:                    noHost,
		"http://127.0.1" + at:                  noHost,
		"http://0177.0.0.1" + at:               noHost,
		"http://017700000001" + at:             noHost,
		"http://127.0.0.1.." + at:              noHost,
		"http://127.0.0.256" + at:              noHost,
		"http://[fe80::1%25lo]" + at:           noHost,
		"http://a..b/":                         noHost,
		"http://xn--a/":                        noHost,
		"http://user:pw@127.0.0.1" + at:        "Parley does not fetch addresses that contain a user name or password.",
		"http://:80/":                          "The address has no host, such as www.example.com.",
		"http:///etc/passwd":                   "The address has no host, such as www.example.com.",
		"http://example.com:99999/":            "The address has a port that does not exist.",
		"file:///etc/passwd":                   scheme,
		"gopher://127.0.0.1:6379/_PING":        scheme,
		"ftp://127.0.0.1/":                     scheme,
		"javascript:alert(1)":                  scheme,
		"data:text/html,hello":                 scheme,
		"http://127.0.0.1:x/":                  noURL,
		"http://a b/":                          noURL,
		"http://example.com\\@127.0.0.1/":      "Parley does not fetch addresses that contain a user name or password.",
		"http://" + strings.Repeat("a", 5000):  "The address is longer than 4096 characters.",
		"http://" + strings.Repeat("a.", 130):  noHost,
		"http://" + strings.Repeat("a", 64):    noHost,
		"http://[::1" + at:                     noURL,
		"http://127.0.0.1:22/":                 "Parley does not fetch pages from this port. Use an address on port 80 or 443.",
		"http://[::ffff:127.0.0.1%25lo]" + at:  noHost,
		"http://0:80/":                         noHost,
		"http://example.com:0/":                "The address has a port that does not exist.",
		"http://127.0.0.1\u00ad" + at:          private,
		"http://\u2460\u2461\u2466.0.0.1" + at: private,
	} {
		t.Run("a redirect to "+short(target)+" is refused", func(t *testing.T) {
			to.Store(target)
			_, err := f.Get(t.Context(), Request{URL: outside.URL + "/"})
			expectEither(t, err, sentence, "The page redirects to an address that Parley cannot fetch: "+sentence)
		})
		t.Run("and so is the address itself", func(t *testing.T) {
			if strings.HasPrefix(target, "//") {
				target = "http:" + target
			}
			_, err := f.Get(t.Context(), Request{URL: target})
			expectEither(t, err, sentence, sentence)
		})
	}
	if reached.Load() > 0 {
		t.Errorf("the private server was reached %d times", reached.Load())
	}
}

func short(text string) string { return text[:min(len(text), 60)] }

func expectEither(t *testing.T, err error, a, b string) {
	t.Helper()
	if err == nil {
		t.Fatal("it was fetched")
	}
	failure := fault.As(err)
	if failure.Kind != fault.Invalid || failure.Message != a && failure.Message != b {
		t.Errorf("kind %d, %q\nwant %q\ncause %v", failure.Kind, failure.Message, a, failure.Cause)
	}
}

func TestFromSecureToPlain(t *testing.T) {
	plain := serve(t, func(w http.ResponseWriter, _ *http.Request) { html(w, "plain") })
	secure := httptest.NewUnstartedServer(withoutRobots(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plain.URL+"/", http.StatusFound)
	}))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it would log each client that leaves
	secure.StartTLS()
	t.Cleanup(secure.Close)
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())

	t.Run("is allowed", func(t *testing.T) {
		f := open(t, Config{Roots: roots}, plain.URL, secure.URL)
		if got := page(t, f, secure.URL+"/"); string(got.Body) != "plain" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a certificate from an unknown authority is refused", func(t *testing.T) {
		f := open(t, Config{}, plain.URL, secure.URL)
		refused(t, f, secure.URL+"/", fault.Invalid, "The site's certificate is not valid, so Parley cannot be sure that it is the right site.")
	})
	t.Run("a plain server at a secure address is reported", func(t *testing.T) {
		f := open(t, Config{}, plain.URL)
		refused(t, f, "https"+strings.TrimPrefix(plain.URL, "http")+"/", fault.Upstream, "Parley could not make a secure connection to the server.")
	})
}
