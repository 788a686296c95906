package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"parley/app"
	"parley/core/plan"
	"parley/core/seal"
	"parley/core/webhook"
)

// TestKilledAmidDeliveries kills a server that has four deliveries of one webhook under
// way, others that wait for these, and an answer of which it has told nobody yet.
func TestKilledAmidDeliveries(t *testing.T) {
	t.Parallel()
	onInstallations(t, func(s *installation) {
		const underWay, waiting = 4, 3
		to, key := newReceiver(s.T), seal.ServerKey{4, 5, 6}.Text()
		s.environment = append(s.environment, "WEBHOOK_ALLOW="+to.host(), "SECRET_KEY="+key)
		var baker tenantOf
		s.inside(func(w *instance) { baker = w.newTenant("baker", plan.Standard, opening) })
		first := s.serve()
		h := &hooked{first.signedIn(baker.email, baker.password), to, baker}
		held, secret := h.adds("/held", webhook.QuotaNear)
		_, other := h.adds("/answers", webhook.MessageCompleted)

		release := make(chan struct{})
		to.on("/held", func(w http.ResponseWriter, _ *http.Request) {
			<-release
			w.WriteHeader(http.StatusNoContent)
		})
		for range underWay + waiting {
			h.does(held, "/test")
		}
		begun := map[string]bool{}
		for _, came := range h.comes("/held", "webhook.test", underWay) {
			begun[came.header.Get("webhook-id")] = true
		}
		message, _ := h.askedFor(baker.token, "ann", "When does the bakery open?")
		first.kill()
		to.on("/held", nil)
		close(release)

		second := s.serve()
		h = &hooked{second.signedIn(baker.email, baker.password), to, baker}
		told := h.comes("/answers", "message.completed", 1)[0]
		if written(int64(told.event.Data["message_id"].(float64))) != message || !told.signedWith(s.T, other) {
			s.Errorf("of the answer %s comes %s", message, told.body)
		}
		h.comes("/held", "webhook.test", underWay+waiting)
		second.kill()
		s.inside(func(w *instance) {
			w.server.Config.SecretKey, w.server.Config.WebhookAllow = key, []string{to.host()} // for the next process
			w.later(61*time.Second, func(p *app.Program) {
				w.must(p.Webhooks.Sender.Work(context.WithoutCancel(w.Context())))
				p.Webhooks.Sender.Wait()
			})
		})
		times := map[string]int{}
		for _, a := range to.at("/held", "webhook.test") {
			if !a.signedWith(s.T, secret) {
				s.Errorf("%v is not signed", a.header)
			}
			times[a.header.Get("webhook-id")]++
		}
		if len(begun) != underWay || len(times) != underWay+waiting {
			s.Fatalf("%d were under way, and %d of %d have come", len(begun), len(times), underWay+waiting)
		}
		for id, n := range times {
			if begun[id] && n != 2 || !begun[id] && n != 1 {
				s.Errorf("%s, under way when the server died: %v, has come %d times", id, begun[id], n)
			}
		}
	})
}
