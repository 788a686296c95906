package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/billing/stripetest"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
)

func TestBuying(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		stripe := stripetest.New(t, stripetest.Options{})
		w := start(harness.PaidAt(stripe))
		w.Sells(stripe)
		baker, smith := w.NewTenant("baker", plan.Basic, harness.Opening), w.NewTenant("smith", plan.Basic)
		owner := w.SignedIn(baker.Email, baker.Password)
		home := "/workspaces/" + baker.Workspace
		var customer string

		t.Run("whoever comes back from paying has the plan, before Stripe's event arrives", func(t *testing.T) {
			v := owner.In(t)
			customer = v.Buys(stripe, baker, plan.Standard)
			v.Has(baker, plan.Standard)
			v.Has(smith, plan.Basic)
		})
		t.Run("Stripe's events then change nothing, and are accepted", func(t *testing.T) {
			w := w.Within(t)
			w.Delivers(stripe)
			w.Has(baker, plan.Standard)
		})
		t.Run("the owner's new address is Stripe's, too", func(t *testing.T) {
			v := owner.In(t)
			v.Expect(v.Post("/account", harness.Pairs{"email", "flour@example.com", "email_password", baker.Password}), http.StatusSeeOther)
			v.Expect(v.Post("/account/email", harness.Pairs{"code", v.OperatorsLink()}), http.StatusSeeOther)
			v.Must(v.Server.Billing.PushCustomers(t.Context()))
			if all := stripe.Customers(); len(all) != 1 || all[0].Email != "flour@example.com" {
				t.Errorf("Stripe has %+v", all)
			}
		})
		t.Run("a subscriber is sent to the portal to change the plan, and pays once", func(t *testing.T) {
			v := owner.In(t)
			r := v.Post(home+"/billing/checkout", harness.Pairs{"plan", "premium", "interval", "monthly"})
			v.Expect(r, http.StatusSeeOther)
			v.Presses(stripe, r, "confirm")
			v.Has(baker, plan.Premium)
			if all := stripe.Subscriptions(customer); len(all) != 1 {
				t.Errorf("there are %d subscriptions", len(all))
			}
		})
		t.Run("a plan that was granted stays when the subscription has ended", func(t *testing.T) {
			w := w.Within(t)
			stripe.Cancel(customer)
			w.Delivers(stripe)
			w.Has(baker, plan.Basic)
		})
		t.Run("who changed plans is in the history, by name", func(t *testing.T) {
			entries, err := w.Server.Tenants.Audit.PlanHistory(t.Context(), baker.Workspace, 100)
			w.Must(err)
			var actors []string
			for _, e := range entries {
				actors = append(actors, e.Actor.Name)
			}
			if all := strings.Join(actors, " "); !strings.Contains(all, baker.Email) || !strings.Contains(all, "stripe") || !strings.Contains(all, audit.Operator.Name) {
				t.Errorf("the actors are %s", all)
			}
		})
		t.Run("nobody else can pay, manage, or come back for the workspace", func(t *testing.T) {
			v := w.Within(t).SignedIn(smith.Email, smith.Password)
			v.Expect(v.Post(home+"/billing/checkout", harness.Pairs{"plan", "premium", "interval", "monthly"}), http.StatusNotFound)
			v.Expect(v.Post(home+"/billing/portal", nil), http.StatusNotFound)
			v.Expect(v.Get(home+"/billing/return"), http.StatusNotFound)
		})
		t.Run("plans are not changed by hand where they are sold", func(t *testing.T) {
			v := owner.In(t)
			v.Expect(v.Post(home+"/billing", harness.Pairs{"plan", "enterprise"}), http.StatusForbidden)
		})
		t.Run("the log has no key, secret or address, not even beside the link that confirms it", func(t *testing.T) {
			w.Within(t).NotLogged(stripe.Key, stripe.WebhookSecret, baker.Email, "flour@example.com")
		})
	})
}

func TestWebhookRoute(t *testing.T) {
	t.Parallel()
	stripe := stripetest.New(t, stripetest.Options{})
	w := harness.Start(t, harness.PaidAt(stripe))
	w.Sells(stripe)
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
			w := w.Within(t)
			w.CheckAnswer(w.Call("POST", harness.WebhookPath, c.body, harness.Header{Name: "Stripe-Signature", Value: c.signature}), c.status, c.code)
		})
	}
}

