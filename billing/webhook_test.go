package billing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhook"

	"parley/billing/stripeevent"
	"parley/core/fault"
	"parley/core/plan"
)

// eventBody is an event of a kind about a customer.
func eventBody(id, kind, customerID string) []byte {
	return fmt.Appendf(nil, `{"id":%q,"object":"event","api_version":%q,"type":%q,"data":{"object":{"id":"x","customer":%q}}}`,
		id, stripe.APIVersion, kind, customerID)
}

func sign(body []byte, secret string, at time.Time) string {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: secret, Timestamp: at}).Header
}

func (s *shop) receive(ctx context.Context, body []byte) error {
	return s.Receive(ctx, body, sign(body, s.stripe.WebhookSecret, s.stripe.Now()))
}

func TestSignature(t *testing.T) {
	s := newEmptyShop(t)
	body := eventBody("evt_1", "charge.succeeded", "")
	now, secret := s.stripe.Now(), s.stripe.WebhookSecret
	right := sign(body, secret, now)
	tests := []struct {
		name, signature string
		accepted        bool
	}{
		{"one of now is accepted", right, true},
		{"one of five minutes ago is accepted", sign(body, secret, now.Add(-stripeevent.Tolerance)), true},
		{"one of five minutes from now is accepted", sign(body, secret, now.Add(stripeevent.Tolerance)), true},
		{"an older one is refused", sign(body, secret, now.Add(-stripeevent.Tolerance-time.Second)), false},
		{"one from the future is refused", sign(body, secret, now.Add(stripeevent.Tolerance+time.Second)), false},
		{"one with another secret is refused", sign(body, "whsec_other", now), false},
		{"one with an empty secret is refused", sign(body, "", now), false},
		{"one of another body is refused", sign([]byte("{}"), secret, now), false},
		{"none is refused", "", false},
		{"one without a time is refused", right[strings.Index(right, "v1="):], false},
		{"an old one with a new time before it is refused", fmt.Sprintf("t=%d,", now.Unix()) + sign(body, secret, now.Add(-time.Hour)), false},
		{"an old one with a new time after it is refused", sign(body, secret, now.Add(-time.Hour)) + fmt.Sprintf(",t=%d", now.Unix()), false},
		{"one of two is enough while the secret changes", right + ",v1=" + strings.Repeat("00", 32), true},
		{"noise is refused", "t=x,v1=y", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := s.Receive(t.Context(), body, test.signature)
			if test.accepted && err != nil {
				t.Errorf("refused: %v", err)
			}
			if !test.accepted && !fault.Is(err, fault.Invalid) {
				t.Errorf("got %v, want Invalid", err)
			}
		})
	}
}

func TestSignatureWithoutSecret(t *testing.T) {
	s := newEmptyShop(t)
	config := s.configured()
	config.WebhookSecret = ""
	s.Service = New(config, s.ledger.books(), s.now, s.log, s.watcher)
	body := eventBody("evt_1", "charge.succeeded", "")
	if err := s.Receive(t.Context(), body, sign(body, "", s.stripe.Now())); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without a secret got %v, want Unavailable", err)
	}
	if len(s.ledger.events) != 0 {
		t.Error("the event was handled")
	}
}

