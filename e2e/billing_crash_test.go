package e2e

import (
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/billing/stripetest"
	"parley/core/audit"
	"parley/core/plan"
)

// killedAround is about how long an event takes from the last answer of Stripe
// to its own: a process is killed at a time within.
const killedAround = 6 * time.Millisecond

func TestKilledAroundTheCommitOfAnEvent(t *testing.T) {
	onInstallations(t, func(s *installation) {
		const rounds = 4
		stripe := stripetest.New(s.T, stripetest.Options{})
		var tn tenantOf
		var customer string
		var before []audit.Entry
		s.inside(func(w *instance) { tn = w.newTenant("baker", plan.Free) })
		s.environment = append(s.environment, "STRIPE_SECRET_KEY="+stripe.Key, "STRIPE_WEBHOOK_SECRET="+stripe.WebhookSecret, "STRIPE_URL="+elsewhere(stripe.URL))
		if err := s.command(os.Stderr, "billing", "sync").Run(); err != nil {
			s.Fatal(err)
		}
		p := s.serve()
		customer = p.buysAt(stripe, tn)
		s.inside(func(w *instance) { before = w.changesOf(tn.workspace) })
		stripe.Take()

		answered := 0
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

		s.inside(func(w *instance) {
			after := w.changesOf(tn.workspace)
			w.Logf("%d deliveries were answered before the process died", answered)
			if len(after) != len(before)+rounds {
				w.Errorf("%d changes had %d effects: %+v", rounds, len(after)-len(before), after)
			}
			workspace, err := w.server.Tenants.Workspaces.Workspace(w.Context(), tn.workspace)
			w.must(err)
			if workspace.Plan != plan.Basic {
				w.Errorf("the plan is %s", workspace.Plan)
			}
		})
	})
}

// buysAt makes a workspace a subscriber of the Standard plan, and returns the
// customer.
func (p *process) buysAt(stripe *stripetest.Server, tn tenantOf) (customer string) {
	p.Helper()
	v := p.signedIn(tn.email, tn.password)
	r := v.post("/workspaces/"+tn.workspace+"/billing/checkout", pairs{"plan", string(plan.Standard), "interval", "monthly"})
	v.expect(r, http.StatusSeeOther)
	v.presses(stripe, r, "pay")
	return stripe.Customers()[0].ID
}

// changesOf are the entries of the audit log about a workspace's subscription.
func (w *instance) changesOf(workspace string) (changes []audit.Entry) {
	w.Helper()
	entries, err := w.server.Tenants.Audit.PlanHistory(w.Context(), workspace, 100)
	w.must(err)
	for _, e := range entries {
		if e.Action == audit.SubscriptionChanged {
			changes = append(changes, e)
		}
	}
	return changes
}
