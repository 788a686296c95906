package workspace_test

import (
	"net/url"
	"strings"
	"testing"

	"parley/billing"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/web/page"
	"parley/web/shoptest"
	"parley/web/webtest"
)

func TestCheckout(t *testing.T) {
	s := shoptest.Open(t, nil)
	bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Guide"})
	webtest.Must(t, err)
	tokens := "/chatbots/" + bot.ID + "/tokens"

	t.Run("the tokens page of a plan without API access offers the plan that has it", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(tokens)
		s.WantPage(got, 200, "API access starts with Standard", "Upgrade to Standard", "79.00 USD a month", `href="`+s.Url("/billing/change?plan=standard&amp;next="+url.QueryEscape(tokens))+`"`)
	})
	t.Run("its button shows what the change does first, and leads back to the tokens", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(s.Url("/billing/change?plan=standard&next=" + url.QueryEscape(tokens)))
		s.WantPage(got, 200, "Change to Standard?", "10 instead of 1 chatbots", `name="next" value="`+tokens+`"`, `href="`+tokens+`"`, `action="`+s.Url("/billing/checkout")+`"`)
		if policy := got.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' https://checkout.stripe.com") {
			t.Errorf("the policy is %q", policy)
		}
	})
	t.Run("buying leads to Stripe, and from there back to the page", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(s.Url("/billing/checkout"), url.Values{"plan": {"standard"}, "interval": {"yearly"}, "next": {tokens}}), shoptest.CheckoutURL)
		if s.Till.Purchase != (billing.Purchase{Plan: plan.Standard, Interval: plan.Yearly, Buyer: s.Owner.ID}) {
			t.Errorf("bought is %+v", s.Till.Purchase)
		}
		back := webtest.BaseURL + s.Url("/billing/return?next="+url.QueryEscape(tokens))
		if s.Till.Back != (billing.Back{Done: back + "&paid=yes", Canceled: back}) {
			t.Errorf("it leads back to %+v", s.Till.Back)
		}
	})
	t.Run("a page to pay on at another address is led to by a link, which no policy stops", func(t *testing.T) {
		s := s.Within(t)
		s.Till.PayAt = "https://pay.example.com/c/1"
		defer func() { s.Till.PayAt = shoptest.CheckoutURL }()
		s.WantPage(s.Post(s.Url("/billing/checkout"), url.Values{"plan": {"standard"}}), 200, `href="https://pay.example.com/c/1"`)
	})
	t.Run("who comes back before the payment is told to wait", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Get(s.Url("/billing/return?paid=yes&next="+url.QueryEscape(tokens))), tokens+"?done=waiting")
		s.WantGone(s.Get(s.Url("/billing/return?next="+url.QueryEscape(tokens))), tokens+"?done=unbought")
	})
	t.Run("who comes back has the plan at once, without any webhook", func(t *testing.T) {
		s := s.Within(t)
		s.Till.Billed = subscription.Billed{ID: "sub_1", Status: plan.Trialing, Plan: plan.Standard, Interval: plan.Yearly, TrialEnd: webtest.On(2026, 12, 3)}
		s.WantGone(s.Get(s.Url("/billing/return?paid=yes&next="+url.QueryEscape(tokens))), tokens+"?done=bought")
		got := s.Get(tokens + "?done=bought")
		s.WantPage(got, 200, "Thank you. The plan is active now.", `id="create-token"`)
		if strings.Contains(got.Body, "Upgrade to") {
			t.Error("the page still offers the plan")
		}
		if _, _, err := s.Chatbots.Tokens.Issue(t.Context(), s.Home.ID, bot.ID, chatbot.NewToken{}); err != nil {
			t.Errorf("a token cannot be made: %v", err)
		}
	})
	t.Run("when Stripe cannot be asked, the page says that it may take a minute", func(t *testing.T) {
		s := s.Within(t)
		s.Till.Fail = fault.New(fault.Upstream, "Stripe does not answer.")
		defer func() { s.Till.Fail = nil }()
		s.WantGone(s.Get(s.Url("/billing/return?next=/")), s.Url("/billing?done=waiting"))
		s.WantPage(s.Get(s.Url("/billing?done=waiting")), 200, "may take a minute")
	})
	t.Run("without Stripe the invoices say so, and the billing page does not wait for it", func(t *testing.T) {
		s := s.Within(t)
		s.Till.Fail = fault.New(fault.Unavailable, "Stripe does not answer.")
		defer func() { s.Till.Fail = nil }()
		s.WantPage(s.Get(s.Url("/billing/invoices")), 200, `id="invoices"`, "Stripe did not answer")
		s.WantPage(s.Get(s.Url("/billing")), 200, `id="standing"`, "Show the invoices")
	})
	t.Run("the invoices have their number, day, amount, state, page and file", func(t *testing.T) {
		s := s.Within(t)
		s.Till.Listed = []billing.Invoice{
			{Number: "A-1", CreatedAt: webtest.Today, Total: 1_500, Currency: "jpy", Status: "paid", URL: "https://invoice.stripe.com/i/1", PDF: "https://pay.stripe.com/1/pdf"},
			{Number: "A-2", CreatedAt: webtest.Today, Total: 7_900, Currency: "usd", Status: "open", URL: "https://invoice.stripe.com/i/2"},
		}
		defer func() { s.Till.Listed = nil }()
		got := s.Get(s.Url("/billing/invoices"))
		s.WantPage(got, 200, `href="https://invoice.stripe.com/i/1"`, `href="https://pay.stripe.com/1/pdf"`)
		s.WantRows(got, "invoice-list", []string{"A-1", "2026-11-10", "1,500 JPY", "Paid", "View PDF"}, []string{"A-2", "2026-11-10", "79.00 USD", "To be paid", "Pay"})
	})
	t.Run("addresses of mails and of Stripe's pages from before lead to where they are now", func(t *testing.T) {
		s := s.Within(t)
		for from, to := range map[string]string{
			"/plan": "/billing", "/plan?done=plan": "/billing?done=plan", "/usage?month=2026-10": "/billing?month=2026-10",
			"/plan/return?next=%2F&paid=yes": "/billing/return?next=%2F&paid=yes",
		} {
			if got := s.Get(s.Url(from)); got.Status != 301 || got.Header.Get("Location") != s.Url(to) {
				t.Errorf("%s leads to %q with %d", from, got.Header.Get("Location"), got.Status)
			}
		}
	})
	t.Run("a form of a page that was open before is sent on as it was typed", func(t *testing.T) {
		s := s.Within(t)
		for from, to := range map[string]string{"/plan": "/billing", "/plan/checkout": "/billing/checkout", "/plan/portal": "/billing/portal"} {
			if got := s.Post(s.Url(from), url.Values{"plan": {"standard"}}); got.Status != 308 || got.Header.Get("Location") != s.Url(to) {
				t.Errorf("%s leads to %q with %d", from, got.Header.Get("Location"), got.Status)
			}
		}
	})
	t.Run("a change has a page of its own, for browsers that open no dialog", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Get(s.Url("/billing/change?plan=premium")), 200, "Change to Premium?", "50 instead of 10 chatbots", `value="yearly"`, "Keep the current plan", `action="`+s.Url("/billing/checkout")+`"`)
		for _, name := range []string{"starter", "enterprise", "gold", "", "<b>"} {
			s.WantPage(s.Get(s.Url("/billing/change?plan="+url.QueryEscape(name))), 404, "Choose another one under Usage &amp; billing.")
		}
	})
	t.Run("a purchase that is refused still leads back to where it began", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Post(s.Url("/billing/checkout"), url.Values{"plan": {"gold"}, "next": {tokens}}), 422, `name="next" value="`+tokens+`"`)
	})
	t.Run("no address of another server is gone on to", func(t *testing.T) {
		s := s.Within(t)
		for _, next := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, ""} {
			if got := s.Get(s.Url("/billing/change?plan=premium&next=" + url.QueryEscape(next))); got.Status != 200 || strings.Contains(got.Body, "evil") {
				t.Errorf("the page of a change has %q: %d", next, got.Status)
			}
			s.WantGone(s.Get(s.Url("/billing/return?next="+url.QueryEscape(next))), s.Url("/billing?done=read"))
		}
	})
	t.Run("the portal leads back to the plan", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(s.Url("/billing/portal"), nil), shoptest.PortalURL)
		if want := webtest.BaseURL + s.Url("/billing/return?next="+url.QueryEscape(s.Url("/billing"))); s.Till.Back.Done != want {
			t.Errorf("it leads back to %q", s.Till.Back.Done)
		}
	})
	for name, typed := range map[string]url.Values{
		"a plan that is free cannot be bought":     {"plan": {"starter"}},
		"a plan on request cannot be bought":       {"plan": {"enterprise"}},
		"a plan that there is not cannot":          {"plan": {"gold"}},
		"another interval than the two is refused": {"plan": {"standard"}, "interval": {"weekly"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.Within(t)
			s.WantPage(s.Post(s.Url("/billing/checkout"), typed), 422, `class="banner danger"`)
		})
	}
	t.Run("what is wrong at Stripe is said on the billing page", func(t *testing.T) {
		s := s.Within(t)
		s.Till.Fail = fault.New(fault.Unavailable, "Stripe does not answer. Try again.")
		defer func() { s.Till.Fail = nil }()
		for _, path := range []string{"/billing/checkout", "/billing/portal"} {
			s.WantPage(s.Post(s.Url(path), url.Values{"plan": {"standard"}}), 503, "Stripe does not answer. Try again.", `id="plan-list"`)
		}
	})
}

