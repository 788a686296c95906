package web

import (
	"net/url"
	"strings"
	"testing"

	"parley/billing"
	"parley/core/account"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
)

func TestPlansPage(t *testing.T) {
	s := open(t, nil)
	t.Run("a new workspace is offered a trial, and nothing to manage", func(t *testing.T) {
		s := s.within(t)
		got := s.get(s.url("/plan"))
		s.wantPage(got, 200, "This workspace is on the Starter plan.", "The first 14 days are free, once per person and payment method.", "On request", `id="buy-standard-monthly"`, "1 of 1")
		if strings.Contains(got.body, "manage-billing") {
			t.Error("the page has the portal")
		}
	})
	t.Run("plans are not changed by hand where they are sold", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.post(s.url("/plan"), url.Values{"plan": {"premium"}}), 403, "On this server you buy a plan.")
	})
	t.Run("a customer sees the state, the invoices and the history", func(t *testing.T) {
		s := s.within(t)
		s.subscribe(plan.Standard, plan.Trialing)
		s.till.invoices = []billing.Invoice{{Number: "A-1", CreatedAt: today, Total: 1_500, Currency: "jpy", Status: "paid", URL: "https://invoice.stripe.com/i/1"}}
		got := s.get(s.url("/plan"))
		s.wantPage(got, 200, "Trial until 3 December; then 79.00 USD a month.", `id="manage-billing"`, `href="https://invoice.stripe.com/i/1"`, "1,500 JPY", `<td>Stripe</td>`)
		if strings.Contains(got.body, "days are free") {
			t.Error("the page offers another trial")
		}
	})
	t.Run("an unpaid bill locks nobody out of the page", func(t *testing.T) {
		s := s.within(t)
		s.subscribe(plan.Standard, plan.Unpaid)
		s.wantPage(s.get(s.url("/plan")), 200, "Pay the open invoice", `id="manage-billing"`, "This workspace is on the Starter plan.")
	})
}

func TestWhatIsSold(t *testing.T) {
	s := open(t, nil)
	basic := plan.Defaults()[1]
	basic.Price.Monthly = 25_00
	t.Run("between a new price and its sale the page does not show what is not sold", func(t *testing.T) {
		s := s.within(t)
		must(t, s.tenants.Plans.SetOnSale(t.Context(), plan.Basic, plan.Price{Monthly: 19_00, Yearly: 190_00, Currency: "usd"}))
		must(t, s.tenants.Plans.UpdatePlan(t.Context(), basic))
		got := s.get(s.url("/plan"))
		s.wantPage(got, 200, "19.00 USD", `id="buy-basic-monthly"`)
		if strings.Contains(got.body, "25.00 USD") {
			t.Error("the page shows a price that is not sold")
		}
	})
	t.Run("once it is sold, the page shows it, and who pays the old one reads both", func(t *testing.T) {
		s := s.within(t)
		s.subscribe(plan.Basic, plan.Active)
		s.till.billed.Amount = 19_00
		_, err := s.till.Refresh(t.Context(), s.home.ID, subscription.Cause{})
		must(t, err)
		must(t, s.tenants.Plans.SetOnSale(t.Context(), plan.Basic, plan.Price{Monthly: 25_00, Yearly: 190_00, Currency: "usd"}))
		s.wantPage(s.get(s.url("/plan")), 200, "It costs 19.00 USD a month.", "If you leave and come back, Basic costs 25.00 USD a month.", "You pay 19.00 USD", "79.00 USD a month instead of 19.00 USD a month")
	})
	t.Run("what is not sold at Stripe yet cannot be bought", func(t *testing.T) {
		s := s.within(t)
		must(t, s.tenants.Plans.SetOnSale(t.Context(), plan.Premium, plan.Price{Monthly: plan.NotSold, Yearly: plan.NotSold, Currency: "usd"}))
		got := s.get(s.url("/plan"))
		s.wantPage(got, 200, "Not sold yet")
		if strings.Contains(got.body, `id="buy-premium-monthly"`) {
			t.Error("it has a button")
		}
		s.wantPage(s.post(s.url("/plan/checkout"), url.Values{"plan": {"premium"}, "interval": {"monthly"}}), 422, "not for sale")
	})
}

