package turns

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/app"
	"parley/e2e/harness"
	"parley/store/storetest"
)

const (
	// canceledRequests are sent by two workspaces, and most are canceled; without
	// -short allCanceledRequests are. A slow machine sends fewer after canceledWithin,
	// but goes on until canceledLeast were canceled.
	canceledRequests    = 1_200
	allCanceledRequests = 10_000
	canceledWithin      = 45 * time.Second
	canceledLeast       = 1_000
	cancelers           = 8
	// wholeEvery is how often a request of each kind and workspace is not canceled.
	wholeEvery     = 20
	kindsOfRequest = 5
)

// TestNothingCrossesWhenRequestsAreCanceled cancels requests of two workspaces at random
// instants. A buffer, a connection, a transaction or a shared statement that one leaves
// half used must not show anything of it to the other.
func TestNothingCrossesWhenRequestsAreCanceled(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test := func(t *testing.T, index func(*app.Config)) {
				url := database(t)
				w := harness.Start(t, index, func(c *app.Config) { c.DatabaseURL = url })
				w.HasNoRates()
				c := canceling{Instance: w, holders: []harness.CanaryHolder{w.NewCanaryHolder("zorblax", "quentrix"), w.NewCanaryHolder("quentrix", "zorblax")}}
				c.measure()
				c.run(t)
			}
			if testing.Short() && name == "sqlite" { // PostgreSQL has both indexes
				test(t, func(*app.Config) {})
				return
			}
			// Within, since two installations must not share an index.
			harness.OnBothIndexes(t, test)
		})
	}
}

// canceling is the requests of two workspaces, which share connections to the server.
type canceling struct {
	*harness.Instance
	holders []harness.CanaryHolder
	client  http.Client
	// took is how long the last whole request of each kind took: the next one is canceled
	// within that time.
	took [kindsOfRequest]atomic.Int64

	sent, canceled, whole atomic.Int64
}

// measure reads how long each kind of request takes when it is alone.
func (c *canceling) measure() {
	c.Helper()
	for kind := range kindsOfRequest {
		c.request(c.Context(), c.holders[0], kind, kind)
		if c.took[kind].Load() == 0 {
			c.Fatalf("a request of kind %d that is not canceled fails", kind)
		}
	}
}

// canceledRequest is a request of a workspace.
type canceledRequest struct {
	method, path, body string
	by                 harness.Header
}

// kinds are the requests of a workspace that read or make what has its canary.
func (c *canceling) kinds(h harness.CanaryHolder, n int) [kindsOfRequest]canceledRequest {
	question := fmt.Sprintf(`{"message":"What is the rule for %s? (%d)"}`, harness.Topics[n%len(harness.Topics)], n)
	chatbot := "/api/chatbots/" + h.Chatbot
	return [kindsOfRequest]canceledRequest{
		{"POST", "/api/v1/chat", question, harness.Bearer(h.Token)},
		{"POST", "/api/v1/chat/stream", question, harness.Bearer(h.Token)},
		{"POST", chatbot + "/evaluate", `{"questions":[{"question":"What is the rule for ` + harness.Topics[n%len(harness.Topics)] + `?"}]}`, h.Owner},
		{"GET", chatbot + "/documents", "", h.Owner},
		{"GET", "/chatbots/" + h.Chatbot + "/knowledge", "", h.Owner},
	}
}

// run sends the requests, and looks at what came and at what was stored.
func (c *canceling) run(t *testing.T) {
	t.Helper()
	until, cancel := context.WithTimeout(c.Context(), canceledWithin)
	defer cancel()
	most := canceledRequests
	if !testing.Short() {
		most = allCanceledRequests
	}
	var all sync.WaitGroup
	for range cancelers {
		all.Go(func() {
			for until.Err() == nil || c.canceled.Load() < canceledLeast {
				n := int(c.sent.Add(1))
				if n > most {
					return
				}
				c.send(n)
			}
		})
	}
	all.Wait()
	t.Logf("%d requests were canceled, and %d came whole", c.canceled.Load(), c.whole.Load())
	t.Run("many are canceled, and some come whole", func(t *testing.T) {
		if c.canceled.Load() < canceledLeast || c.whole.Load() < canceledLeast/wholeEvery {
			t.Errorf("%d were canceled, and %d came whole", c.canceled.Load(), c.whole.Load())
		}
	})
	t.Run("no conversation has the canary of another workspace", func(t *testing.T) {
		inner := c.Within(t)
		for _, h := range c.holders {
			checkStored(inner, h)
		}
	})
}

// send sends the nth request, and cancels most.
func (c *canceling) send(n int) {
	h := c.holders[n%len(c.holders)]
	kind := n / len(c.holders) % kindsOfRequest
	ctx := c.Context()
	if n/len(c.holders)/kindsOfRequest%wholeEvery != 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(1+rand.N(c.took[kind].Load())))
		defer cancel()
	}
	c.request(ctx, h, kind, n)
}

// request sends a request of a kind, and reads as much as comes until ctx ends.
func (c *canceling) request(ctx context.Context, h harness.CanaryHolder, kind, n int) {
	r, began := c.kinds(h, n)[kind], time.Now()
	request, err := http.NewRequestWithContext(ctx, r.method, c.Base+r.path, strings.NewReader(r.body))
	if err != nil {
		c.Error(err)
		return
	}
	request.Header.Set(r.by.Name, r.by.Value)
	if r.body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.client.Do(request)
	if err != nil {
		c.broken(ctx, r, err)
		return
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if strings.Contains(string(text), h.Foreign) {
		c.Errorf("%s has the canary of another workspace: %s", r.path, harness.Shortened(string(text)))
	}
	switch {
	case err != nil:
		c.broken(ctx, r, err)
	case response.StatusCode != http.StatusOK || !strings.Contains(string(text), h.Canary):
		c.Errorf("%s gives %d: %s", r.path, response.StatusCode, harness.Shortened(string(text)))
	default:
		c.whole.Add(1)
		c.took[kind].Store(int64(time.Since(began)))
	}
}

// broken counts a request that was canceled, and fails for any other end.
func (c *canceling) broken(ctx context.Context, r canceledRequest, err error) {
	if ctx.Err() == nil {
		c.Errorf("%s: %v", r.path, err)
		return
	}
	c.canceled.Add(1)
}

// checkStored reads a workspace's last conversations back.
func checkStored(w *harness.Instance, h harness.CanaryHolder) {
	w.Helper()
	list := w.Call("GET", "/api/v1/conversations?limit=100", "", harness.Bearer(h.Token))
	w.Expect(list, http.StatusOK)
	conversations, _ := list.Data["conversations"].([]any)
	own := 0
	for _, one := range conversations {
		conversation, _ := one.(map[string]any)
		id := fmt.Sprintf("%.0f", conversation["conversation_id"])
		messages := w.Call("GET", "/api/v1/conversations/"+id+"/messages?include=sources", "", harness.Bearer(h.Token))
		w.Expect(messages, http.StatusOK)
		if strings.Contains(messages.Text, h.Foreign) {
			w.Errorf("conversation %s has the canary of another workspace: %s", id, harness.Shortened(messages.Text))
		}
		if strings.Contains(messages.Text, h.Canary) {
			own++
		}
	}
	if own == 0 {
		w.Errorf("none of %d conversations has the canary of its own workspace: %s", len(conversations), harness.Shortened(list.Text))
	}
}
