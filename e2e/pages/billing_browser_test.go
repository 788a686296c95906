package pages

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"parley/billing/stripetest"
	"parley/core/plan"
	"parley/e2e/harness"
)

func TestUpgradeInTheBrowser(t *testing.T) {
	t.Parallel()
	stripe := stripetest.New(t, stripetest.Options{})
	w := harness.Start(t, harness.PaidAt(stripe))
	w.Sells(stripe)
	baker := w.NewTenant("baker", plan.Basic, harness.Opening)
	b := openWindow(w)
	b.signIn(t, baker)
	tokens := "/chatbots/" + baker.Chatbot + "/tokens"
	var secret string

	// isQuiet fails the test on a complaint of the console, but that Stripe's
	// page has no icon.
	isQuiet := func(t *testing.T) {
		t.Helper()
		for _, complaint := range b.heard() {
			if !strings.HasSuffix(complaint, "/favicon.ico") {
				t.Errorf("the console has %s", complaint)
			}
		}
	}
	// pays goes from the tokens page to Stripe's, pays there, and comes back.
	pays := func(t *testing.T) {
		t.Helper()
		b.do(t, chromedp.Navigate(b.Base+tokens), chromedp.WaitVisible(chromedp.ID("upgrade-plan")))
		if got := b.follow(t, "#upgrade-plan"); !strings.Contains(got, "/billing/change?") {
			t.Fatalf("the upgrade leads to %q", got)
		}
		if got := b.follow(t, "main button[name=plan]"); !strings.HasPrefix(got, "http://localhost:") {
			t.Fatalf("the upgrade leads to %q", got)
		}
		if got := b.text(t, "main"); !strings.Contains(got, "Parley Standard") {
			t.Errorf("Stripe's page says %q", got)
		}
		if got := b.follow(t, "button[value=pay]"); !strings.HasPrefix(got, tokens) {
			t.Fatalf("paying leads to %q", got)
		}
	}

	t.Run("the tokens page leads to the purchase of the plan and back", func(t *testing.T) {
		pays(t)
		w.Within(t).Has(baker, plan.Standard)
		if got := b.text(t, ".toast p"); !strings.Contains(got, "plan") {
			t.Errorf("the page says %q", got)
		}
	})
	t.Run("a token can be created at once, and answers", func(t *testing.T) {
		b.do(t, chromedp.Click(chromedp.ID("new-token")), chromedp.SendKeys(chromedp.ID("token-name"), "Website"), chromedp.Click(chromedp.ID("create-token")),
			chromedp.WaitVisible(chromedp.ID("token-secret")))
		secret = b.text(t, "#token-secret")
		w.Within(t).Chats(secret, 200)
		isQuiet(t)
	})
	t.Run("when the subscription is canceled, the token is refused with code 2", func(t *testing.T) {
		w := w.Within(t)
		known, err := w.Server.Tenants.Ledger.Subscription(t.Context(), baker.Workspace)
		w.Must(err)
		stripe.Cancel(known.CustomerID)
		w.Delivers(stripe)
		w.IsAnswered(secret, 403, 2)
	})
	t.Run("when the plan is bought again, from its card, the same token answers", func(t *testing.T) {
		plans := "/workspaces/" + baker.Workspace + "/billing"
		b.do(t, chromedp.Navigate(b.Base+plans), chromedp.Click(chromedp.ID("choose-standard")), chromedp.WaitVisible(chromedp.ID("ask-standard")))
		if got := b.follow(t, "#ask-standard button[name=plan]"); !strings.HasPrefix(got, "http://localhost:") {
			t.Fatalf("the card leads to %q", got)
		}
		if got := b.follow(t, "button[value=pay]"); !strings.HasPrefix(got, plans) {
			t.Fatalf("paying leads to %q", got)
		}
		b.do(t, chromedp.WaitVisible(chromedp.ID("invoice-list"))) // which comes later than the page
		if got := b.text(t, "#invoice-list"); !strings.Contains(got, "79.00 USD") || !strings.Contains(got, "Paid") {
			t.Errorf("the invoices are %q", got)
		}
		w.Within(t).IsAnswered(secret, 200, 0)
		isQuiet(t)
	})
}
