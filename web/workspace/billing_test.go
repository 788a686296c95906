package workspace_test

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
	"parley/web/page"
	"parley/web/shoptest"
	"parley/web/webtest"
)

func TestPlansPage(t *testing.T) {
	s := shoptest.Open(t, nil)
	t.Run("a new workspace is offered a trial, and nothing to manage", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(s.Url("/billing"))
		s.WantPage(got, 200, "This workspace is on the Starter plan.", "The first 14 days are free, once per person and payment method.", "On request", `id="choose-standard"`, `name="interval" type="radio" value="yearly"`, "Everything in Basic, plus:", "start over on December 1, 2026", "1 of 1")
		if strings.Contains(got.Body, "manage-billing") {
			t.Error("the page has the portal")
		}
	})
	t.Run("plans are not changed by hand where they are sold", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Post(s.Url("/billing"), url.Values{"plan": {"premium"}}), 403, "On this server you buy a plan.")
	})
	t.Run("a customer sees the state, the invoices and the history", func(t *testing.T) {
		s := s.Within(t)
		s.Subscribe(plan.Standard, plan.Trialing)
		s.Till.Listed = []billing.Invoice{{Number: "A-1", CreatedAt: webtest.Today, Total: 1_500, Currency: "jpy", Status: "paid", URL: "https://invoice.stripe.com/i/1"}}
		got := s.Get(s.Url("/billing"))
		s.WantPage(got, 200, "Trial until December 3; then 79.00 USD a month.", `id="manage-billing"`, `>Trial</span>`, `data-load="`+s.Url("/billing/invoices")+`"`, `<td data-label="By">Stripe</td>`)
		if strings.Contains(got.Body, "days are free") {
			t.Error("the page offers another trial")
		}
	})
	t.Run("an unpaid bill locks nobody out of the page", func(t *testing.T) {
		s := s.Within(t)
		s.Subscribe(plan.Standard, plan.Unpaid)
		s.WantPage(s.Get(s.Url("/billing")), 200, "Pay the open invoice", `id="manage-billing"`, "This workspace is on the Starter plan.")
	})
}

func TestWhatIsSold(t *testing.T) {
	s := shoptest.Open(t, nil)
	basic := plan.Defaults()[1]
	basic.Price.Monthly = 25_00
	t.Run("between a new price and its sale the page does not show what is not sold", func(t *testing.T) {
		s := s.Within(t)
		webtest.Must(t, s.Tenants.Plans.SetOnSale(t.Context(), plan.Basic, plan.Price{Monthly: 19_00, Yearly: 190_00, Currency: "usd"}))
		webtest.Must(t, s.Tenants.Plans.Update(t.Context(), basic))
		got := s.Get(s.Url("/billing"))
		s.WantPage(got, 200, "19.00 USD", `id="choose-basic"`)
		if strings.Contains(got.Body, "25.00 USD") {
			t.Error("the page shows a price that is not sold")
		}
	})
	t.Run("once it is sold, the page shows it, and who pays the old one reads both", func(t *testing.T) {
		s := s.Within(t)
		s.Subscribe(plan.Basic, plan.Active)
		s.Till.Billed.Amount = 19_00
		_, err := s.Till.Refresh(t.Context(), s.Home.ID, subscription.Cause{})
		webtest.Must(t, err)
		webtest.Must(t, s.Tenants.Plans.SetOnSale(t.Context(), plan.Basic, plan.Price{Monthly: 25_00, Yearly: 190_00, Currency: "usd"}))
		s.WantPage(s.Get(s.Url("/billing")), 200, "It costs 19.00 USD a month.", "If you leave and come back, Basic costs 25.00 USD a month.", "You pay 19.00 USD", "79.00 USD a month instead of 19.00 USD a month")
	})
	t.Run("what is not sold at Stripe yet cannot be bought", func(t *testing.T) {
		s := s.Within(t)
		webtest.Must(t, s.Tenants.Plans.SetOnSale(t.Context(), plan.Premium, plan.Price{Monthly: plan.NotSold, Yearly: plan.NotSold, Currency: "usd"}))
		got := s.Get(s.Url("/billing"))
		s.WantPage(got, 200, "Not sold yet")
		if strings.Contains(got.Body, `id="choose-premium"`) {
			t.Error("it has a button")
		}
		s.WantPage(s.Post(s.Url("/billing/checkout"), url.Values{"plan": {"premium"}, "interval": {"monthly"}}), 422, "not for sale")
	})
}

