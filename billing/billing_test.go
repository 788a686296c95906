package billing_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/billing"
)

// newStripe is a server that speaks the part of Stripe's wire format that is
// used here, and takes one key.
func newStripe(t *testing.T, key string) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"type":"invalid_request_error","message":"Invalid API Key provided: sk_te***key"}}`))
			return
		}
		_, _ = w.Write([]byte(`{"object":"balance","available":[],"pending":[],"livemode":false}`))
	}))
	t.Cleanup(server.Close)
	return server
}

func TestCheck(t *testing.T) {
	server := newStripe(t, "sk_test_right")

	t.Run("a key that Stripe takes is fine", func(t *testing.T) {
		if err := billing.New("sk_test_right", server.URL).Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	})

	t.Run("a wrong key is named as the cause, and not shown", func(t *testing.T) {
		err := billing.New("sk_test_wrongkey", server.URL).Check(t.Context())
		if err == nil || !strings.Contains(err.Error(), "STRIPE_SECRET_KEY") || strings.Contains(err.Error(), "key provided") {
			t.Fatalf("got %v", err)
		}
	})

	t.Run("a Stripe that is away is not a wrong key", func(t *testing.T) {
		gone := httptest.NewServer(http.NotFoundHandler())
		gone.Close()
		err := billing.New("sk_test_right", gone.URL).Check(t.Context())
		if err == nil || strings.Contains(err.Error(), "STRIPE_SECRET_KEY") {
			t.Fatalf("got %v", err)
		}
	})
}
