package crash

import (
	"context"
	"net/http"
	"testing"
	"time"

	"parley/app"
	"parley/core/plan"
	"parley/core/seal"
	"parley/core/webhook"
	"parley/e2e/harness"
)

// TestKilledAmidDeliveries kills a server that has four deliveries of one webhook under
// way, others that wait for these, and an answer of which it has told nobody yet.
func TestKilledAmidDeliveries(t *testing.T) {
	t.Parallel()
	harness.OnInstallations(t, func(s *harness.Installation) {
		const underWay, waiting = 4, 3
		to, key := harness.NewReceiver(s.T), seal.ServerKey{4, 5, 6}.Text()
		s.Environment = append(s.Environment, "WEBHOOK_ALLOW="+to.Host(), "SECRET_KEY="+key)
		var baker harness.Tenant
		s.Inside(func(w *harness.Instance) { baker = w.NewTenant("baker", plan.Standard, harness.Opening) })
		first := s.Serve()
		h := &harness.WebhookOwner{Visitor: first.SignedIn(baker.Email, baker.Password), To: to, Home: baker}
		held, secret := h.Adds("/held", webhook.QuotaNear)
		_, other := h.Adds("/answers", webhook.MessageCompleted)

		release := make(chan struct{})
		to.On("/held", func(w http.ResponseWriter, _ *http.Request) {
			<-release
			w.WriteHeader(http.StatusNoContent)
		})
		for range underWay + waiting {
			h.Does(held, "/test")
		}
		begun := map[string]bool{}
		for _, came := range h.Comes("/held", "webhook.test", underWay) {
			begun[came.Header.Get("webhook-id")] = true
		}
		message, _ := h.AskedFor(baker.Token, "ann", "When does the bakery open?")
		first.Kill()
		to.On("/held", nil)
		close(release)

		second := s.Serve()
		h = &harness.WebhookOwner{Visitor: second.SignedIn(baker.Email, baker.Password), To: to, Home: baker}
		told := h.Comes("/answers", "message.completed", 1)[0]
		if harness.Written(int64(told.Event.Data["message_id"].(float64))) != message || !told.SignedWith(s.T, other) {
			s.Errorf("of the answer %s comes %s", message, told.Body)
		}
		h.Comes("/held", "webhook.test", underWay+waiting)
		second.Terminate() // which waits until what came is noted
		second.EndsWithin(harness.Patience)
		s.Inside(func(w *harness.Instance) {
			w.Server.Config.SecretKey, w.Server.Config.WebhookAllow = key, []string{to.Host()} // for the next process
			w.Later(61*time.Second, func(p *app.Program) {
				w.Must(p.Webhooks.Sender.Work(context.WithoutCancel(w.Context())))
				p.Webhooks.Sender.Wait()
			})
		})
		times := map[string]int{}
		for _, a := range to.At("/held", "webhook.test") {
			if !a.SignedWith(s.T, secret) {
				s.Errorf("%v is not signed", a.Header)
			}
			times[a.Header.Get("webhook-id")]++
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