func TestPaymentsOnThePage(t *testing.T) {
	s := shoptest.Open(t, nil)
	s.Subscribe(plan.Standard, plan.PastDue)
	s.Till.Billed.InvoiceURL = "https://invoice.stripe.com/i/7"
	_, err := s.Till.Refresh(t.Context(), s.Home.ID, subscription.Cause{})
	webtest.Must(t, err)
	_, err = s.Tenants.Reversals.Record(t.Context(), s.Home.ID, []subscription.Reversal{
		{StripeID: "re_1", Kind: subscription.Refund, Status: "succeeded", Amount: 12_34, Currency: "usd", At: webtest.Today},
		{StripeID: "dp_1", Kind: subscription.Dispute, Status: "needs_response", Amount: 79_00, Currency: "usd", At: webtest.Today},
	})
	webtest.Must(t, err)
	t.Run("an owner sees where to pay, what went back and what is disputed", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Get(s.Url("/billing")), 200, `href="https://invoice.stripe.com/i/7"`, "12.34 USD", "Paid back", `id="disputed"`, "A payment of 79.00 USD is disputed", `datetime="2026-11-10T12:00:00Z">2026-11-10<`)
	})
	t.Run("a member who is no owner sees none of it", func(t *testing.T) {
		s := s.Within(t)
		ben, err := s.Tenants.SignUps.CreateUser(t.Context(), "ben@example.com", shoptest.Password)
		webtest.Must(t, err)
		webtest.Must(t, s.Tenants.Members.Add(t.Context(), s.Home.ID, ben, tenant.RoleAdmin))
		s.SignIn(ben)
		got := s.Get(s.Url("/billing"))
		s.WantPage(got, 200, "An owner of the workspace can change the plan.")
		for _, secret := range []string{"invoice.stripe.com", `id="disputed"`, `id="reversal-list"`, "12.34 USD"} {
			if strings.Contains(got.Body, secret) {
				t.Errorf("the page has %s", secret)
			}
		}
	})
	t.Run("another workspace sees none of it", func(t *testing.T) {
		s := s.Within(t)
		eve, other, err := s.Tenants.SignUps.Create(t.Context(), account.Account{Email: "eve@example.com", Password: shoptest.Password, Workspace: "Other"})
		webtest.Must(t, err)
		s.SignIn(eve)
		if got := s.Get("/workspaces/" + other + "/billing"); strings.Contains(got.Body, "12.34 USD") || strings.Contains(got.Body, "disputed") {
			t.Error("the page has what is another's")
		}
	})
	t.Run("who had a trial elsewhere is not promised another", func(t *testing.T) {
		s := s.Within(t)
		ann, space, err := s.Tenants.SignUps.Create(t.Context(), account.Account{Email: "ann@example.com", Password: shoptest.Password, Workspace: "New"})
		webtest.Must(t, err)
		s.SignIn(ann)
		s.WantPage(s.Get("/workspaces/"+space+"/billing"), 200, "days are free, once per person")
		_, err = s.Tenants.Trials.Claim(t.Context(), "sub_9", subscription.TrialOfUser(ann.ID))
		webtest.Must(t, err)
		if got := s.Get("/workspaces/" + space + "/billing"); strings.Contains(got.Body, "days are free") {
			t.Error("the page promises a trial")
		}
	})
}

