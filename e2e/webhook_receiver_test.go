package e2e

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

// receiver is another program, on loopback, that webhooks are sent to. It answers by
// path, 204 unless it is told otherwise.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]http.HandlerFunc
	came    []arrival
}

// arrival is a request of a webhook.
type arrival struct {
	path   string
	header http.Header
	body   []byte
	event  webhookEvent
}

type webhookEvent struct {
	Type      string         `json:"type"`
	Timestamp time.Time      `json:"timestamp"`
	Data      map[string]any `json:"data"`
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{answers: map[string]http.HandlerFunc{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		came := arrival{path: request.URL.Path, header: request.Header.Clone()}
		came.body, _ = io.ReadAll(request.Body)
		_ = json.Unmarshal(came.body, &came.event) // a test sees what is missing
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

// host is what WEBHOOK_ALLOW admits.
func (r *receiver) host() string { return strings.TrimPrefix(r.URL, "http://") }

// on sets what is answered at a path.
func (r *receiver) on(path string, answer http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[path] = answer
}

// at returns what has come at a path, of a type if there is one.
func (r *receiver) at(path, kind string) (came []arrival) {
	for _, a := range r.all() {
		if a.path == path && (kind == "" || a.event.Type == kind) {
			came = append(came, a)
		}
	}
	return came
}

func (r *receiver) all() []arrival {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.came)
}

// signedWith reports whether a library of Standard Webhooks accepts the request.
func (a arrival) signedWith(t *testing.T, secret string) bool {
	t.Helper()
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Replace(a.body, []byte("{"), []byte("{ "), 1)
	if hook.Verify(other, a.header) == nil {
		t.Error("another body is accepted")
	}
	return hook.Verify(a.body, a.header) == nil
}
