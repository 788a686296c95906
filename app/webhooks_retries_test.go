package app

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/webhook"
)

func testRetriesOfWebhooks(h *hooks) {
	ctx := h.Context()
	h.run("a failure is tried again for three days, then the endpoint is disabled", func(t *testing.T) {
		e, _ := h.endpoint(webhook.QuotaNear)
		h.to.answers(http.StatusFound) // which is not followed
		defer h.to.answers(http.StatusNoContent)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		start, ids := h.at, map[string]bool{}
		tries := 0
		for {
			got := h.sent()
			tries += len(got)
			for _, r := range got {
				ids[r.header.Get("webhook-id")] = true
			}
			d := h.deliveries(e)[0]
			if d.DueAt == nil {
				break
			}
			if !d.DueAt.After(h.at) {
				t.Fatal("it is due at once")
			}
			h.at = *d.DueAt
		}
		if took := h.at.Sub(start); tries != 10 || len(ids) != 1 || took < 60*time.Hour || took > 90*time.Hour {
			t.Errorf("%d tries with %d ids in %s", tries, len(ids), took)
		}
		now, err := h.Webhooks.Endpoints.Get(ctx, h.space, e.ID)
		if err != nil || now.State != webhook.Disabled || now.Reason == "" {
			t.Errorf("the endpoint is %+v, %v", now, err)
		}
		d := h.deliveries(e)[0]
		if err := h.Webhooks.Deliveries.SendAgain(ctx, h.space, e.ID, d.ID); !fault.Is(err, fault.Conflict) {
			t.Errorf("sending to a disabled endpoint gives %v", err)
		}
		h.must(h.Webhooks.Endpoints.Resume(ctx, h.space, e.ID))
		h.to.answers(http.StatusOK)
		h.must(h.Webhooks.Deliveries.SendAgain(ctx, h.space, e.ID, d.ID))
		got := h.sent()
		if len(got) != 1 || !ids[got[0].header.Get("webhook-id")] || h.deliveries(e)[0].Outcome != webhook.Delivered {
			t.Errorf("it was sent %d times again", len(got))
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	h.run("a receiver that asks for time gets it, an hour at most", func(t *testing.T) {
		e, _ := h.endpoint(webhook.QuotaNear)
		h.to.answers(http.StatusServiceUnavailable)
		defer h.to.answers(http.StatusNoContent)
		for _, c := range []struct {
			asked    string
			from, to time.Duration
		}{
			{"", 4500 * time.Millisecond, 5500 * time.Millisecond},
			{"nonsense", 4500 * time.Millisecond, 5500 * time.Millisecond},
			{"-7", 4500 * time.Millisecond, 5500 * time.Millisecond},
			{"1", 4500 * time.Millisecond, 5500 * time.Millisecond},
			{"120", 2 * time.Minute, 132 * time.Second},
			{time.Now().Add(10 * time.Minute).UTC().Format(http.TimeFormat), 9 * time.Minute, 11 * time.Minute},
			{"99999999999999999999", 4500 * time.Millisecond, 5500 * time.Millisecond},
			{"999999999", time.Hour, 66 * time.Minute},
		} {
			h.to.asks(c.asked)
			h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
			h.sent()
			if d := h.deliveries(e)[0]; d.DueAt == nil || d.DueAt.Sub(h.at) < c.from || d.DueAt.Sub(h.at) > c.to {
				t.Errorf("Retry-After: %s makes it due at %v, after %v", c.asked, d.DueAt, h.at)
			}
		}
		h.to.asks("")
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	h.run("410 disables an endpoint at once", func(t *testing.T) {
		e, _ := h.endpoint(webhook.QuotaNear)
		h.to.answers(http.StatusGone)
		defer h.to.answers(http.StatusNoContent)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		h.sent()
		if now, err := h.Webhooks.Endpoints.Get(ctx, h.space, e.ID); err != nil || now.State != webhook.Disabled {
			t.Errorf("the endpoint is %+v, %v", now, err)
		}
		entries, _, err := h.Tenants.Audit.Of(ctx, h.space, audit.Filter{Actions: []audit.Action{audit.WebhookDisabled}, Limit: 10})
		if err != nil || len(entries) == 0 || strings.Contains(entries[0].Object.Name, "/in") {
			t.Errorf("the entries are %+v, %v", entries, err)
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	h.run("what a dead process has begun is sent again with the same id", func(t *testing.T) {
		e, _ := h.endpoint(webhook.QuotaNear)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		dying, kill := context.WithCancel(ctx)
		h.to.mu.Lock()
		h.to.arriving = kill
		h.to.mu.Unlock()
		if err := h.Webhooks.Sender.Work(dying); err != nil && dying.Err() == nil {
			t.Fatal(err)
		}
		h.Webhooks.Sender.Wait()
		h.to.mu.Lock()
		h.to.arriving = nil
		h.to.mu.Unlock()
		first := h.to.take()
		if got := h.sent(); len(got) != 0 {
			t.Error("another process has sent it during the lease")
		}
		h.at = h.at.Add(time.Minute)
		again := h.sent()
		if len(first) != 1 || len(again) != 1 || first[0].header.Get("webhook-id") != again[0].header.Get("webhook-id") {
			t.Errorf("it was sent %d and %d times", len(first), len(again))
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
}
