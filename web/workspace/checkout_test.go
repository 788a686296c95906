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
	"parley/web/shoptest"
	"parley/web/site"
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
		s.WantPage(got, 200, "API access starts with Standard", "Upgrade to Standard", "Monthly, 79.00 USD a month", `name="next" value="`+tokens+`"`, `action="`+s.Url("/plan/checkout")+`"`)
		if policy := got.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' https://checkout.stripe.com") {
			t.Errorf("the policy is %q", policy)
		}
	})
	t.Run("buying leads to Stripe, and from there back to the page", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(s.Url("/plan/checkout"), url.Values{"plan": {"standard"}, "interval": {"yearly"}, "next": {tokens}}), shoptest.CheckoutURL)
		if s.Till.Purchase != (billing.Purchase{Plan: plan.Standard, Interval: plan.Yearly, Buyer: s.Owner.ID}) {
			t.Errorf("bought is %+v", s.Till.Purchase)
		}
		back := webtest.BaseURL + s.Url("/plan/return?next="+url.QueryEscape(tokens))
		if s.Till.Back != (billing.Back{Done: back + "&paid=yes", Canceled: back}) {
			t.Errorf("it leads back to %+v", s.Till.Back)
		}
	})
	t.Run("a page to pay on at another address is led to by a link, which no policy stops", func(t *testing.T) {
		s := s.Within(t)
		s.Till.PayAt = "https://pay.example.com/c/1"
		defer func() { s.Till.PayAt = shoptest.CheckoutURL }()
		s.WantPage(s.Post(s.Url("/plan/checkout"), url.Values{"plan": {"standard"}}), 200, `href="https://pay.example.com/c/1"`)
	})
	t.Run("who comes back before the payment is told to wait", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Get(s.Url("/plan/return?paid=yes&next="+url.QueryEscape(tokens))), tokens+"?done=waiting")
		s.WantGone(s.Get(s.Url("/plan/return?next="+url.QueryEscape(tokens))), tokens+"?done=unbought")
	})
	t.Run("who comes back has the plan at once, without any webhook", func(t *testing.T) {
		s := s.Within(t)
		s.Till.Billed = subscription.Billed{ID: "sub_1", Status: plan.Trialing, Plan: plan.Standard, Interval: plan.Yearly, TrialEnd: webtest.On(2026, 12, 3)}
		s.WantGone(s.Get(s.Url("/plan/return?paid=yes&next="+url.QueryEscape(tokens))), tokens+"?done=bought")
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
		s.WantGone(s.Get(s.Url("/plan/return?next=/")), s.Url("/plan?done=waiting"))
		s.WantPage(s.Get(s.Url("/plan?done=waiting")), 200, "may take a minute", "Invoices are not available right now.")
	})
	t.Run("no address of another server is gone on to", func(t *testing.T) {
		s := s.Within(t)
		for _, next := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, ""} {
			s.WantGone(s.Get(s.Url("/plan/return?next="+url.QueryEscape(next))), s.Url("/plan?done=read"))
		}
	})
	t.Run("the portal leads back to the plan", func(t *testing.T) {
		s := s.Within(t)
		s.WantGone(s.Post(s.Url("/plan/portal"), nil), shoptest.PortalURL)
		if want := webtest.BaseURL + s.Url("/plan/return?next="+url.QueryEscape(s.Url("/plan"))); s.Till.Back.Done != want {
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
			s.WantPage(s.Post(s.Url("/plan/checkout"), typed), 422, `class="banner danger"`)
		})
	}
	t.Run("what is wrong at Stripe is said on the page of plans", func(t *testing.T) {
		s := s.Within(t)
		s.Till.Fail = fault.New(fault.Unavailable, "Stripe does not answer. Try again.")
		defer func() { s.Till.Fail = nil }()
		for _, path := range []string{"/plan/checkout", "/plan/portal"} {
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
		got := s.Get(s.Url("/plan"))
		s.WantPage(got, 200, "An owner of the workspace can change the plan.", "It costs 79.00 USD a month.")
		for _, none := range []string{"/plan/checkout", "manage-billing", "Invoices"} {
			if strings.Contains(got.Body, none) {
				t.Errorf("the page has %q", none)
			}
		}
	})
	for _, path := range []string{"/plan", "/plan/checkout", "/plan/portal", "/limits", "/delete"} {
		t.Run("an admin may not post to "+path, func(t *testing.T) {
			s := s.Within(t)
			s.WantPage(s.Post(s.Url(path), url.Values{"plan": {"premium"}, "confirm_name": {"Acme"}}), 403, "Ask an owner.")
		})
	}
	t.Run("an admin does not come back from Stripe", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Get(s.Url("/plan/return")), 403)
	})
}

func TestWithoutStripe(t *testing.T) {
	none := func(d *site.Deps) { d.Billing = nil }
	s := shoptest.Open(t, none)
	t.Run("the operator changes plans", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(s.Url("/plan"))
		s.WantPage(got, 200, site.ByOperator, "79.00 USD")
		if strings.Contains(got.Body, "/plan/checkout") || strings.Contains(got.Body, `name="plan"`) {
			t.Error("the page has a button")
		}
		s.WantPage(s.Post(s.Url("/plan"), url.Values{"plan": {"premium"}}), 403, site.ByOperator)
	})
	t.Run("nothing is sold", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Post(s.Url("/plan/checkout"), url.Values{"plan": {"premium"}}), 403, site.ByOperator)
		s.WantPage(s.Post(s.Url("/plan/portal"), nil), 403, site.ByOperator)
		s.WantPage(s.Get(s.Url("/plan/return")), 403, site.ByOperator)
	})
	t.Run("the tokens page leads to the plans", func(t *testing.T) {
		s := s.Within(t)
		bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Guide"})
		webtest.Must(t, err)
		s.WantPage(s.Get("/chatbots/"+bot.ID+"/tokens"), 200, site.ByOperator, `href="`+s.Url("/plan")+`">See the plans</a>`)
	})
	t.Run("forms lead to this server only", func(t *testing.T) { webtest.Confined(t, s.Within(t).Get(s.Url("/plan"))) })

	s = shoptest.Open(t, func(d *site.Deps) { d.Billing, d.PlanChanges = nil, true })
	t.Run("where owners may, they change the plan at once, and the history says who", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Get(s.Url("/plan")), 200, `name="plan" value="premium"`)
		s.WantGone(s.Post(s.Url("/plan"), url.Values{"plan": {"premium"}}), s.Url("/plan?done=plan"))
		s.WantPage(s.Get(s.Url("/plan")), 200, "This workspace is on the Premium plan.", "ada@example.com</td>")
	})
	t.Run("a plan that there is not is refused", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Post(s.Url("/plan"), url.Values{"plan": {"gold"}}), 422, "There is no plan")
	})
}
