package harness

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Receiver is another program, on loopback, that webhooks are sent to. It answers by
// path, 204 unless it is told otherwise.
type Receiver struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]http.HandlerFunc
	came    []Arrival
}

// Arrival is a request of a webhook.
type Arrival struct {
	path   string
	Header http.Header
	Body   []byte
	Event  webhookEvent
}

type webhookEvent struct {
	Type      string         `json:"type"`
	Timestamp time.Time      `json:"timestamp"`
	Data      map[string]any `json:"data"`
}

// NewReceiver starts a receiver, until the test ends.
func NewReceiver(t *testing.T) *Receiver {
	t.Helper()
	r := &Receiver{answers: map[string]http.HandlerFunc{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		came := Arrival{path: request.URL.Path, Header: request.Header.Clone()}
		came.Body, _ = io.ReadAll(request.Body)
		_ = json.Unmarshal(came.Body, &came.Event) // a test sees what is missing
		r.mu.Lock()
		r.came = append(r.came, came)
		answer := r.answers[came.path]
		r.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w, request)
	}))
	t.Cleanup(r.Close)
	return r
}

// Host is what WEBHOOK_ALLOW admits.
func (r *Receiver) Host() string { return strings.TrimPrefix(r.URL, "http://") }

// On sets what is answered at a path.
func (r *Receiver) On(path string, answer http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[path] = answer
}

// At returns what has come at a path, of a type if there is one.
func (r *Receiver) At(path, kind string) (came []Arrival) {
	for _, a := range r.All() {
		if a.path == path && (kind == "" || a.Event.Type == kind) {
			came = append(came, a)
		}
	}
	return came
}

// All returns what has come.
func (r *Receiver) All() []Arrival {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.came)
}

// SignedWith reports whether a library of Standard Webhooks accepts the request.
func (a Arrival) SignedWith(t *testing.T, secret string) bool {
	t.Helper()
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Replace(a.Body, []byte("{"), []byte("{ "), 1)
	if hook.Verify(other, a.Header) == nil {
		t.Error("another body is accepted")
	}
	return hook.Verify(a.Body, a.Header) == nil
}
