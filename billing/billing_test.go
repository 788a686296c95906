package billing

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/billing/stripeapi"
	"parley/core/fault"
)

func serviceAt(key, url string) *Service {
	return New(Config{Key: key, BaseURL: url}, Books{}, time.Now, slog.New(slog.DiscardHandler), Nop{})
}

func TestCheck(t *testing.T) {
	s := newEmptyShop(t)

	t.Run("a key that Stripe accepts passes", func(t *testing.T) {
		if lacking, err := serviceAt(s.stripe.Key, s.stripe.URL).Setup.Check(t.Context()); err != nil || len(lacking) > 0 {
			t.Fatalf("got %v, %v", lacking, err)
		}
	})

	t.Run("a wrong key is reported as the cause, but not shown", func(t *testing.T) {
		_, err := serviceAt("sk_test_wrongkey", s.stripe.URL).Setup.Check(t.Context())
		if err == nil || !strings.Contains(err.Error(), "STRIPE_SECRET_KEY") || strings.Contains(err.Error(), "sk_test") {
			t.Fatalf("got %v", err)
		}
	})

	t.Run("an unreachable Stripe is not reported as a wrong key", func(t *testing.T) {
		gone := httptest.NewServer(http.NotFoundHandler())
		gone.Close()
		_, err := serviceAt("sk_test_right", gone.URL).Setup.Check(t.Context())
		if err == nil || strings.Contains(err.Error(), "STRIPE_SECRET_KEY") {
			t.Fatalf("got %v", err)
		}
	})
}

func TestAnswersAreBounded(t *testing.T) {
	t.Run("an endless response is not read to its end", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"object":"balance","available":[],"more":"`+strings.Repeat("x", stripeapi.MaxAnswer)+`"}`)
		}))
		defer server.Close()
		if _, err := serviceAt("sk_test", server.URL).Setup.Check(t.Context()); !fault.Is(err, fault.Unavailable) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a redirect is not followed with the key", func(t *testing.T) {
		followed := make(chan string, 1+stripeapi.Retries)
		elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { followed <- r.Header.Get("Authorization") }))
		defer elsewhere.Close()
		server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
		defer server.Close()
		if _, err := serviceAt("sk_test", server.URL).Setup.Check(t.Context()); err == nil || len(followed) > 0 {
			t.Errorf("got %v, and %d calls elsewhere", err, len(followed))
		}
	})
	t.Run("a call ends with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s := newEmptyShop(t)
		if _, err := s.Setup.Check(ctx); err == nil || len(s.stripe.Requests()) != 0 {
			t.Errorf("got %v after %v", err, s.stripe.Requests())
		}
	})
}
