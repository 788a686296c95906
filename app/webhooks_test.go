package app

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"parley/core/account"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/webhook"
	"parley/store/storetest"
)

// receiver is another program, which keeps what it is sent.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	status   int
	asked    string
	got      []received
	arriving func()
}

type received struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{status: http.StatusNoContent}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		r.got = append(r.got, received{request.Header.Clone(), body})
		status, asked, arriving := r.status, r.asked, r.arriving
		r.mu.Unlock()
		if arriving != nil {
			arriving()
		}
		w.Header().Set("Location", "/elsewhere")
		if asked != "" {
			w.Header().Set("Retry-After", asked)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "the answer")
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answers(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// asks sets what is said in Retry-After.
func (r *receiver) asks(header string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = header
}

// take returns what has come since it was called last.
func (r *receiver) take() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

// hooks is a program whose clock stands, with a workspace on the Standard plan.
type hooks struct {
	*testing.T
	*Program
	at    time.Time
	space string
	to    *receiver
}

func openHooks(t *testing.T, database string) *hooks {
	t.Helper()
	h := &hooks{T: t, at: Now(), to: newReceiver(t)}
	base := Config{}
	base.DataDir, base.DatabaseURL = t.TempDir(), database
	base.WebhookAllow = []string{"127.0.0.1:*"}
	base.SecretKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	var err error
	h.Program, err = OpenWith(t.Context(), &base, slog.New(slog.DiscardHandler), Options{Now: func() time.Time { return h.at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	_, h.space, err = h.Tenants.SignUps.Create(t.Context(), account.Account{Email: "owner@example.com", Password: "correct horse battery", Workspace: "Shop"})
	h.must(err)
	h.must(h.Tenants.Grants.Grant(t.Context(), h.space, subscription.Grant{Plan: plan.Standard}))
	return h
}

func (h *hooks) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *hooks) endpoint(kinds ...webhook.Kind) (webhook.Endpoint, webhook.Secret) {
	h.Helper()
	e, secret, err := h.Webhooks.Endpoints.Create(h.Context(), h.space, webhook.Settings{URL: h.to.URL + "/in", Kinds: kinds})
	h.must(err)
	return e, secret
}

// sent sends what is due, and returns what has arrived.
func (h *hooks) sent() []received {
	h.Helper()
	h.must(h.Webhooks.Sender.Work(h.Context()))
	h.Webhooks.Sender.Wait()
	return h.to.take()
}

func (h *hooks) deliveries(e webhook.Endpoint) []webhook.Delivery {
	h.Helper()
	all, err := h.Webhooks.Deliveries.List(h.Context(), h.space, e.ID, 0, 100)
	h.must(err)
	return all
}

func verified(t *testing.T, secret webhook.Secret, r received) bool {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(string(secret))
	if err != nil {
		t.Fatal(err)
	}
	return verifier.Verify(r.body, r.header) == nil
}

func TestWebhooks(t *testing.T) {
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openHooks(t, database(t))
			testSecretsOfWebhooks(h)
			testRetriesOfWebhooks(h)
			testEventsOfWebhooks(h)
			testLimitsOfWebhooks(h)
		})
	}
}

// run runs a part of a test.
func (h *hooks) run(name string, test func(*testing.T)) {
	h.T.Run(name, func(t *testing.T) {
		outer := h.T
		h.T = t
		defer func() { h.T = outer }()
		test(t)
	})
}