func TestDowngrade(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		stripe := stripetest.New(t, stripetest.Options{})
		w := start(harness.PaidAt(stripe))
		w.Sells(stripe)
		baker := w.NewTenant("baker", plan.Starter, harness.Opening)
		owner := w.SignedIn(baker.Email, baker.Password)
		limits := "/workspaces/" + baker.Workspace + "/limits"
		customer := owner.Buys(stripe, baker, plan.Standard)
		_, first := w.NewToken(baker.Workspace, baker.Chatbot, "first")
		second, err := w.Server.Chatbots.Create(t.Context(), baker.Workspace, chatbot.Settings{Name: "Second"})
		w.Must(err)
		_, other := w.NewToken(baker.Workspace, second.ID, "other")
		w.IsAnswered(first, 200, 0)

		stripe.Cancel(customer)
		w.Delivers(stripe)
		t.Run("tokens are refused with code 2, and nothing is deleted", func(t *testing.T) {
			w := w.Within(t)
			w.Has(baker, plan.Starter)
			w.IsAnswered(first, 403, 2)
			w.IsAnswered(other, 403, 2)
			bots, err := w.Server.Chatbots.List(t.Context(), baker.Workspace)
			w.Must(err)
			if len(bots) != 2 || bots[0].OverLimit == bots[1].OverLimit {
				t.Errorf("the chatbots are %+v", bots)
			}
		})
		t.Run("a page lists what is over the limit, and every page leads to it", func(t *testing.T) {
			v := owner.In(t)
			if page := harness.Text(v.Page(v.Get(limits))); !strings.Contains(page, "The Starter plan includes 1 chatbot.") || !strings.Contains(page, "Second") {
				t.Errorf("it says %s", page)
			}
			if page := v.Get("/workspaces/" + baker.Workspace); !strings.Contains(page.Text, `href="`+limits+`"`) {
				t.Error("the chatbots' page does not lead there")
			}
		})
		t.Run("the owner chooses what stays active active active", func(t *testing.T) {
			v := owner.In(t)
			v.Expect(v.Post(limits, harness.Pairs{"resource", "chatbots", "keep", second.ID}), http.StatusSeeOther)
			kept, err := w.Server.Chatbots.Get(t.Context(), baker.Workspace, second.ID)
			v.Must(err)
			suspended, err := w.Server.Chatbots.Get(t.Context(), baker.Workspace, baker.Chatbot)
			v.Must(err)
			if kept.OverLimit || !suspended.OverLimit {
				t.Errorf("the chosen one is suspended: %v, the other: %v", kept.OverLimit, suspended.OverLimit)
			}
			v.Expect(v.Post("/chatbots/"+baker.Chatbot+"/settings", harness.Pairs{"name", "Changed"}), http.StatusForbidden)
		})
		t.Run("with the plan, the same tokens answer again", func(t *testing.T) {
			v := owner.In(t)
			v.Buys(stripe, baker, plan.Standard)
			v.IsAnswered(first, 200, 0)
			v.IsAnswered(other, 200, 0)
		})
		t.Run("a failed payment changes nothing until Stripe gives up", func(t *testing.T) {
			w := w.Within(t)
			stripe.FailPayments(customer, true)
			stripe.Advance(32 * 24 * time.Hour)
			w.Delivers(stripe)
			w.Has(baker, plan.Standard)
			stripe.Advance(30 * 24 * time.Hour)
			w.Delivers(stripe)
			w.Has(baker, plan.Starter)
		})
	})
}

func TestDeletedWorkspace(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		stripe := stripetest.New(t, stripetest.Options{})
		w := start(harness.PaidAt(stripe))
		w.Sells(stripe)
		baker, smith := w.NewTenant("baker", plan.Standard, harness.Opening), w.NewTenant("smith", plan.Standard, harness.Opening)
		owner := w.SignedIn(baker.Email, baker.Password)
		customer := owner.Buys(stripe, baker, plan.Premium)
		home := "/workspaces/" + baker.Workspace
		status := func() string { return string(stripe.Subscriptions(customer)[0].Status) }

		t.Run("a name that is not the workspace's deletes nothing", func(t *testing.T) {
			v := owner.In(t)
			v.Expect(v.Post(home+"/delete", harness.Pairs{"confirm_name", "smith"}), http.StatusUnprocessableEntity)
			v.Expect(v.Get(home), http.StatusOK)
		})
		t.Run("while Stripe does not answer, nothing changes", func(t *testing.T) {
			stripe.SetDown(true)
			defer stripe.SetDown(false)
			v := owner.In(t)
			if r := v.Post(home+"/delete", harness.Pairs{"confirm_name", "baker"}); r.StatusCode < 500 {
				t.Errorf("it answers %d", r.StatusCode)
			}
			v.Expect(v.Get(home), http.StatusOK)
			v.IsAnswered(baker.Token, 200, 0)
		})
		t.Run("then the subscription is canceled, and the workspace is gone", func(t *testing.T) {
			v := owner.In(t)
			v.Expect(v.Post(home+"/delete", harness.Pairs{"confirm_name", "baker"}), http.StatusSeeOther)
			if got := status(); got != "canceled" {
				t.Errorf("the subscription is %s", got)
			}
			v.Expect(v.Get(home), http.StatusSeeOther) // to the page that says when it ends
			v.IsAnswered(baker.Token, 401, 1)
			v.IsAnswered(smith.Token, 200, 0)
		})
		t.Run("Stripe's last events about it are accepted", func(t *testing.T) { w.Within(t).Delivers(stripe) })
	})
}

func TestPlansByHand(t *testing.T) {
	for who, want := range map[string]int{"owner": http.StatusSeeOther, "operator": http.StatusForbidden, "": http.StatusForbidden} {
		t.Run("with PLAN_CHANGES="+who+" an owner who changes the plan is answered "+http.StatusText(want), func(t *testing.T) {
			t.Parallel()
			w := harness.Start(t, func(c *app.Config) { c.PlanChanges = who })
			baker := w.NewTenant("baker", plan.Basic)
			v := w.SignedIn(baker.Email, baker.Password)
			v.Expect(v.Post("/workspaces/"+baker.Workspace+"/billing", harness.Pairs{"plan", "premium"}), want)
			if want == http.StatusSeeOther {
				v.Has(baker, plan.Premium)
				return
			}
			v.Has(baker, plan.Basic)
		})
	}
}
