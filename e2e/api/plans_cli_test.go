package api

import (
	"strings"
	"testing"

	"parley/billing/stripetest"
	"parley/e2e/harness"
	"parley/mail/mailtest"
)

func TestPlanLimitsCommand(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		named := func(name string) map[string]any {
			term.Helper()
			for _, p := range term.Records("plan", "list") {
				if harness.Field(p, "name") == name {
					return p
				}
			}
			term.Fatalf("there is no plan %s", name)
			return nil
		}
		workspace, bot := term.NewChatbot("standard")
		before := named("basic")

		changed := term.Records("plan", "limits", "basic", "--chatbots=5", "--messages=unlimited", "--features=sites,schedules",
			"--tokens=1", "--price-monthly=2400", "--price-yearly=not-sold", "--currency=EUR")[0]
		for name, want := range map[string]any{
			"chatbots": 5.0, "messages_per_month": -1.0, "tokens_per_chatbot": 1.0, "price_monthly": 2400.0, "price_yearly": -1.0, "currency": "eur",
			"members": before["members"], "knowledge_chars": before["knowledge_chars"], "retention_days": before["retention_days"],
		} {
			if changed[name] != want || named("basic")[name] != want {
				term.Errorf("%s is %v, want %v", name, changed[name], want)
			}
		}
		if listed := term.OK("plan", "list"); !strings.Contains(listed, "unlimited") || !strings.Contains(listed, "not-sold") || !strings.Contains(listed, "sites,schedules") {
			term.Errorf("listed\n%s", listed)
		}
		term.Fails("API access begins with the Standard plan", "plan", "limits", "starter", "--features=api")
		term.Fails("API access begins with the Standard plan", "plan", "limits", "basic", "--features=api,sites")
		term.OK("token", "create", bot)
		term.OK("plan", "set", workspace, "basic")
		term.Fails("no API access", "token", "create", bot)
		term.Fails("members", "plan", "limits", "basic", "--members=0")
		term.Fails("features", "plan", "limits", "basic", "--features=magic")
		term.Fails("must be free", "plan", "limits", "starter", "--price-monthly=100")
		for _, args := range [][]string{{"gold"}, {"basic", "--chatbots=-2"}, {"basic", "--chatbots=many"}, {"basic", "--price-monthly=19.00"}} {
			if _, complaint, code := term.Execute("", append([]string{"plan", "limits"}, args...)...); code != 2 {
				term.Errorf("%v ends with %d and says %s", args, code, complaint)
			}
		}
	})
}

func TestAuditCommand(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		workspace, _ := term.NewChatbot("standard")
		term.OK("plan", "set", workspace, "premium")
		entries := term.Records("audit", "list", "--workspace="+workspace)
		if len(entries) == 0 || harness.Field(entries[0], "actor") != "operator" || !strings.Contains(harness.Field(entries[0], "detail"), "Premium") {
			term.Errorf("the entries are %v", entries)
		}
		if listed := term.OK("audit", "--workspace="+workspace, "--limit=1"); strings.Count(listed, "\n") != 2 || !strings.Contains(listed, "Premium") {
			term.Errorf("listed\n%s", listed)
		}
		if all := term.Records("audit", "--since=1h"); len(all) <= len(entries) || harness.Field(all[len(all)-1], "action") != "account.created" {
			term.Errorf("all entries of the last hour are %v", all)
		}
		for _, nothing := range []string{"--workspace=ws_nobody", "--since=2999-01-01"} {
			if found := term.Records("audit", nothing); len(found) != 0 {
				term.Errorf("%s gives %v", nothing, found)
			}
		}
		term.Fails("--limit", "audit", "--limit=0")
		term.Fails("--since", "audit", "--since=yesterday")
	})
}

func TestBillingCommands(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		term.Fails("Stripe is not set up", "billing", "sync")
		term.Fails("Stripe is not set up", "billing", "reconcile")

		stripe := stripetest.New(t, stripetest.Options{})
		at := func(args ...string) []string {
			return append(args, "--stripe-secret-key="+stripe.Key, "--stripe-url="+stripe.URL)
		}
		posts := func() (n int) {
			for _, r := range stripe.Requests() {
				if r.Method != "GET" {
					n++
				}
			}
			return n
		}
		dry := term.OK(at("billing", "sync", "--dry-run")...)
		if !strings.Contains(dry, "parley_standard_monthly") || posts() != 0 {
			term.Errorf("a dry run changes %d things and prints\n%s", posts(), dry)
		}
		if done := term.OK(at("billing", "sync")...); done != dry+"Done.\n" {
			term.Errorf("it prints\n%s\nand before\n%s", done, dry)
		}
		made := posts()
		if again := term.OK(at("billing", "sync")...); again != "Stripe matches the plans.\n" || posts() != made {
			term.Errorf("the second time it changes %d things and prints\n%s", posts()-made, again)
		}
		if _, complaint, _ := term.Execute("", "plan", "limits", "standard", "--price-monthly=8900"); !strings.Contains(complaint, "Run: parley billing sync") {
			term.Errorf("a price that is not sold yet is taken with %q", complaint)
		}
		if _, complaint, _ := term.Execute("", "plan", "limits", "standard", "--chatbots=11"); !strings.Contains(complaint, "Run: parley billing sync") {
			term.Errorf("later it says %q", complaint)
		}
		if out, _, code := term.Execute("", at("doctor")...); code == 0 || !strings.Contains(out, "Stripe differs from the plans") {
			term.Errorf("doctor ends with %d and says %s", code, out)
		}
		raised := term.Records(at("billing", "sync")...)
		if len(raised) == 0 || !strings.Contains(harness.Field(raised[0], "what"), "parley_standard_monthly") {
			term.Errorf("a new price is the change %v", raised)
		}
		if _, complaint, _ := term.Execute("", "plan", "limits", "standard", "--chatbots=12"); complaint != "" {
			term.Errorf("once it is sold, it still says %q", complaint)
		}
		if got := term.Record(at("billing", "reconcile")...); got["corrected"] != 0.0 || got["events"] == nil {
			term.Errorf("corrected %v", got)
		}
		out, complaint, code := term.Execute("", "billing", "sync", "--stripe-secret-key=sk_wrong_secret", "--stripe-url="+stripe.URL)
		if code != 1 || !strings.Contains(complaint, "STRIPE_SECRET_KEY") || strings.Contains(out+complaint, "sk_wrong") {
			term.Errorf("with a wrong key it ends with %d and says %s", code, complaint)
		}
	})
}

