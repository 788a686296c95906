package web

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
)

func TestCheckout(t *testing.T) {
	s := open(t, nil)
	bot, err := s.chatbots.Create(t.Context(), s.home.ID, chatbot.Settings{Name: "Guide"})
	must(t, err)
	tokens := "/chatbots/" + bot.ID + "/tokens"

	t.Run("the tokens page of a plan without API access offers the plan that has it", func(t *testing.T) {
		s := s.within(t)
		got := s.get(tokens)
		s.wantPage(got, 200, "Upgrade to Standard", "Monthly, 79.00 USD a month", `name="next" value="`+tokens+`"`, `action="`+s.url("/plan/checkout")+`"`)
		if policy := got.header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' https://checkout.stripe.com") {
			t.Errorf("the policy is %q", policy)
		}
	})
	t.Run("buying leads to Stripe, and from there back to the page", func(t *testing.T) {
		s := s.within(t)
		s.wantGone(s.post(s.url("/plan/checkout"), url.Values{"plan": {"standard"}, "interval": {"yearly"}, "next": {tokens}}), checkoutURL)
		if s.till.purchase != (billing.Purchase{Plan: plan.Standard, Interval: plan.Yearly, Buyer: s.owner.ID}) {
			t.Errorf("bought is %+v", s.till.purchase)
		}
		back := baseURL + s.url("/plan/return?next="+url.QueryEscape(tokens))
		if s.till.back != (billing.Back{Done: back + "&paid=yes", Canceled: back}) {
			t.Errorf("it leads back to %+v", s.till.back)
		}
	})
	t.Run("a page to pay on at another address is led to by a link, which no policy stops", func(t *testing.T) {
		s := s.within(t)
		s.till.checkout = "https://pay.example.com/c/1"
		defer func() { s.till.checkout = checkoutURL }()
		s.wantPage(s.post(s.url("/plan/checkout"), url.Values{"plan": {"standard"}}), 200, `href="https://pay.example.com/c/1"`)
	})
	t.Run("who comes back before the payment is told to wait", func(t *testing.T) {
		s := s.within(t)
		s.wantGone(s.get(s.url("/plan/return?paid=yes&next="+url.QueryEscape(tokens))), tokens+"?done=waiting")
		s.wantGone(s.get(s.url("/plan/return?next="+url.QueryEscape(tokens))), tokens+"?done=unbought")
	})
	t.Run("who comes back has the plan at once, without any webhook", func(t *testing.T) {
		s := s.within(t)
		s.till.billed = subscription.Billed{ID: "sub_1", Status: plan.Trialing, Plan: plan.Standard, Interval: plan.Yearly, TrialEnd: on(2026, 12, 3)}
		s.wantGone(s.get(s.url("/plan/return?paid=yes&next="+url.QueryEscape(tokens))), tokens+"?done=bought")
		got := s.get(tokens + "?done=bought")
		s.wantPage(got, 200, "Thank you. The plan is active now.", `id="create-token"`)
		if strings.Contains(got.body, "Upgrade to") {
			t.Error("the page still offers the plan")
		}
		if _, _, err := s.chatbots.Tokens.Issue(t.Context(), s.home.ID, bot.ID, chatbot.NewToken{}); err != nil {
			t.Errorf("a token cannot be made: %v", err)
		}
	})
	t.Run("when Stripe cannot be asked, the page says that it may take a minute", func(t *testing.T) {
		s := s.within(t)
		s.till.fail = fault.New(fault.Upstream, "Stripe does not answer.")
		defer func() { s.till.fail = nil }()
		s.wantGone(s.get(s.url("/plan/return?next=/")), s.url("/plan?done=waiting"))
		s.wantPage(s.get(s.url("/plan?done=waiting")), 200, "may take a minute", "Invoices are not available right now.")
	})
	t.Run("no address of another server is gone on to", func(t *testing.T) {
		s := s.within(t)
		for _, next := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, ""} {
			s.wantGone(s.get(s.url("/plan/return?next="+url.QueryEscape(next))), s.url("/plan?done=read"))
		}
	})
	t.Run("the portal leads back to the plan", func(t *testing.T) {
		s := s.within(t)
		s.wantGone(s.post(s.url("/plan/portal"), nil), portalURL)
		if want := baseURL + s.url("/plan/return?next="+url.QueryEscape(s.url("/plan"))); s.till.back.Done != want {
			t.Errorf("it leads back to %q", s.till.back.Done)
		}
	})
	for name, typed := range map[string]url.Values{
		"a plan that is free cannot be bought":     {"plan": {"starter"}},
		"a plan on request cannot be bought":       {"plan": {"enterprise"}},
		"a plan that there is not cannot":          {"plan": {"gold"}},
		"another interval than the two is refused": {"plan": {"standard"}, "interval": {"weekly"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.within(t)
			s.wantPage(s.post(s.url("/plan/checkout"), typed), 422, `class="banner"`)
		})
	}
	t.Run("what is wrong at Stripe is said on the page of plans", func(t *testing.T) {
		s := s.within(t)
		s.till.fail = fault.New(fault.Unavailable, "Stripe does not answer. Try again.")
		defer func() { s.till.fail = nil }()
		for _, path := range []string{"/plan/checkout", "/plan/portal"} {
			s.wantPage(s.post(s.url(path), url.Values{"plan": {"standard"}}), 503, "Stripe does not answer. Try again.", `id="plan-list"`)
		}
	})
}

