package fetch

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/core/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loopback is the network of the tests' own servers.
var loopback = Target{Network: netip.MustParsePrefix("127.0.0.1/32")}

// opened returns targets for networks, open on all ports.
func opened(prefixes ...string) (targets []Target) {
	for _, prefix := range prefixes {
		targets = append(targets, Target{Network: netip.MustParsePrefix(prefix)})
	}
	return targets
}

// serve starts a server without a robots.txt, unless the handler has one.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(withoutRobots(handler))
	t.Cleanup(server.Close)
	return server
}

func withoutRobots(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		handler(w, r)
	}
}

// open returns a fetcher without pauses that reaches the servers at the given
// addresses.
func open(t *testing.T, config Config, addresses ...string) *Fetcher {
	t.Helper()
	config.Allow = append(config.Allow, loopback)
	for _, address := range addresses {
		config.Ports = append(config.Ports, port(t, address))
	}
	if config.Delay == 0 {
		config.Delay = -1
	}
	return New(config)
}

func port(t *testing.T, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// page fetches a page and fails the test if it cannot.
func page(t *testing.T, f *Fetcher, address string) Page {
	t.Helper()
	got, err := f.Get(t.Context(), Request{URL: address})
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return got
}

// refused fetches a page that must fail, and checks the kind and the message.
func refused(t *testing.T, f *Fetcher, address string, kind fault.Kind, sentence string) *fault.Error {
	t.Helper()
	got, err := f.Get(t.Context(), Request{URL: address})
	return wants(t, address, string(got.Body), err, kind, sentence)
}

func wants(t *testing.T, address, body string, err error, kind fault.Kind, sentence string) *fault.Error {
	t.Helper()
	if err == nil {
		t.Fatalf("%s was fetched: %.80q", address, body)
	}
	failure := fault.As(err)
	if failure.Kind != kind || failure.Message != sentence {
		t.Fatalf("%s: kind %d, %q\nwant kind %d, %q\ncause: %v", address, failure.Kind, failure.Message, kind, sentence, failure.Cause)
	}
	if body != "" {
		t.Errorf("%s: a body came with the failure", address)
	}
	return failure
}

func html(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	_, _ = w.Write([]byte(text))
}

// raw starts a server that writes a response as given, byte by byte.
func raw(t *testing.T, answer func(ctx context.Context, conn net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		accept(ctx, listener, answer)
	}()
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		<-done
	})
	return "http://" + listener.Addr().String()
}

// accept serves one connection after another. It has no robots.txt.
func accept(ctx context.Context, listener net.Listener, answer func(context.Context, net.Conn)) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		buffer := make([]byte, 4096)
		n, _ := conn.Read(buffer)
		if n > 16 && string(buffer[:15]) == "GET /robots.txt" {
			_, _ = conn.Write([]byte("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
		} else {
			answer(ctx, conn)
		}
		_ = conn.Close()
	}
}

func escape(text string) string { return url.QueryEscape(text) }