func TestDoctorOnBilling(t *testing.T) {
	t.Parallel()
	term := &harness.Terminal{T: t, Folder: t.TempDir()}
	harness.ShareCache(t, term.Folder)
	stripe, post := stripetest.New(t, stripetest.Options{}), mailtest.New(t, mailtest.Options{})
	examine := func(key, secret, password string) map[string]map[string]any {
		out, complaint, _ := term.Execute("", "doctor", "--json", "--stripe-secret-key="+key, "--stripe-webhook-secret="+secret, "--stripe-url="+stripe.URL,
			"--smtp-url=smtp://"+mailtest.User+":"+password+"@"+post.Address, "--mail-from=parley@example.com")
		if strings.Contains(out+complaint, "hunter") || strings.Contains(out+complaint, "sk_") || strings.Contains(out+complaint, "whsec") {
			t.Errorf("a secret is shown: %s%s", out, complaint)
		}
		parts := map[string]map[string]any{}
		for _, part := range harness.Decoded[[]map[string]any](term, out) {
			parts[harness.Field(part, "part")] = part
		}
		return parts
	}
	t.Run("a Stripe and a mail server that work pass", func(t *testing.T) {
		parts := examine(stripe.Key, stripe.WebhookSecret, "hunter2%20secret")
		if parts["stripe"]["ok"] != true || parts["webhook"]["ok"] != true || parts["mail"]["ok"] != true {
			t.Errorf("the parts are %v", parts)
		}
	})
	t.Run("a restricted key is told which rights it lacks", func(t *testing.T) {
		stripe.Restrict("rk_test_poor", stripetest.Rights{"account": stripetest.Read, "customers": stripetest.Write})
		parts := examine("rk_test_poor", stripe.WebhookSecret, "hunter2%20secret")
		if detail := harness.Field(parts["stripe"], "detail"); parts["stripe"]["ok"] != false || !strings.Contains(detail, "Checkout Sessions (Write)") ||
			strings.Contains(detail, "Customers") || strings.Contains(detail, "does not answer") {
			t.Errorf("it says %v", parts["stripe"])
		}
	})
	t.Run("doctor compares the webhook endpoint, and billing webhook corrects it", func(t *testing.T) {
		at := []string{"--stripe-secret-key=" + stripe.Key, "--stripe-url=" + stripe.URL, "--base-url=https://parley.example"}
		webhook := func(secret string) map[string]any {
			out, _, _ := term.Execute("", append([]string{"doctor", "--json", "--stripe-webhook-secret=" + secret}, at...)...)
			for _, part := range harness.Decoded[[]map[string]any](term, out) {
				if harness.Field(part, "part") == "webhook" {
					return part
				}
			}
			return nil
		}
		if part := webhook("whsec_other"); part["ok"] != false || !strings.Contains(harness.Field(part, "remedy"), "parley billing webhook") {
			t.Errorf("without one it says %v", part)
		}
		term.Fails("BASE_URL", "billing", "webhook", "--stripe-secret-key="+stripe.Key, "--stripe-url="+stripe.URL)
		made := term.Record(append([]string{"billing", "webhook"}, at...)...)
		if !strings.HasPrefix(harness.Field(made, "secret"), "whsec_") || harness.Field(made, "url") != "https://parley.example/api/webhooks/stripe" {
			t.Errorf("it made %v", made)
		}
		if again := term.OK(append([]string{"billing", "webhook"}, at...)...); strings.Contains(again, "whsec_") || len(stripe.Endpoints()) != 1 {
			t.Errorf("the second time it says %s", again)
		}
		if part := webhook("whsec_other"); part["ok"] != false || !strings.Contains(harness.Field(part, "detail"), "STRIPE_WEBHOOK_SECRET is not its secret") {
			t.Errorf("with another secret it says %v", part)
		}
		if part := webhook(harness.Field(made, "secret")); part["ok"] != true {
			t.Errorf("then it says %v", part)
		}
		if rotated := term.OK(append([]string{"billing", "webhook", "--rotate"}, at...)...); !strings.Contains(rotated, "STRIPE_WEBHOOK_SECRET=whsec_") || strings.Contains(rotated, harness.Field(made, "secret")) || len(stripe.Endpoints()) != 1 {
			t.Errorf("a rotation says %s", rotated)
		}
	})
	t.Run("a wrong key, no webhook secret and a wrong password are found", func(t *testing.T) {
		parts := examine("sk_wrong", "", "hunter3")
		if parts["stripe"]["ok"] != false || parts["webhook"]["ok"] != false || parts["mail"]["ok"] != false || !strings.Contains(harness.Field(parts["mail"], "remedy"), "SMTP_URL") {
			t.Errorf("the parts are %v", parts)
		}
	})
}
