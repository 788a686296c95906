package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/billing/stripetest"
	"parley/core/account"
	"parley/core/plan"
	"parley/core/subscription"
)

func TestCustomersOfAnotherStripe(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		stripe := stripetest.New(t, stripetest.Options{})
		w := start(paidAt(stripe))
		w.sells(stripe)
		baker, smith, grocer := w.newTenant("baker", plan.Starter, opening), w.newTenant("smith", plan.Starter), w.newTenant("grocer", plan.Starter)

		t.Run("five of them do not keep a paying customer on Starter", func(t *testing.T) {
			w := w.within(t)
			for i := range 6 {
				space, err := w.server.Tenants.Workspaces.Create(t.Context(), account.User{ID: userOf(w, smith), Email: smith.email}, fmt.Sprint("Old ", i))
				w.must(err)
				_, err = w.server.Tenants.Customers.Set(t.Context(), space.ID, subscription.Customer{ID: fmt.Sprint("cus_of_nobody_", i)})
				w.must(err)
				w.must(w.server.Tenants.Customers.BeginCheckout(t.Context(), space.ID))
			}
			v := w.signedIn(grocer.email, grocer.password)
			r := v.post("/workspaces/"+grocer.workspace+"/billing/checkout", pairs{"plan", "premium", "interval", "monthly"})
			v.expect(r, http.StatusSeeOther)
			_, err := stripe.Press(r.Header.Get("Location"), "pay") // and does not come back
			w.must(err)
			corrected, err := w.server.Billing.Reconcile(t.Context())
			if err != nil || corrected != 1 {
				t.Errorf("corrected %d, %v", corrected, err)
			}
			w.has(grocer, plan.Premium)
		})
		t.Run("a workspace that never paid there can buy", func(t *testing.T) {
			v := w.within(t).signedIn(smith.email, smith.password)
			_, err := w.server.Tenants.Customers.Set(t.Context(), smith.workspace, subscription.Customer{ID: "cus_of_smith_elsewhere"})
			v.must(err)
			v.buys(stripe, smith, plan.Standard)
			v.has(smith, plan.Standard)
		})
		owner := w.signedIn(baker.email, baker.password)
		customer := owner.buys(stripe, baker, plan.Standard)
		stripe.Forget(customer)
		home := "/workspaces/" + baker.workspace
		t.Run("one that paid is told whom to ask, and keeps its plan", func(t *testing.T) {
			v := owner.in(t)
			r := v.post(home+"/billing/checkout", pairs{"plan", "premium", "interval", "monthly"})
			if r.StatusCode != http.StatusConflict || !strings.Contains(r.body, "parley billing unlink") {
				t.Errorf("it answers %d", r.StatusCode)
			}
			v.expect(v.get(home+"/billing"), http.StatusOK)
			v.has(baker, plan.Standard)
		})
		t.Run("it can be deleted", func(t *testing.T) {
			v := owner.in(t)
			v.expect(v.post(home+"/delete", pairs{"confirm_name", "baker"}), http.StatusSeeOther)
			v.expect(v.get(home), http.StatusSeeOther) // to the page that says when it ends
		})
	})
}

// userOf is the id of the owner of a workspace.
func userOf(w *instance, tn tenantOf) string {
	w.Helper()
	user, err := w.server.Tenants.Users.ByEmail(w.Context(), tn.email)
	w.must(err)
	return user.ID
}

func TestUnlinkCommand(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		workspace, _ := term.newChatbot("basic")
		term.fails("no customer", "billing", "unlink", workspace, "--yes")
		term.fails("Workspace not found", "billing", "unlink", "ws_nobody", "--yes")
		stripe := stripetest.New(t, stripetest.Options{})
		at := []string{"--stripe-secret-key=" + stripe.Key, "--stripe-url=" + stripe.URL}
		link := func() {
			config := &app.Config{}
			config.DataDir, config.DatabaseURL, config.LogLevel = term.folder, term.database, "error"
			config.StripeKey, config.StripeURL = stripe.Key, stripe.URL
			p, err := app.Open(t.Context(), config, app.NewLog(config))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if _, err := p.Tenants.Customers.Set(t.Context(), workspace, subscription.Customer{ID: "cus_elsewhere"}); err != nil {
				t.Fatal(err)
			}
			end := time.Now().Add(time.Hour)
			row, err := p.Tenants.Ledger.Subscription(t.Context(), workspace)
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Tenants.Ledger.Apply(t.Context(), workspace, row.Revision, subscription.Billed{ID: "sub_1", Status: plan.Active, Plan: plan.Premium, PeriodEnd: &end}, true, subscription.Cause{})
			if err != nil {
				t.Fatal(err)
			}
		}
		link()
		out, complaint, code := term.run("no\n", append([]string{"billing", "unlink", workspace}, at...)...)
		if code != 1 || !strings.Contains(complaint, "Nothing was changed") || !strings.Contains(out, "premium") || !strings.Contains(out, "have the basic plan") {
			t.Errorf("without a yes it ends with %d and says %s%s", code, out, complaint)
		}
		if out, complaint, code := term.run("yes\n", append([]string{"billing", "unlink", workspace}, at...)...); code != 0 || !strings.Contains(out, "now has the basic plan") {
			t.Errorf("with a yes it ends with %d and says %s%s", code, out, complaint)
		}
		link()
		if got := term.record(append([]string{"billing", "unlink", workspace, "--yes"}, at...)...); field(got, "plan") != "basic" || field(got, "plan_before") != "premium" {
			t.Errorf("it says %v", got)
		}
		if log := term.ok("audit", "list", "--workspace="+workspace); !strings.Contains(log, "customer.unlinked") {
			t.Errorf("the log is %s", log)
		}
	})
}

func TestGrantUntilCommand(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		workspace, _ := term.newChatbot("basic")
		day := time.Now().UTC().AddDate(0, 1, 0).Format(time.DateOnly)
		if got := term.record("plan", "set", workspace, "premium", "--until="+day); field(got, "plan") != "premium" || !strings.HasPrefix(field(got, "granted_until"), day) {
			term.Errorf("it says %v", got)
		}
		term.fails("after today", "plan", "set", workspace, "premium", "--until=2020-01-31")
		term.fails("2027-01-31", "plan", "set", workspace, "premium", "--until=soon")
		term.fails("cannot have an end", "plan", "set", workspace, "starter", "--until="+day)
	})
}