func TestWhoBuys(t *testing.T) {
	s := shoptest.Open(t, nil)
	s.Subscribe(plan.Standard, plan.Active)
	ben, err := s.Tenants.SignUps.CreateUser(t.Context(), "ben@example.com", shoptest.Password)
	webtest.Must(t, err)
	webtest.Must(t, s.Tenants.Members.Add(t.Context(), s.Home.ID, ben, tenant.RoleAdmin))
	s.SignIn(ben)

	t.Run("an admin reads why they cannot, and no invoices", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(s.Url("/billing"))
		s.WantPage(got, 200, "An owner of the workspace can change the plan.", "It costs 79.00 USD a month.")
		for _, none := range []string{"/billing/checkout", "manage-billing", "Invoices"} {
			if strings.Contains(got.Body, none) {
				t.Errorf("the page has %q", none)
			}
		}
	})
	for _, path := range []string{"/billing", "/billing/checkout", "/billing/portal", "/limits", "/delete"} {
		t.Run("an admin may not post to "+path, func(t *testing.T) {
			s := s.Within(t)
			s.WantPage(s.Post(s.Url(path), url.Values{"plan": {"premium"}, "confirm_name": {"Acme"}}), 403, "Ask an owner.")
		})
	}
	t.Run("an admin does not come back from Stripe", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Get(s.Url("/billing/return")), 403)
	})
}