func TestLimitsPage(t *testing.T) {
	s := shoptest.Open(t, nil)
	s.Subscribe(plan.Standard, plan.Active)
	bots := make([]chatbot.Chatbot, 3)
	for i, name := range []string{"First", "Second", "Third"} {
		var err error
		bots[i], err = s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: name})
		webtest.Must(t, err)
	}
	ben, err := s.Tenants.SignUps.CreateUser(t.Context(), "ben@example.com", shoptest.Password)
	webtest.Must(t, err)
	webtest.Must(t, s.Tenants.Members.Add(t.Context(), s.Home.ID, ben, tenant.RoleAdmin))
	_, _, err = s.Chatbots.Tokens.Issue(t.Context(), s.Home.ID, bots[0].ID, chatbot.NewToken{Name: "Website"})
	webtest.Must(t, err)

	t.Run("while all fits, there is nothing to choose and no banner", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(s.Url("/limits"))
		s.WantPage(got, 200, "Nothing is over your plan's limits.")
		if strings.Contains(got.Body, `class="warning"`) {
			t.Error("the page warns")
		}
	})
	s.Subscribe(plan.Standard, plan.Canceled)

	t.Run("after a downgrade every page of the workspace says that something is suspended", func(t *testing.T) {
		s := s.Within(t)
		for _, path := range []string{s.Url(""), s.Url("/members"), s.Url("/billing"), s.Url("/limits"), s.Url("/settings"), "/chatbots/" + bots[0].ID, "/chatbots/" + bots[1].ID + "/tokens"} {
			s.WantPage(s.Get(path), 200, "Choose what stays active")
		}
	})
	t.Run("lists say what is suspended", func(t *testing.T) {
		s := s.Within(t)
		if got := strings.Count(s.Get(s.Url("")).Body, "Paused: read-only"); got != 2 {
			t.Errorf("%d chatbots are said to be suspended", got)
		}
		s.WantPage(s.Get(s.Url("/members")), 200, "Paused: can look but not change anything")
	})
	t.Run("a suspended chatbot's pages say so, and can only delete it", func(t *testing.T) {
		s := s.Within(t)
		second := "/chatbots/" + bots[1].ID
		s.WantPage(s.Get(second+"/settings"), 200, `id="read-only"`, `<fieldset class="form" disabled>`, `id="delete-chatbot"`)
		if got := s.Get(second + "/tokens"); strings.Contains(got.Body, "create-token") {
			t.Error("tokens could be made")
		}
		if got := s.Get("/chatbots/" + bots[0].ID); strings.Contains(got.Body, `id="read-only"`) {
			t.Error("the oldest is suspended, too")
		}
		s.WantPage(s.Post(second+"/settings", url.Values{"name": {"Renamed"}}), 403, "An owner can choose")
	})
	t.Run("the owner reads what is suspended, and is not asked about themselves", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Get(s.Url("/limits")), 200, "The Starter plan includes 1 chatbot.", "The Starter plan includes no API tokens", "Website", "ben@example.com", "The owner who joined first always stays active.")
	})
	t.Run("more than the plan includes cannot be chosen", func(t *testing.T) {
		s := s.Within(t)
		got := s.Post(s.Url("/limits"), url.Values{"resource": {"chatbots"}, "keep": {bots[1].ID, bots[2].ID}})
		s.WantPage(got, 422, "Choose fewer.")
	})
	t.Run("what is chosen is active again, and another is suspended", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(s.Url("/limits"), url.Values{"resource": {"chatbots"}, "keep": {bots[2].ID}}), s.Url("/limits?done=chosen"))
		all, err := s.Chatbots.List(t.Context(), s.Home.ID)
		webtest.Must(t, err)
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
			s := s.Within(t)
			s.WantPage(s.Post(s.Url("/limits"), typed), 422, `class="banner danger"`)
		})
	}
	t.Run("a suspended member can look, and choose nothing", func(t *testing.T) {
		s := s.Within(t)
		s.SignIn(ben)
		s.WantPage(s.Get(s.Url("/limits")), 200, "You can look, but not change anything.", "An owner of the workspace can choose what stays active.", "<fieldset disabled>")
		s.WantPage(s.Post(s.Url("/chatbots"), url.Values{"name": {"Fourth"}}), 403)
	})
	t.Run("deleting a chatbot wakes up another", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post("/chatbots/"+bots[2].ID+"/delete", url.Values{"confirm_name": {"Third"}}), s.Url("?done=deleted"))
		s.WantPage(s.Post("/chatbots/"+bots[0].ID+"/settings", url.Values{"name": {"First"}, "passage_aim": {"x"}}), 422, "Enter a whole number.")
	})
}

func TestAChangeOfPlanShowsWhatItDoes(t *testing.T) {
	s := shoptest.Open(t, func(d *page.Deps) { d.Billing, d.PlanChanges = nil, true })
	webtest.Must(t, s.Tenants.Grants.SetPlan(t.Context(), s.Home.ID, plan.Standard))
	for _, name := range []string{"First", "<b>Second</b>"} {
		_, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: name})
		webtest.Must(t, err)
	}
	got := s.Get(s.Url("/billing"))
	s.WantPage(got, 200, "Usage &amp; billing", `id="ask-starter"`, "Change to Starter?", "Would be paused", "&lt;b&gt;Second&lt;/b&gt; (chatbot)", "The change takes effect at once.", "Keep the current plan")
	s.WantGone(s.Post(s.Url("/billing"), url.Values{"plan": {"starter"}}), s.Url("/billing?done=plan"))
	s.WantPage(s.Get(s.Url("/billing")), 200, "Would be active again")
}
