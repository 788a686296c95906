package e2e

import (
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/billing"
	"parley/billing/stripetest"
	"parley/core/audit"
	"parley/core/plan"
	"parley/core/tenant"
)

// killedAround is about how long an event takes from the last answer of Stripe
// to its own: a process is killed at a time within.
const killedAround = 6 * time.Millisecond

func TestKilledAroundTheCommitOfAnEvent(t *testing.T) {
	onSites(t, func(s *site) {
		const rounds = 4
		stripe := stripetest.New(s.T, stripetest.Options{})
		account := billing.Config{Key: stripe.Key, WebhookSecret: stripe.WebhookSecret, BaseURL: stripe.URL}
		var tn tenantOf
		var customer string
		var before []audit.Entry
		s.inside(func(w *world) {
			tn = w.newTenant("baker", plan.Free)
			customer = w.buys(stripe, account, tn.workspace)
			before = w.changesOf(tn.workspace)
		})
		s.environment = append(s.environment, "STRIPE_SECRET_KEY="+stripe.Key, "STRIPE_WEBHOOK_SECRET="+stripe.WebhookSecret, "STRIPE_URL="+stripe.URL)
		stripe.Take()

		answered := 0
		p := s.serve()
		for n := range rounds {
			p.must(stripe.ChangePrice(customer, []string{"parley_premium_monthly", "parley_basic_monthly"}[n%2]))
			stripe.SetWebhook(p.base + webhookPath)
			dying := p
			var once sync.Once
			stripe.OnAnswer(func(r stripetest.Request) {
				if strings.HasPrefix(r.Path, "/v1/subscriptions") {
					once.Do(func() { time.AfterFunc(rand.N(killedAround), dying.kill) })
				}
			})
			accepted, _ := stripe.Deliver()
			answered += accepted
			<-dying.ended
			stripe.OnAnswer(nil)

			p = s.serve()
			stripe.SetWebhook(p.base + webhookPath)
			if accepted, of := stripe.Redeliver(); accepted != of {
				s.Errorf("after round %d %d of %d were accepted", n, accepted, of)
			}
		}
		p.kill()

		s.inside(func(w *world) {
			after := w.changesOf(tn.workspace)
			w.Logf("%d deliveries were answered before the process died", answered)
			if len(after) != len(before)+rounds {
				w.Errorf("%d changes had %d effects: %+v", rounds, len(after)-len(before), after)
			}
			workspace, err := w.server.Tenants.Workspace(w.Context(), tn.workspace)
			w.must(err)
			if workspace.Plan != plan.Basic {
				w.Errorf("the plan is %s", workspace.Plan)
			}
		})
	})
}

// buys makes a workspace a subscriber of the Standard plan, and returns the
// customer.
func (w *world) buys(stripe *stripetest.Server, account billing.Config, workspace string) (customer string) {
	w.Helper()
	ctx, tenants := w.Context(), w.server.Tenants
	service := billing.New(account, tenants, now, slog.New(slog.DiscardHandler), billing.Nop{})
	plans, err := tenants.Plans(ctx)
	w.must(err)
	_, err = service.Sync(ctx, plans, false)
	w.must(err)
	page, err := service.Checkout(ctx, workspace, billing.Purchase{Plan: plan.Standard, Interval: plan.Monthly}, billing.Back{Done: "http://127.0.0.1/", Cancelled: "http://127.0.0.1/"})
	w.must(err)
	_, err = stripe.Press(page, "pay")
	w.must(err)
	_, err = service.Refresh(ctx, workspace, tenant.Cause{})
	w.must(err)
	known, err := tenants.Subscription(ctx, workspace)
	w.must(err)
	return known.CustomerID
}

// changesOf are the entries of the audit log about a workspace's subscription.
func (w *world) changesOf(workspace string) (changes []audit.Entry) {
	w.Helper()
	entries, err := w.server.Tenants.PlanHistory(w.Context(), workspace, 100)
	w.must(err)
	for _, e := range entries {
		if e.Action == audit.SubscriptionChanged {
			changes = append(changes, e)
		}
	}
	return changes
}