func TestPaymentsOnThePage(t *testing.T) {
	s := open(t, nil)
	s.subscribe(plan.Standard, plan.PastDue)
	s.till.billed.InvoiceURL = "https://invoice.stripe.com/i/7"
	_, err := s.till.Refresh(t.Context(), s.home.ID, subscription.Cause{})
	must(t, err)
	_, err = s.tenants.Reversals.RecordReversals(t.Context(), s.home.ID, []subscription.Reversal{
		{StripeID: "re_1", Kind: subscription.Refund, Status: "succeeded", Amount: 12_34, Currency: "usd", At: today},
		{StripeID: "dp_1", Kind: subscription.Dispute, Status: "needs_response", Amount: 79_00, Currency: "usd", At: today},
	})
	must(t, err)
	t.Run("an owner sees where to pay, what went back and what is disputed", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.get(s.url("/plan")), 200, `href="https://invoice.stripe.com/i/7"`, "12.34 USD", "Paid back", `id="disputed"`, "A payment of 79.00 USD is disputed", `datetime="2026-11-10T12:00:00Z">2026-11-10<`)
	})
	t.Run("a member who is no owner sees none of it", func(t *testing.T) {
		s := s.within(t)
		ben, err := s.tenants.SignUps.CreateUser(t.Context(), "ben@example.com", password)
		must(t, err)
		must(t, s.tenants.Members.AddMember(t.Context(), s.home.ID, ben, tenant.RoleAdmin))
		s.signIn(ben)
		got := s.get(s.url("/plan"))
		s.wantPage(got, 200, "An owner of the workspace can change the plan.")
		for _, secret := range []string{"invoice.stripe.com", `id="disputed"`, `id="reversal-list"`, "12.34 USD"} {
			if strings.Contains(got.body, secret) {
				t.Errorf("the page has %s", secret)
			}
		}
	})
	t.Run("another workspace sees none of it", func(t *testing.T) {
		s := s.within(t)
		eve, other, err := s.tenants.SignUps.SignUp(t.Context(), account.Account{Email: "eve@example.com", Password: password, Workspace: "Other"})
		must(t, err)
		s.signIn(eve)
		if got := s.get("/workspaces/" + other + "/plan"); strings.Contains(got.body, "12.34 USD") || strings.Contains(got.body, "disputed") {
			t.Error("the page has what is another's")
		}
	})
	t.Run("who had a trial elsewhere is not promised another", func(t *testing.T) {
		s := s.within(t)
		ann, space, err := s.tenants.SignUps.SignUp(t.Context(), account.Account{Email: "ann@example.com", Password: password, Workspace: "New"})
		must(t, err)
		s.signIn(ann)
		s.wantPage(s.get("/workspaces/"+space+"/plan"), 200, "days are free, once per person")
		_, err = s.tenants.Trials.ClaimTrial(t.Context(), "sub_9", subscription.TrialOfUser(ann.ID))
		must(t, err)
		if got := s.get("/workspaces/" + space + "/plan"); strings.Contains(got.body, "days are free") {
			t.Error("the page promises a trial")
		}
	})
}

