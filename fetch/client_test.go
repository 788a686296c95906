package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"code.dny.dev/ssrf"
)

// ask sends a request with a key, as to a model.
func ask(t *testing.T, client *http.Client, address string) (*http.Response, error) {
	t.Helper()
	t.Cleanup(client.CloseIdleConnections)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer sk-secret")
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Error(err)
	}
	return response, response.Body.Close()
}

func allowing(prefixes ...string) Config {
	return Config{Allow: opened(prefixes...)}
}

func TestClient(t *testing.T) {
	t.Run("a private address is refused, on any port and in any notation", func(t *testing.T) {
		var reached atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
		t.Cleanup(server.Close)
		at := strconv.Itoa(port(t, server.URL))
		for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0", "[::]", "2130706433", "127.1", "169.254.169.254", "10.0.0.1"} {
			ctx, cancel := context.WithTimeout(t.Context(), handshakeTime)
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+":"+at+"/v1/models", nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := NewClient(Config{}).Do(request)
			cancel()
			if err == nil {
				_ = response.Body.Close()
				t.Errorf("%s was reached", host)
			}
		}
		if n := reached.Load(); n > 0 {
			t.Errorf("the server was reached %d times", n)
		}
	})

	t.Run("the operator's networks are reachable on any port", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(server.Close)
		response, err := ask(t, NewClient(allowing("127.0.0.1/32")), server.URL)
		if err != nil || response.StatusCode != http.StatusNotFound {
			t.Errorf("%v", err)
		}
	})

	t.Run("any port of a public address is admitted", func(t *testing.T) {
		g := newGuard(Config{})
		for _, at := range []uint16{1, 80, 443, 8000, 11434, 65535} {
			if err := control(g, "1.1.1.1", at); err != nil {
				t.Errorf("%d: %v", at, err)
			}
			if err := control(g, "10.0.0.1", at); !errors.Is(err, ssrf.ErrProhibitedIP) {
				t.Errorf("%d: %v", at, err)
			}
		}
	})

	t.Run("without encryption only the operator's networks are reachable", func(t *testing.T) {
		plain := newGuard(Config{Allow: allowing("10.1.0.0/16", "fd12::/16").Allow, Deny: everywhere})
		for address, allowed := range map[string]bool{"10.1.2.3": true, "fd12::1": true, "1.1.1.1": false, "10.2.0.1": false, "2606:4700::1": false} {
			if err := control(plain, address, 80); (err == nil) != allowed {
				t.Errorf("%s: %v", address, err)
			}
		}
		if _, err := ask(t, NewClient(Config{}), "http://1.1.1.1/v1"); !errors.Is(err, ssrf.ErrProhibitedIP) {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("with encryption a server in an allowed network is reachable, if its certificate is valid", func(t *testing.T) {
		server := httptest.NewTLSServer(http.NotFoundHandler())
		t.Cleanup(server.Close)
		if _, err := ask(t, NewClient(allowing("127.0.0.1/32")), server.URL); err == nil {
			t.Error("an unknown certificate is trusted")
		}
		config := allowing("127.0.0.1/32")
		config.Roots = x509.NewCertPool()
		config.Roots.AddCert(server.Certificate())
		if response, err := ask(t, NewClient(config), server.URL); err != nil || response.StatusCode != http.StatusNotFound {
			t.Errorf("%v", err)
		}
		config.Allow = nil
		if _, err := ask(t, NewClient(config), server.URL); !errors.Is(err, ssrf.ErrProhibitedIP) {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("a redirect is returned as the response, and the key goes no further", func(t *testing.T) {
		var reached atomic.Int64
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
		t.Cleanup(other.Close)
		for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, other.URL, status)
			}))
			t.Cleanup(server.Close)
			response, err := ask(t, NewClient(allowing("127.0.0.1/32")), server.URL)
			if err != nil || response.StatusCode != status {
				t.Errorf("%d: %v", status, err)
			}
		}
		if n := reached.Load(); n > 0 {
			t.Errorf("the other server was reached %d times", n)
		}
	})

	t.Run("a proxy in the environment is ignored", func(t *testing.T) {
		var reached atomic.Int64
		proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
		t.Cleanup(proxy.Close)
		t.Setenv("HTTP_PROXY", proxy.URL)
		t.Setenv("HTTPS_PROXY", proxy.URL)
		if both, ok := NewClient(Config{}).Transport.(byScheme); !ok || both.secure.Proxy != nil || both.plain.Proxy != nil {
			t.Error("the client may have a proxy")
		}
		if _, err := ask(t, NewClient(Config{}), "http://model.invalid/"); err == nil || reached.Load() > 0 {
			t.Errorf("the proxy was asked %d times, %v", reached.Load(), err)
		}
	})

	t.Run("a name that becomes private is refused at the next connection", func(t *testing.T) {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			html(w, "public")
		})
		names := &nameServer{answers: [][]netip.Addr{{netip.MustParseAddr("127.0.0.1")}, {netip.MustParseAddr("127.0.0.2")}}}
		config := allowing("127.0.0.1/32")
		config.Resolver = names.resolver(t)
		client := NewClient(config)
		address := "http://rebind.example:" + strconv.Itoa(port(t, server.URL))
		if response, err := ask(t, client, address); err != nil || response.StatusCode != http.StatusOK {
			t.Fatal(err)
		}
		if _, err := ask(t, client, address); !errors.Is(err, ssrf.ErrProhibitedIP) {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("the next request reuses the connection", func(t *testing.T) {
		var connections atomic.Int64
		var seen sync.Map
		server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			if _, known := seen.LoadOrStore(r.RemoteAddr, true); !known {
				connections.Add(1)
			}
		})
		client := NewClient(allowing("127.0.0.1/32"))
		for range 3 {
			if _, err := ask(t, client, server.URL+"/v1"); err != nil {
				t.Fatal(err)
			}
		}
		if n := connections.Load(); n != 1 {
			t.Errorf("there were %d connections", n)
		}
	})
}
