package stripetest

import (
	"bufio"
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stripe/stripe-go/v76"

	"parley/internal/testinputs"
)

// Mock is a stripe-mock, which checks requests against Stripe's description of its API and
// answers with examples: https://github.com/stripe/stripe-mock
type Mock struct {
	// URL is the address of a proxy in front of it, which records the requests.
	URL   string
	mu    sync.Mutex
	calls map[string]int
}

// NewMock builds stripe-mock with the tools of the module at top, and starts it on a free
// port.
func NewMock(t *testing.T, top string) *Mock {
	t.Helper()
	testinputs.Use()
	find := exec.Command("go", "tool", "-modfile=tools/go.mod", "-n", "stripe-mock")
	find.Dir, find.Stderr = top, os.Stderr
	found, err := find.Output()
	if err != nil {
		t.Fatalf("build stripe-mock, which is a tool of tools/go.mod: %v", err)
	}
	server := exec.Command(strings.TrimSpace(string(found)), "-http-addr", "127.0.0.1:")
	output, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatalf("start stripe-mock: %v", err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	m := &Mock{calls: map[string]int{}}
	front := httptest.NewServer(m.proxy(t, addressIn(t, output)))
	t.Cleanup(front.Close)
	m.URL = front.URL
	return m
}

var listening = regexp.MustCompile(`Listening for HTTP at address: (\S+)`)

func addressIn(t *testing.T, output io.Reader) string {
	t.Helper()
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			return found[1]
		}
	}
	t.Fatal("stripe-mock ended without listening")
	return ""
}

// proxy forwards requests, and fails the test for a refused one.
func (m *Mock) proxy(t *testing.T, address string) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	proxy.ModifyResponse = func(response *http.Response) error {
		request := response.Request
		body, err := io.ReadAll(response.Body)
		response.Body = io.NopCloser(bytes.NewReader(body))
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s %s is refused: %s", request.Method, request.URL, body)
		}
		if request.Method != http.MethodGet && request.Header.Get("Idempotency-Key") == "" {
			t.Errorf("%s %s has no idempotency key", request.Method, request.URL)
		}
		if request.Header.Get("Stripe-Version") != stripe.APIVersion {
			t.Errorf("%s %s is of version %q", request.Method, request.URL, request.Header.Get("Stripe-Version"))
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.calls[request.Method+" "+anyID.ReplaceAllString(request.URL.Path, "/{id}")]++
		return err
	}
	return proxy
}

var anyID = regexp.MustCompile(`/(cus|sub|price|prod|cs|bpc|parley|in|we|ch|dp|pm)_[^/]+`)

// Calls returns each method and path sent, sorted, without ids.
func (m *Mock) Calls() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.calls))
}