func TestWithoutStripe(t *testing.T) {
	none := func(d *page.Deps) { d.Billing = nil }
	s := shoptest.Open(t, none)
	t.Run("the operator changes plans", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(s.Url("/billing"))
		s.WantPage(got, 200, page.ByOperator, "79.00 USD")
		if strings.Contains(got.Body, "/billing/checkout") || strings.Contains(got.Body, `name="plan"`) {
			t.Error("the page has a button")
		}
		s.WantPage(s.Post(s.Url("/billing"), url.Values{"plan": {"premium"}}), 403, page.ByOperator)
	})
	t.Run("nothing is sold", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Post(s.Url("/billing/checkout"), url.Values{"plan": {"premium"}}), 403, page.ByOperator)
		s.WantPage(s.Post(s.Url("/billing/portal"), nil), 403, page.ByOperator)
		s.WantPage(s.Get(s.Url("/billing/return")), 403, page.ByOperator)
	})
	t.Run("the tokens page leads to the plans", func(t *testing.T) {
		s := s.Within(t)
		bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Guide"})
		webtest.Must(t, err)
		s.WantPage(s.Get("/chatbots/"+bot.ID+"/tokens"), 200, page.ByOperator, `href="`+s.Url("/billing")+`">See the plans</a>`)
	})
	t.Run("forms lead to this server only", func(t *testing.T) { webtest.Confined(t, s.Within(t).Get(s.Url("/billing"))) })

	s = shoptest.Open(t, func(d *page.Deps) { d.Billing, d.PlanChanges = nil, true })
	t.Run("where owners may, they change the plan at once, and the history says who", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Get(s.Url("/billing")), 200, `name="plan" value="premium"`)
		s.WantGone(s.Post(s.Url("/billing"), url.Values{"plan": {"premium"}}), s.Url("/billing?done=plan"))
		s.WantPage(s.Get(s.Url("/billing")), 200, "This workspace is on the Premium plan.", `<td data-label="By">ada@example.com</td>`)
	})
	t.Run("a plan that there is not is refused", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Post(s.Url("/billing"), url.Values{"plan": {"gold"}}), 422, "There is no plan")
	})
}