func TestLimitsPage(t *testing.T) {
	s := open(t, nil)
	s.subscribe(plan.Standard, plan.Active)
	bots := make([]chatbot.Chatbot, 3)
	for i, name := range []string{"First", "Second", "Third"} {
		var err error
		bots[i], err = s.chatbots.Create(t.Context(), s.home.ID, chatbot.Settings{Name: name})
		must(t, err)
	}
	ben, err := s.tenants.SignUps.CreateUser(t.Context(), "ben@example.com", password)
	must(t, err)
	must(t, s.tenants.Members.AddMember(t.Context(), s.home.ID, ben, tenant.RoleAdmin))
	_, _, err = s.chatbots.Tokens.Issue(t.Context(), s.home.ID, bots[0].ID, chatbot.NewToken{Name: "Website"})
	must(t, err)

	t.Run("while all fits, there is nothing to choose and no banner", func(t *testing.T) {
		s := s.within(t)
		got := s.get(s.url("/limits"))
		s.wantPage(got, 200, "Nothing is over your plan's limits.")
		if strings.Contains(got.body, `class="warning"`) {
			t.Error("the page warns")
		}
	})
	s.subscribe(plan.Standard, plan.Canceled)

	t.Run("after a downgrade every page of the workspace says that something is suspended", func(t *testing.T) {
		s := s.within(t)
		for _, path := range []string{s.url(""), s.url("/members"), s.url("/plan"), s.url("/limits"), s.url("/settings"), "/chatbots/" + bots[0].ID, "/chatbots/" + bots[1].ID + "/tokens"} {
			s.wantPage(s.get(path), 200, "See what is suspended and choose what stays active")
		}
	})
	t.Run("lists say what is suspended", func(t *testing.T) {
		s := s.within(t)
		if got := strings.Count(s.get(s.url("")).body, "Suspended: read-only"); got != 2 {
			t.Errorf("%d chatbots are said to be suspended", got)
		}
		s.wantPage(s.get(s.url("/members")), 200, "Suspended: can look but not change anything")
	})
	t.Run("a suspended chatbot's pages say so, and can only delete it", func(t *testing.T) {
		s := s.within(t)
		second := "/chatbots/" + bots[1].ID
		s.wantPage(s.get(second), 200, `id="read-only"`, "<fieldset disabled>", `id="delete-chatbot"`)
		if got := s.get(second + "/tokens"); strings.Contains(got.body, "create-token") {
			t.Error("tokens could be made")
		}
		if got := s.get("/chatbots/" + bots[0].ID); strings.Contains(got.body, `id="read-only"`) {
			t.Error("the oldest is suspended, too")
		}
		s.wantPage(s.post(second, url.Values{"name": {"Renamed"}}), 403, "An owner can choose")
	})
	t.Run("the owner reads what is suspended, and is not asked about themselves", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.get(s.url("/limits")), 200, "The Starter plan includes 1 chatbot.", "The Starter plan includes no API tokens", "Website", "ben@example.com", "The owner who joined first always stays active.")
	})
	t.Run("more than the plan includes cannot be chosen", func(t *testing.T) {
		s := s.within(t)
		got := s.post(s.url("/limits"), url.Values{"resource": {"chatbots"}, "keep": {bots[1].ID, bots[2].ID}})
		s.wantPage(got, 422, "Choose fewer.")
	})
	t.Run("what is chosen is active again, and another is suspended", func(t *testing.T) {
		s := s.within(t)
		s.wantGone(s.post(s.url("/limits"), url.Values{"resource": {"chatbots"}, "keep": {bots[2].ID}}), s.url("/limits?done=chosen"))
		all, err := s.chatbots.List(t.Context(), s.home.ID)
		must(t, err)
		for _, bot := range all {
			if bot.OverLimit == (bot.Name == "Third") {
				t.Errorf("%s is suspended: %t", bot.Name, bot.OverLimit)
			}
		}
	})
	for name, typed := range map[string]url.Values{
		"a chatbot that there is not cannot be chosen": {"resource": {"chatbots"}, "keep": {"cb_none"}},
		"what has no limit cannot be chosen":           {"resource": {"invoices"}, "keep": {"x"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.within(t)
			s.wantPage(s.post(s.url("/limits"), typed), 422, `class="banner"`)
		})
	}
	t.Run("a suspended member can look, and choose nothing", func(t *testing.T) {
		s := s.within(t)
		s.signIn(ben)
		s.wantPage(s.get(s.url("/limits")), 200, "You can look, but not change anything.", "An owner of the workspace can choose what stays active.", "<fieldset disabled>")
		s.wantPage(s.post(s.url("/chatbots"), url.Values{"name": {"Fourth"}}), 403)
	})
	t.Run("deleting a chatbot wakes up another", func(t *testing.T) {
		s := s.within(t)
		s.wantGone(s.post("/chatbots/"+bots[2].ID+"/delete", url.Values{"confirm_name": {"Third"}}), s.url("?done=deleted"))
		s.wantPage(s.post("/chatbots/"+bots[0].ID, url.Values{"name": {"First"}, "passage_aim": {"x"}}), 422, "Enter a whole number.")
	})
}