func TestWhoBuys(t *testing.T) {
	s := open(t, nil)
	s.subscribe(plan.Standard, plan.Active)
	ben, err := s.tenants.SignUps.CreateUser(t.Context(), "ben@example.com", password)
	must(t, err)
	must(t, s.tenants.Members.AddMember(t.Context(), s.home.ID, ben, tenant.RoleAdmin))
	s.signIn(ben)

	t.Run("an admin reads why they cannot, and no invoices", func(t *testing.T) {
		s := s.within(t)
		got := s.get(s.url("/plan"))
		s.wantPage(got, 200, "An owner of the workspace can change the plan.", "It costs 79.00 USD a month.")
		for _, none := range []string{"/plan/checkout", "manage-billing", "Invoices"} {
			if strings.Contains(got.body, none) {
				t.Errorf("the page has %q", none)
			}
		}
	})
	for _, path := range []string{"/plan", "/plan/checkout", "/plan/portal", "/limits", "/delete"} {
		t.Run("an admin may not post to "+path, func(t *testing.T) {
			s := s.within(t)
			s.wantPage(s.post(s.url(path), url.Values{"plan": {"premium"}, "confirm_name": {"Acme"}}), 403, "Ask an owner.")
		})
	}
	t.Run("an admin does not come back from Stripe", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.get(s.url("/plan/return")), 403)
	})
}

func TestWithoutStripe(t *testing.T) {
	none := func(d *Deps) { d.Billing = nil }
	s := open(t, none)
	t.Run("the operator changes plans", func(t *testing.T) {
		s := s.within(t)
		got := s.get(s.url("/plan"))
		s.wantPage(got, 200, byOperator, "79.00 USD")
		if strings.Contains(got.body, "/plan/checkout") || strings.Contains(got.body, `name="plan"`) {
			t.Error("the page has a button")
		}
		s.wantPage(s.post(s.url("/plan"), url.Values{"plan": {"premium"}}), 403, byOperator)
	})
	t.Run("nothing is sold", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.post(s.url("/plan/checkout"), url.Values{"plan": {"premium"}}), 403, byOperator)
		s.wantPage(s.post(s.url("/plan/portal"), nil), 403, byOperator)
		s.wantPage(s.get(s.url("/plan/return")), 403, byOperator)
	})
	t.Run("the tokens page leads to the plans", func(t *testing.T) {
		s := s.within(t)
		bot, err := s.chatbots.Create(t.Context(), s.home.ID, chatbot.Settings{Name: "Guide"})
		must(t, err)
		s.wantPage(s.get("/chatbots/"+bot.ID+"/tokens"), 200, byOperator, `<a href="`+s.url("/plan")+`">Go to the plans</a>`)
	})
	t.Run("forms lead to this server only", func(t *testing.T) { confined(t, s.within(t).get(s.url("/plan"))) })

	s = open(t, func(d *Deps) { d.Billing, d.PlanChanges = nil, true })
	t.Run("where owners may, they change the plan at once, and the history says who", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.get(s.url("/plan")), 200, `name="plan" value="premium"`)
		s.wantGone(s.post(s.url("/plan"), url.Values{"plan": {"premium"}}), s.url("/plan?done=plan"))
		s.wantPage(s.get(s.url("/plan")), 200, "This workspace is on the Premium plan.", "ada@example.com</td>")
	})
	t.Run("a plan that there is not is refused", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.post(s.url("/plan"), url.Values{"plan": {"gold"}}), 422, "There is no plan")
	})
}
