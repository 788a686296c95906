package api

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
	"parley/e2e/harness"
)

func TestCustomersOfAnotherStripe(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		stripe := stripetest.New(t, stripetest.Options{})
		w := start(harness.PaidAt(stripe))
		w.Sells(stripe)
		baker, smith, grocer := w.NewTenant("baker", plan.Starter, harness.Opening), w.NewTenant("smith", plan.Starter), w.NewTenant("grocer", plan.Starter)

		t.Run("five of them do not keep a paying customer on Starter", func(t *testing.T) {
			w := w.Within(t)
			for i := range 6 {
				space, err := w.Server.Tenants.Workspaces.Create(t.Context(), account.User{ID: userOf(w, smith), Email: smith.Email}, fmt.Sprint("Old ", i))
				w.Must(err)
				_, err = w.Server.Tenants.Customers.Set(t.Context(), space.ID, subscription.Customer{ID: fmt.Sprint("cus_of_nobody_", i)})
				w.Must(err)
				w.Must(w.Server.Tenants.Customers.BeginCheckout(t.Context(), space.ID))
			}
			v := w.SignedIn(grocer.Email, grocer.Password)
			r := v.Post("/workspaces/"+grocer.Workspace+"/billing/checkout", harness.Pairs{"plan", "premium", "interval", "monthly"})
			v.Expect(r, http.StatusSeeOther)
			_, err := stripe.Press(r.Header.Get("Location"), "pay") // and does not come back
			w.Must(err)
			corrected, err := w.Server.Billing.Reconcile(t.Context())
			if err != nil || corrected != 1 {
				t.Errorf("corrected %d, %v", corrected, err)
			}
			w.Has(grocer, plan.Premium)
		})
		t.Run("a workspace that never paid there can buy", func(t *testing.T) {
			v := w.Within(t).SignedIn(smith.Email, smith.Password)
			_, err := w.Server.Tenants.Customers.Set(t.Context(), smith.Workspace, subscription.Customer{ID: "cus_of_smith_elsewhere"})
			v.Must(err)
			v.Buys(stripe, smith, plan.Standard)
			v.Has(smith, plan.Standard)
		})
		owner := w.SignedIn(baker.Email, baker.Password)
		customer := owner.Buys(stripe, baker, plan.Standard)
		stripe.Forget(customer)
		home := "/workspaces/" + baker.Workspace
		t.Run("one that paid is told whom to ask, and keeps its plan", func(t *testing.T) {
			v := owner.In(t)
			r := v.Post(home+"/billing/checkout", harness.Pairs{"plan", "premium", "interval", "monthly"})
			if r.StatusCode != http.StatusConflict || !strings.Contains(r.Text, "parley billing unlink") {
				t.Errorf("it answers %d", r.StatusCode)
			}
			v.Expect(v.Get(home+"/billing"), http.StatusOK)
			v.Has(baker, plan.Standard)
		})
		t.Run("it can be deleted", func(t *testing.T) {
			v := owner.In(t)
			v.Expect(v.Post(home+"/delete", harness.Pairs{"confirm_name", "baker"}), http.StatusSeeOther)
			v.Expect(v.Get(home), http.StatusSeeOther) // to the page that says when it ends
		})
	})
}

// userOf is the id of the owner of a workspace.
func userOf(w *harness.Instance, tn harness.Tenant) string {
	w.Helper()
	user, err := w.Server.Tenants.Users.ByEmail(w.Context(), tn.Email)
	w.Must(err)
	return user.ID
}

func TestUnlinkCommand(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		workspace, _ := term.NewChatbot("basic")
		term.Fails("no customer", "billing", "unlink", workspace, "--yes")
		term.Fails("Workspace not found", "billing", "unlink", "ws_nobody", "--yes")
		stripe := stripetest.New(t, stripetest.Options{})
		at := []string{"--stripe-secret-key=" + stripe.Key, "--stripe-url=" + stripe.URL}
		link := func() {
			config := &app.Config{}
			config.DataDir, config.DatabaseURL, config.LogLevel = term.Folder, term.Database, "error"
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
		out, complaint, code := term.Execute("no\n", append([]string{"billing", "unlink", workspace}, at...)...)
		if code != 1 || !strings.Contains(complaint, "Nothing was changed") || !strings.Contains(out, "premium") || !strings.Contains(out, "have the basic plan") {
			t.Errorf("without a yes it ends with %d and says %s%s", code, out, complaint)
		}
		if out, complaint, code := term.Execute("yes\n", append([]string{"billing", "unlink", workspace}, at...)...); code != 0 || !strings.Contains(out, "now has the basic plan") {
			t.Errorf("with a yes it ends with %d and says %s%s", code, out, complaint)
		}
		link()
		if got := term.Record(append([]string{"billing", "unlink", workspace, "--yes"}, at...)...); harness.Field(got, "plan") != "basic" || harness.Field(got, "plan_before") != "premium" {
			t.Errorf("it says %v", got)
		}
		if log := term.OK("audit", "list", "--workspace="+workspace); !strings.Contains(log, "customer.unlinked") {
			t.Errorf("the log is %s", log)
		}
	})
}

func TestGrantUntilCommand(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		workspace, _ := term.NewChatbot("basic")
		day := time.Now().UTC().AddDate(0, 1, 0).Format(time.DateOnly)
		if got := term.Record("plan", "set", workspace, "premium", "--until="+day); harness.Field(got, "plan") != "premium" || !strings.HasPrefix(harness.Field(got, "granted_until"), day) {
			term.Errorf("it says %v", got)
		}
		term.Fails("after today", "plan", "set", workspace, "premium", "--until=2020-01-31")
		term.Fails("2027-01-31", "plan", "set", workspace, "premium", "--until=soon")
		term.Fails("cannot have an end", "plan", "set", workspace, "starter", "--until="+day)
	})
}
