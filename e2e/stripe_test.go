package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/billing/stripetest"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/plan"
)

// paidAt lets a server sell its plans at a Stripe of the tests.
func paidAt(s *stripetest.Server) func(*app.Config) {
	return func(c *app.Config) {
		c.StripeKey, c.StripeSecret = s.Key, s.WebhookSecret
		c.StripeURL = elsewhere(s.URL)
	}
}

// elsewhere is an address of this machine on another site than the servers of
// these tests are.
func elsewhere(url string) string { return strings.Replace(url, "127.0.0.1", "localhost", 1) }

// sells brings the plans to Stripe, and Stripe's events to the server.
func (w *instance) sells(s *stripetest.Server) {
	w.Helper()
	plans, err := w.server.Tenants.Plans.All(w.Context())
	w.must(err)
	_, err = w.server.Billing.Setup.Sync(w.Context(), plans, false)
	w.must(err)
	s.SetWebhook(w.base + webhookPath)
}

// delivers brings all events that wait, and expects that they are taken.
func (w *instance) delivers(s *stripetest.Server) {
	w.Helper()
	if accepted, of := s.Deliver(); accepted != of || of == 0 {
		w.Errorf("%d of %d events are taken", accepted, of)
	}
}

// buys pays for a plan on Stripe's page, and comes back. It returns Stripe's
// name of the workspace.
func (v *visitor) buys(s *stripetest.Server, tn tenantOf, name plan.Name) (customer string) {
	v.Helper()
	r := v.post("/workspaces/"+tn.workspace+"/billing/checkout", pairs{"plan", string(name), "interval", "monthly"})
	v.expect(r, http.StatusSeeOther)
	v.presses(s, r, "pay")
	known, err := v.server.Tenants.Ledger.Subscription(v.Context(), tn.workspace)
	v.must(err)
	return known.CustomerID
}

// presses does what a button on Stripe's page does that an answer leads to, and
// comes back.
func (v *visitor) presses(s *stripetest.Server, leads reply, action string) {
	v.Helper()
	next, err := s.Press(leads.Header.Get("Location"), action)
	v.must(err)
	back, err := url.Parse(next)
	v.must(err)
	v.expect(v.get(back.RequestURI()), http.StatusSeeOther)
}

// has expects the plan in force.
func (w *instance) has(tn tenantOf, want plan.Name) {
	w.Helper()
	workspace, err := w.server.Tenants.Workspaces.Workspace(w.Context(), tn.workspace)
	w.must(err)
	if workspace.Plan != want {
		w.Errorf("the plan is %s, want %s", workspace.Plan, want)
	}
}

// isAnswered expects the status and code of a token's question, once what is
// remembered of the token for a moment is forgotten.
func (w *instance) isAnswered(token string, status, code int) {
	w.Helper()
	var last reply
	w.eventually("the token is answered with its status", func() bool {
		last = w.call("POST", chatPath, openingQuestion, bearer(token))
		return last.StatusCode == status
	})
	if last.Error != code {
		w.Errorf("the code is %d, want %d: %s", last.Error, code, last.body)
	}
}

