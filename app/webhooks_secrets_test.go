package app

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/webhook"
)

func testSecretsOfWebhooks(h *hooks) {
	ctx := h.Context()
	h.run("a message is signed as the standard says", func(t *testing.T) {
		e, secret := h.endpoint(webhook.QuotaNear)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		got := h.sent()
		if len(got) != 1 || !verified(t, secret, got[0]) {
			t.Fatalf("got %d, not signed by %d characters", len(got), len(string(secret)))
		}
		var payload struct {
			Type      string
			Timestamp time.Time
			Data      map[string]any
		}
		h.must(json.Unmarshal(got[0].body, &payload))
		if payload.Type != "webhook.test" || payload.Timestamp.IsZero() || payload.Data["message"] == "" {
			t.Errorf("the payload is %s", got[0].body)
		}
		d := h.deliveries(e)
		if d[0].Outcome != webhook.Delivered || len(d[0].Log) != 1 || d[0].Log[0].Status != 204 || len(h.sent()) != 0 {
			t.Errorf("the delivery is %+v", d)
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	h.run("for a day after a rotation both secrets verify, and then the new one alone", func(t *testing.T) {
		e, old := h.endpoint(webhook.QuotaNear)
		_, secret, err := h.Webhooks.Endpoints.Rotate(ctx, h.space, e.ID)
		h.must(err)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		got := h.sent()
		if len(got) != 1 || !verified(t, old, got[0]) || !verified(t, secret, got[0]) {
			t.Error("both must verify")
		}
		start := h.at
		h.at = h.at.Add(24*time.Hour + time.Second)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		got = h.sent()
		signatures := strings.Fields(got[0].header.Get("webhook-signature"))
		if len(signatures) != 1 {
			t.Errorf("there are %d signatures", len(signatures))
		}
		h.at = start
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	h.run("a secret that cannot be read is said to be so, and sealed again with another key", func(t *testing.T) {
		const former, current = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "ICECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
		e, old := h.endpoint(webhook.QuotaNear)
		_, secret, err := h.Webhooks.Endpoints.Rotate(ctx, h.space, e.ID)
		h.must(err)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		began := h.at
		defer func() { h.at = began }()
		keyed := func(keys string) *hooks {
			config := *h.Config
			config.SecretKey = keys
			p, err := OpenWith(ctx, &config, slog.New(slog.DiscardHandler), Options{Now: func() time.Time { return h.at }})
			h.must(err)
			t.Cleanup(func() { _ = p.Close() })
			return &hooks{T: t, Program: p, at: h.at, space: h.space, to: h.to}
		}

		lost := keyed(current)
		if came := lost.sent(); len(came) != 0 {
			t.Errorf("%d are sent", len(came))
		}
		d := lost.deliveries(e)[0]
		if len(d.Log) != 1 || d.Log[0].Status != 0 || !strings.Contains(d.Log[0].Answer, "cannot read the webhook's secret") || d.DueAt == nil || !d.DueAt.After(h.at) {
			t.Errorf("the delivery is %+v", d)
		}
		for p, want := range map[*hooks]bool{lost: true, h: false} {
			got, err := p.Webhooks.Endpoints.Get(ctx, h.space, e.ID)
			listed, err2 := p.Webhooks.Endpoints.List(ctx, h.space)
			if err != nil || err2 != nil || got.Unreadable != want || listed[0].Unreadable != want {
				t.Errorf("unreadable is %v: %v, %v", got.Unreadable, err, err2)
			}
		}
		sealed, unreadable, err := lost.Webhooks.Resealer.Reseal(ctx)
		if sealed != 0 || len(unreadable) != 1 || unreadable[0].ID != e.ID || err != nil {
			t.Errorf("%d are sealed, %v are not: %v", sealed, unreadable, err)
		}
		sealed, unreadable, err = keyed(current + "," + former).Webhooks.Resealer.Reseal(ctx)
		if sealed != 1 || len(unreadable) != 0 || err != nil {
			t.Errorf("%d are sealed, %v are not: %v", sealed, unreadable, err)
		}
		h.at = *d.DueAt
		if came := lost.sent(); len(came) != 1 || !verified(t, secret, came[0]) || !verified(t, old, came[0]) {
			t.Errorf("%d are sent", len(came))
		}
		entries, _, err := h.Tenants.Audit.Of(ctx, h.space, audit.Filter{Actions: []audit.Action{audit.WebhookResealed}, Limit: 10})
		if err != nil || len(entries) != 1 {
			t.Errorf("the entries are %+v, %v", entries, err)
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	h.run("a secret that stays unreadable turns the endpoint off with the reason", func(t *testing.T) {
		began := h.at
		defer func() { h.at = began }()
		e, _ := h.endpoint(webhook.QuotaNear)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		h.to.take()
		config := *h.Config
		config.SecretKey = "ICECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
		p, err := OpenWith(ctx, &config, slog.New(slog.DiscardHandler), Options{Now: func() time.Time { return h.at }})
		h.must(err)
		defer p.Close()
		for range 10 {
			h.must(p.Webhooks.Sender.Work(ctx))
			p.Webhooks.Sender.Wait()
			if d := h.deliveries(e)[0]; d.DueAt != nil {
				h.at = *d.DueAt
			}
		}
		if now, err := h.Webhooks.Endpoints.Get(ctx, h.space, e.ID); err != nil || now.State != webhook.Disabled || !strings.Contains(now.Reason, "secret could not be read") || len(h.to.take()) != 0 {
			t.Errorf("the endpoint is %+v, %v", now, err)
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	h.run("a server without a key for secrets says so, beside no field", func(t *testing.T) {
		if h.Store.IsSQLite() {
			return // which makes one
		}
		config := *h.Config
		config.SecretKey = ""
		p, err := OpenWith(ctx, &config, slog.New(slog.DiscardHandler), Options{Now: func() time.Time { return h.at }})
		h.must(err)
		defer p.Close()
		_, _, err = p.Webhooks.Endpoints.Create(ctx, h.space, webhook.Settings{URL: h.to.URL, Kinds: webhook.Kinds()})
		if f := fault.As(err); f.Kind != fault.Unavailable || f.Field != "" || !strings.Contains(f.Message, "SECRET_KEY") {
			t.Errorf("it gives %v", err)
		}
	})
}
