package crash

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
	"parley/e2e/harness"
)

// killedAround is about how long an event takes from the last answer of Stripe
// to its own: a process is killed at a time within.
const killedAround = 6 * time.Millisecond

func TestKilledAroundTheCommitOfAnEvent(t *testing.T) {
	harness.OnInstallations(t, func(s *harness.Installation) {
		const rounds = 4
		stripe := stripetest.New(s.T, stripetest.Options{})
		var tn harness.Tenant
		var customer string
		var before []audit.Entry
		s.Inside(func(w *harness.Instance) { tn = w.NewTenant("baker", plan.Free) })
		s.Environment = append(s.Environment, "STRIPE_SECRET_KEY="+stripe.Key, "STRIPE_WEBHOOK_SECRET="+stripe.WebhookSecret, "STRIPE_URL="+harness.Elsewhere(stripe.URL))
		if err := s.Command(os.Stderr, "billing", "sync").Run(); err != nil {
			s.Fatal(err)
		}
		p := s.Serve()
		customer = buysAt(p, stripe, tn)
		s.Inside(func(w *harness.Instance) { before = changesOf(w, tn.Workspace) })
		stripe.Take()

		answered := 0
		for n := range rounds {
			p.Must(stripe.ChangePrice(customer, []string{"parley_premium_monthly", "parley_basic_monthly"}[n%2]))
			stripe.SetWebhook(p.Base + harness.WebhookPath)
			dying := p
			var once sync.Once
			stripe.OnAnswer(func(r stripetest.Request) {
				if strings.HasPrefix(r.Path, "/v1/subscriptions") {
					once.Do(func() { time.AfterFunc(rand.N(killedAround), dying.Kill) })
				}
			})
			accepted, _ := stripe.Deliver()
			answered += accepted
			<-dying.Ended
			stripe.OnAnswer(nil)

			p = s.Serve()
			stripe.SetWebhook(p.Base + harness.WebhookPath)
			if accepted, of := stripe.Redeliver(); accepted != of {
				s.Errorf("after round %d %d of %d were accepted", n, accepted, of)
			}
		}
		p.Kill()

		s.Inside(func(w *harness.Instance) {
			after := changesOf(w, tn.Workspace)
			w.Logf("%d deliveries were answered before the process died", answered)
			if len(after) != len(before)+rounds {
				w.Errorf("%d changes had %d effects: %+v", rounds, len(after)-len(before), after)
			}
			workspace, err := w.Server.Tenants.Workspaces.Workspace(w.Context(), tn.Workspace)
			w.Must(err)
			if workspace.Plan != plan.Basic {
				w.Errorf("the plan is %s", workspace.Plan)
			}
		})
	})
}

// buysAt makes a workspace a subscriber of the Standard plan, and returns the
// customer.
func buysAt(p *harness.Process, stripe *stripetest.Server, tn harness.Tenant) (customer string) {
	p.Helper()
	v := p.SignedIn(tn.Email, tn.Password)
	r := v.Post("/workspaces/"+tn.Workspace+"/billing/checkout", harness.Pairs{"plan", string(plan.Standard), "interval", "monthly"})
	v.Expect(r, http.StatusSeeOther)
	v.Presses(stripe, r, "pay")
	return stripe.Customers()[0].ID
}

// changesOf are the entries of the audit log about a workspace's subscription.
func changesOf(w *harness.Instance, workspace string) (changes []audit.Entry) {
	w.Helper()
	entries, err := w.Server.Tenants.Audit.PlanHistory(w.Context(), workspace, 100)
	w.Must(err)
	for _, e := range entries {
		if e.Action == audit.SubscriptionChanged {
			changes = append(changes, e)
		}
	}
	return changes
}
