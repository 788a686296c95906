package app

import (
	"sync"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/webhook"
	"parley/store/outbound"
)

func testLimitsOfWebhooks(h *hooks) {
	ctx := h.Context()
	h.run("a receiver that does not answer slows no other workspace's, and what is too much for it is listed", func(t *testing.T) {
		_, other, err := h.Tenants.SignUps.Create(ctx, account.Account{Email: "other@example.com", Password: "correct horse battery", Workspace: "Other"})
		h.must(err)
		h.must(h.Tenants.Grants.Grant(ctx, other, subscription.Grant{Plan: plan.Standard}))
		quick := newReceiver(t)
		healthy, _, err := h.Webhooks.Endpoints.Create(ctx, other, webhook.Settings{URL: quick.URL, Kinds: webhook.Kinds()})
		h.must(err)
		dead, _ := h.endpoint(webhook.QuotaNear)
		begun, release := make(chan bool, 20), make(chan bool)
		h.to.mu.Lock()
		h.to.arriving = func() { begun <- true; <-release }
		h.to.mu.Unlock()
		for range 20 {
			h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, dead.ID))
		}
		for range 20 {
			h.must(h.Webhooks.Deliveries.SendTest(ctx, other, healthy.ID))
		}
		h.must(h.Webhooks.Sender.Work(ctx))
		arrived := 0
		for deadline := time.Now().Add(20 * time.Second); arrived < 20 && time.Now().Before(deadline); {
			arrived += len(quick.take())
			time.Sleep(time.Millisecond)
		}
		if arrived != 20 || len(begun) != 4 {
			t.Errorf("%d have arrived beside %d that are under way to the other", arrived, len(begun))
		}
		deliveries := outbound.NewWebhookDeliveries(h.Store)
		for space, want := range map[string]int{h.space: 20, other: 0} {
			waiting, err := deliveries.Pending(ctx, space)
			if err != nil || waiting[dead.ID] != want {
				t.Errorf("%v wait: %v", waiting, err)
			}
		}
		full := webhook.Sending{
			Message: webhook.Message{ID: "msg_full", Kind: webhook.QuotaNear, Payload: "{}", CreatedAt: h.at}, Full: []string{dead.ID},
			Log: []webhook.Attempt{{At: h.at, Answer: "Too much was waiting."}},
		}
		h.must(deliveries.AddMessages(ctx, h.space, []webhook.Sending{full}))
		if d := h.deliveries(dead)[0]; d.Message.ID != "msg_full" || d.Outcome != webhook.Canceled || d.DueAt != nil || len(d.Log) != 1 || d.Log[0].Answer != full.Log[0].Answer {
			t.Errorf("it is listed as %+v", d)
		}
		close(release)
		h.Webhooks.Sender.Wait()
		h.to.mu.Lock()
		h.to.arriving = nil
		h.to.mu.Unlock()
		if n := len(h.to.take()); n != 20 {
			t.Errorf("%d came in the end", n)
		}
		h.must(h.Webhooks.Deliveries.SendAgain(ctx, h.space, dead.ID, h.deliveries(dead)[0].ID))
		if n := len(h.sent()); n != 1 {
			t.Errorf("%d are sent again", n)
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, dead.ID))
	})
	h.run("old messages are deleted with their deliveries", func(t *testing.T) {
		e, _ := h.endpoint(webhook.QuotaNear)
		h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
		h.sent()
		h.at = h.at.Add(31 * 24 * time.Hour)
		h.must(h.Webhooks.Sender.DeleteOld(ctx))
		if left := h.deliveries(e); len(left) != 0 {
			t.Errorf("%d are left", len(left))
		}
	})
	h.run("a workspace has ten endpoints at most, however many are added at once", func(t *testing.T) {
		listed, err := h.Webhooks.Endpoints.List(ctx, h.space)
		h.must(err)
		for _, e := range listed {
			h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
		}
		var adding sync.WaitGroup
		refused := make(chan error, webhook.MaxEndpoints+3)
		for range webhook.MaxEndpoints + 3 {
			adding.Go(func() {
				_, _, err := h.Webhooks.Endpoints.Create(ctx, h.space, webhook.Settings{URL: h.to.URL, Kinds: webhook.Kinds()})
				if err != nil {
					refused <- err
				}
			})
		}
		adding.Wait()
		close(refused)
		if len(refused) != 3 {
			t.Errorf("%d are refused", len(refused))
		}
		for err := range refused {
			if !fault.Is(err, fault.Conflict) {
				t.Errorf("it gives %v", err)
			}
		}
		listed, err = h.Webhooks.Endpoints.List(ctx, h.space)
		h.must(err)
		for _, e := range listed {
			h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
		}
	})
	h.run("private addresses and bad settings are refused", func(t *testing.T) {
		for _, address := range []string{
			"", "nonsense", "ftp://example.com", "https://10.0.0.1/", "https://[::1]/", "http://169.254.169.254/latest", "https://u:p@example.com/", "https://127.0.0.2:1/",
		} {
			_, _, err := h.Webhooks.Endpoints.Create(ctx, h.space, webhook.Settings{URL: address, Kinds: webhook.Kinds()})
			if failure := fault.As(err); err == nil || failure.Kind != fault.Invalid || failure.Field != "url" {
				t.Errorf("%q gives %v", address, err)
			}
		}
		_, _, err := h.Webhooks.Endpoints.Create(ctx, h.space, webhook.Settings{URL: h.to.URL, Kinds: []webhook.Kind{webhook.Test}})
		if fault.As(err).Field != "events" {
			t.Errorf("an event that nobody subscribes to gives %v", err)
		}
	})
	h.run("a plan without API access has none", func(t *testing.T) {
		h.must(h.Tenants.Grants.Grant(ctx, h.space, subscription.Grant{Plan: plan.Starter}))
		_, _, err := h.Webhooks.Endpoints.Create(ctx, h.space, webhook.Settings{URL: h.to.URL, Kinds: webhook.Kinds()})
		if !fault.Is(err, fault.Forbidden) {
			t.Errorf("it gives %v", err)
		}
	})
}