func TestBuying(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		stripe := stripetest.New(t, stripetest.Options{})
		w := start(paidAt(stripe))
		w.sells(stripe)
		baker, smith := w.newTenant("baker", plan.Basic, opening), w.newTenant("smith", plan.Basic)
		owner := w.signedIn(baker.email, baker.password)
		home := "/workspaces/" + baker.workspace
		var customer string

		t.Run("whoever comes back from paying has the plan, before Stripe's event arrives", func(t *testing.T) {
			v := owner.in(t)
			customer = v.buys(stripe, baker, plan.Standard)
			v.has(baker, plan.Standard)
			v.has(smith, plan.Basic)
		})
		t.Run("Stripe's events then change nothing, and are accepted", func(t *testing.T) {
			w := w.within(t)
			w.delivers(stripe)
			w.has(baker, plan.Standard)
		})
		t.Run("the owner's new address is Stripe's, too", func(t *testing.T) {
			v := owner.in(t)
			v.expect(v.post("/account", pairs{"email", "flour@example.com", "email_password", baker.password}), http.StatusSeeOther)
			v.expect(v.post("/account/email", pairs{"code", v.operatorsLink()}), http.StatusSeeOther)
			v.must(v.server.Billing.PushCustomers(t.Context()))
			if all := stripe.Customers(); len(all) != 1 || all[0].Email != "flour@example.com" {
				t.Errorf("Stripe has %+v", all)
			}
		})
		t.Run("a subscriber is sent to the portal to change the plan, and pays once", func(t *testing.T) {
			v := owner.in(t)
			r := v.post(home+"/billing/checkout", pairs{"plan", "premium", "interval", "monthly"})
			v.expect(r, http.StatusSeeOther)
			v.presses(stripe, r, "confirm")
			v.has(baker, plan.Premium)
			if all := stripe.Subscriptions(customer); len(all) != 1 {
				t.Errorf("there are %d subscriptions", len(all))
			}
		})
		t.Run("a plan that was granted stays when the subscription has ended", func(t *testing.T) {
			w := w.within(t)
			stripe.Cancel(customer)
			w.delivers(stripe)
			w.has(baker, plan.Basic)
		})
		t.Run("who changed plans is in the history, by name", func(t *testing.T) {
			entries, err := w.server.Tenants.Audit.PlanHistory(t.Context(), baker.workspace, 100)
			w.must(err)
			var actors []string
			for _, e := range entries {
				actors = append(actors, e.Actor.Name)
			}
			if all := strings.Join(actors, " "); !strings.Contains(all, baker.email) || !strings.Contains(all, "stripe") || !strings.Contains(all, audit.Operator.Name) {
				t.Errorf("the actors are %s", all)
			}
		})
		t.Run("nobody else can pay, manage, or come back for the workspace", func(t *testing.T) {
			v := w.within(t).signedIn(smith.email, smith.password)
			v.expect(v.post(home+"/billing/checkout", pairs{"plan", "premium", "interval", "monthly"}), http.StatusNotFound)
			v.expect(v.post(home+"/billing/portal", nil), http.StatusNotFound)
			v.expect(v.get(home+"/billing/return"), http.StatusNotFound)
		})
		t.Run("plans are not changed by hand where they are sold", func(t *testing.T) {
			v := owner.in(t)
			v.expect(v.post(home+"/billing", pairs{"plan", "enterprise"}), http.StatusForbidden)
		})
		t.Run("the log has no key, secret or address, not even beside the link that confirms it", func(t *testing.T) {
			w.within(t).notLogged(stripe.Key, stripe.WebhookSecret, baker.email, "flour@example.com")
		})
	})
}

func TestWebhookRoute(t *testing.T) {
	t.Parallel()
	stripe := stripetest.New(t, stripetest.Options{})
	w := start(t, paidAt(stripe))
	w.sells(stripe)
	for sentence, c := range map[string]struct {
		body, signature string
		status, code    int
	}{
		"nobody's signature is refused":                       {`{"id":"evt_1"}`, "", 400, 4},
		"a guessed signature is refused":                      {`{"id":"evt_1"}`, "t=1,v1=00", 400, 4},
		"half a megabyte is read, however little it is worth": {strings.Repeat(" ", 512<<10), "", 400, 4},
		"more is not": {strings.Repeat(" ", 512<<10+1), "", 413, 4},
	} {
		t.Run(sentence, func(t *testing.T) {
			w := w.within(t)
			w.checkAnswer(w.call("POST", webhookPath, c.body, header{"Stripe-Signature", c.signature}), c.status, c.code)
		})
	}
}