func TestReceive(t *testing.T) {
	t.Run("a body above the limit is refused before it is read", func(t *testing.T) {
		s := newEmptyShop(t)
		if err := s.receive(t.Context(), make([]byte, stripeevent.MaxEvent+1)); !fault.Is(err, fault.TooLarge) {
			t.Errorf("got %v, want TooLarge", err)
		}
	})
	t.Run("what is signed but no event is refused", func(t *testing.T) {
		s := newEmptyShop(t)
		for _, body := range []string{`{}`, `[]`, `{"id":""}`, `not JSON`, `{"id":"` + strings.Repeat("x", 256) + `"}`} {
			if err := s.receive(t.Context(), []byte(body)); !fault.Is(err, fault.Invalid) {
				t.Errorf("%.20s: got %v, want Invalid", body, err)
			}
		}
	})
	t.Run("every kind of event about a subscription makes it be read", func(t *testing.T) {
		s := newShop(t)
		customerID := s.subscribe(t, plan.Basic)
		kinds := []string{"checkout.session.completed", "customer.subscription.created", "invoice.payment_failed", "subscription_schedule.updated"}
		for i, kind := range kinds {
			if err := s.receive(t.Context(), eventBody(fmt.Sprint("evt_", kind), kind, customerID)); err != nil {
				t.Fatal(err)
			}
			if got := len(s.ledger.actors); got != i+2 {
				t.Errorf("%s: the subscription was written %d times, want %d", kind, got, i+2)
			}
		}
		if s.watcher.of("invoice.payment_failed "+Unchanged) != 1 {
			t.Errorf("the observer was told %v", s.watcher.counts)
		}
	})
	t.Run("the deletion of a customer makes the subscription be read", func(t *testing.T) {
		s := newShop(t)
		customerID := s.subscribe(t, plan.Basic)
		s.stripe.Cancel(customerID)
		body := fmt.Appendf(nil, `{"id":"evt_gone","type":"customer.deleted","api_version":%q,"data":{"object":{"id":%q}}}`, stripe.APIVersion, customerID)
		if err := s.receive(t.Context(), body); err != nil {
			t.Fatal(err)
		}
		if row := s.row(t); row.Status != plan.Canceled || row.Access.Plan != plan.Free {
			t.Errorf("got %+v", row)
		}
	})
	t.Run("a customer that comes as an object is known", func(t *testing.T) {
		s := newShop(t)
		customerID := s.subscribe(t, plan.Basic)
		body := fmt.Appendf(nil, `{"id":"evt_1","type":"invoice.paid","data":{"object":{"customer":{"id":%q}}}}`, customerID)
		if err := s.receive(t.Context(), body); err != nil {
			t.Fatal(err)
		}
		if len(s.ledger.actors) != 2 {
			t.Errorf("the subscription was written for %v", s.ledger.actors)
		}
	})
	t.Run("what concerns nobody is noted and nothing is asked", func(t *testing.T) {
		s := newEmptyShop(t)
		bodies := map[string][]byte{
			"evt_kind":     eventBody("evt_kind", "charge.succeeded", "cus_1"),
			"evt_stranger": eventBody("evt_stranger", "invoice.paid", "cus_stranger"),
			"evt_nobody":   []byte(`{"id":"evt_nobody","type":"invoice.paid"}`),
			"evt_shape":    []byte(`{"id":"evt_shape","type":"invoice.paid","data":{"object":{"customer":7}}}`),
		}
		for id, body := range bodies {
			if err := s.receive(t.Context(), body); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			if _, noted := s.ledger.events[id]; !noted {
				t.Errorf("%s was not noted", id)
			}
		}
		if len(s.stripe.Requests()) != 0 {
			t.Errorf("Stripe was asked: %v", s.stripe.Requests())
		}
		if s.watcher.of(stripeevent.OtherKind+" "+Ignored) != 1 || s.watcher.of("invoice.paid "+Ignored) != 3 {
			t.Errorf("the observer was told %v", s.watcher.counts)
		}
	})
	t.Run("an event that was handled is not handled again", func(t *testing.T) {
		s := newShop(t)
		customerID := s.subscribe(t, plan.Basic)
		body := eventBody("evt_twice", "invoice.paid", customerID)
		for range 2 {
			if err := s.receive(t.Context(), body); err != nil {
				t.Fatal(err)
			}
		}
		if len(s.ledger.actors) != 2 || s.watcher.of("invoice.paid "+Duplicate) != 1 {
			t.Errorf("written for %v, the observer was told %v", s.ledger.actors, s.watcher.counts)
		}
	})
	t.Run("an event of another API version is handled, with an alarm", func(t *testing.T) {
		s := newShop(t)
		customerID := s.subscribe(t, plan.Basic)
		body := fmt.Appendf(nil, `{"id":"evt_1","type":"invoice.paid","api_version":"2026-01-28","data":{"object":{"customer":%q}}}`, customerID)
		if err := s.receive(t.Context(), body); err != nil {
			t.Fatal(err)
		}
		if len(s.ledger.actors) != 2 || s.watcher.of("alarm "+APIVersion) != 1 {
			t.Errorf("written for %v, the observer was told %v", s.ledger.actors, s.watcher.counts)
		}
	})
	t.Run("an event whose effect cannot be stored fails, and is not noted", func(t *testing.T) {
		s := newShop(t)
		customerID := s.subscribe(t, plan.Basic)
		s.ledger.failing = errors.New("the database is away")
		if err := s.receive(t.Context(), eventBody("evt_1", "invoice.paid", customerID)); err == nil {
			t.Error("it was accepted")
		}
		if s.watcher.of("invoice.paid "+Failed) != 1 || len(s.ledger.events) != 0 {
			t.Errorf("noted %v, the observer was told %v", s.ledger.events, s.watcher.counts)
		}
	})
	t.Run("an event fails while Stripe is away", func(t *testing.T) {
		s := newShop(t)
		customerID := s.subscribe(t, plan.Basic)
		s.stripe.SetDown(true)
		if err := s.receive(t.Context(), eventBody("evt_1", "invoice.paid", customerID)); !fault.Is(err, fault.Upstream) {
			t.Errorf("got %v, want Upstream", err)
		}
		if len(s.ledger.events) != 0 {
			t.Error("it was noted")
		}
	})
}