func TestDowngrade(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		stripe := stripetest.New(t, stripetest.Options{})
		w := start(paidAt(stripe))
		w.sells(stripe)
		baker := w.newTenant("baker", plan.Starter, opening)
		owner := w.signedIn(baker.email, baker.password)
		limits := "/workspaces/" + baker.workspace + "/limits"
		customer := owner.buys(stripe, baker, plan.Standard)
		_, first := w.newToken(baker.workspace, baker.chatbot, "first")
		second, err := w.server.Chatbots.Create(t.Context(), baker.workspace, chatbot.Settings{Name: "Second"})
		w.must(err)
		_, other := w.newToken(baker.workspace, second.ID, "other")
		w.isAnswered(first, 200, 0)

		stripe.Cancel(customer)
		w.delivers(stripe)
		t.Run("tokens are refused with code 2, and nothing is deleted", func(t *testing.T) {
			w := w.within(t)
			w.has(baker, plan.Starter)
			w.isAnswered(first, 403, 2)
			w.isAnswered(other, 403, 2)
			bots, err := w.server.Chatbots.List(t.Context(), baker.workspace)
			w.must(err)
			if len(bots) != 2 || bots[0].OverLimit == bots[1].OverLimit {
				t.Errorf("the chatbots are %+v", bots)
			}
		})
		t.Run("a page lists what is over the limit, and every page leads to it", func(t *testing.T) {
			v := owner.in(t)
			if page := text(v.page(v.get(limits))); !strings.Contains(page, "The Starter plan includes 1 chatbot.") || !strings.Contains(page, "Second") {
				t.Errorf("it says %s", page)
			}
			if page := v.get("/workspaces/" + baker.workspace); !strings.Contains(page.body, `href="`+limits+`"`) {
				t.Error("the chatbots' page does not lead there")
			}
		})
		t.Run("the owner chooses what stays active active active", func(t *testing.T) {
			v := owner.in(t)
			v.expect(v.post(limits, pairs{"resource", "chatbots", "keep", second.ID}), http.StatusSeeOther)
			kept, err := w.server.Chatbots.Get(t.Context(), baker.workspace, second.ID)
			v.must(err)
			suspended, err := w.server.Chatbots.Get(t.Context(), baker.workspace, baker.chatbot)
			v.must(err)
			if kept.OverLimit || !suspended.OverLimit {
				t.Errorf("the chosen one is suspended: %v, the other: %v", kept.OverLimit, suspended.OverLimit)
			}
			v.expect(v.post("/chatbots/"+baker.chatbot+"/settings", pairs{"name", "Changed"}), http.StatusForbidden)
		})
		t.Run("with the plan, the same tokens answer again", func(t *testing.T) {
			v := owner.in(t)
			v.buys(stripe, baker, plan.Standard)
			v.isAnswered(first, 200, 0)
			v.isAnswered(other, 200, 0)
		})
		t.Run("a failed payment changes nothing until Stripe gives up", func(t *testing.T) {
			w := w.within(t)
			stripe.FailPayments(customer, true)
			stripe.Advance(32 * 24 * time.Hour)
			w.delivers(stripe)
			w.has(baker, plan.Standard)
			stripe.Advance(30 * 24 * time.Hour)
			w.delivers(stripe)
			w.has(baker, plan.Starter)
		})
	})
}

func TestDeletedWorkspace(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		stripe := stripetest.New(t, stripetest.Options{})
		w := start(paidAt(stripe))
		w.sells(stripe)
		baker, smith := w.newTenant("baker", plan.Standard, opening), w.newTenant("smith", plan.Standard, opening)
		owner := w.signedIn(baker.email, baker.password)
		customer := owner.buys(stripe, baker, plan.Premium)
		home := "/workspaces/" + baker.workspace
		status := func() string { return string(stripe.Subscriptions(customer)[0].Status) }

		t.Run("a name that is not the workspace's deletes nothing", func(t *testing.T) {
			v := owner.in(t)
			v.expect(v.post(home+"/delete", pairs{"confirm_name", "smith"}), http.StatusUnprocessableEntity)
			v.expect(v.get(home), http.StatusOK)
		})
		t.Run("while Stripe does not answer, nothing changes", func(t *testing.T) {
			stripe.SetDown(true)
			defer stripe.SetDown(false)
			v := owner.in(t)
			if r := v.post(home+"/delete", pairs{"confirm_name", "baker"}); r.StatusCode < 500 {
				t.Errorf("it answers %d", r.StatusCode)
			}
			v.expect(v.get(home), http.StatusOK)
			v.isAnswered(baker.token, 200, 0)
		})
		t.Run("then the subscription is canceled, and the workspace is gone", func(t *testing.T) {
			v := owner.in(t)
			v.expect(v.post(home+"/delete", pairs{"confirm_name", "baker"}), http.StatusSeeOther)
			if got := status(); got != "canceled" {
				t.Errorf("the subscription is %s", got)
			}
			v.expect(v.get(home), http.StatusSeeOther) // to the page that says when it ends
			v.isAnswered(baker.token, 401, 1)
			v.isAnswered(smith.token, 200, 0)
		})
		t.Run("Stripe's last events about it are accepted", func(t *testing.T) { w.within(t).delivers(stripe) })
	})
}

func TestPlansByHand(t *testing.T) {
	for who, want := range map[string]int{"owner": http.StatusSeeOther, "operator": http.StatusForbidden, "": http.StatusForbidden} {
		t.Run("with PLAN_CHANGES="+who+" an owner who changes the plan is answered "+http.StatusText(want), func(t *testing.T) {
			t.Parallel()
			w := start(t, func(c *app.Config) { c.PlanChanges = who })
			baker := w.newTenant("baker", plan.Basic)
			v := w.signedIn(baker.email, baker.password)
			v.expect(v.post("/workspaces/"+baker.workspace+"/billing", pairs{"plan", "premium"}), want)
			if want == http.StatusSeeOther {
				v.has(baker, plan.Premium)
				return
			}
			v.has(baker, plan.Basic)
		})
	}
}
