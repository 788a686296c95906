package web

import (
	"net/url"
	"strings"
	"testing"

	"parley/billing"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/tenant"
)

func TestPlansPage(t *testing.T) {
	s := open(t, nil)
	t.Run("a new workspace is offered a trial, and nothing to manage", func(t *testing.T) {
		s := s.within(t)
		got := s.get(s.url("/plan"))
		s.wantPage(got, 200, "The Starter plan is in force.", "The first 14 days are free.", "On request", `id="buy-standard-monthly"`, "1 of 1")
		if strings.Contains(got.body, "manage-billing") {
			t.Error("the page has the portal")
		}
	})
	t.Run("plans are not changed by hand where they are sold", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.post(s.url("/plan"), url.Values{"plan": {"premium"}}), 403, "Plans are bought here.")
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
		s.wantPage(s.get(s.url("/plan")), 200, "Pay the open invoice", `id="manage-billing"`, "The Starter plan is in force.")
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
	ben, err := s.tenants.CreateUser(t.Context(), "ben@example.com", password)
	must(t, err)
	must(t, s.tenants.AddMember(t.Context(), s.home.ID, ben, tenant.RoleAdmin))
	_, _, err = s.chatbots.Issue(t.Context(), s.home.ID, bots[0].ID, chatbot.NewToken{Name: "Website"})
	must(t, err)

	t.Run("while all fits, there is nothing to choose and no banner", func(t *testing.T) {
		s := s.within(t)
		got := s.get(s.url("/limits"))
		s.wantPage(got, 200, "Nothing is over a limit of the plan.")
		if strings.Contains(got.body, `class="warning"`) {
			t.Error("the page warns")
		}
	})
	s.subscribe(plan.Standard, plan.Canceled)

	t.Run("after a downgrade every page of the workspace says that something rests", func(t *testing.T) {
		s := s.within(t)
		for _, path := range []string{s.url(""), s.url("/members"), s.url("/plan"), s.url("/limits"), s.url("/settings"), "/chatbots/" + bots[0].ID, "/chatbots/" + bots[1].ID + "/tokens"} {
			s.wantPage(s.get(path), 200, "See what rests and choose what stays")
		}
	})
	t.Run("lists say what rests", func(t *testing.T) {
		s := s.within(t)
		if got := strings.Count(s.get(s.url("")).body, "Over the limit: read-only"); got != 2 {
			t.Errorf("%d chatbots are said to rest", got)
		}
		s.wantPage(s.get(s.url("/members")), 200, "Over the limit: can only look")
	})
	t.Run("a resting chatbot's pages say so, and can only delete it", func(t *testing.T) {
		s := s.within(t)
		second := "/chatbots/" + bots[1].ID
		s.wantPage(s.get(second), 200, `id="read-only"`, "<fieldset disabled>", `id="delete-chatbot"`)
		if got := s.get(second + "/tokens"); strings.Contains(got.body, "create-token") {
			t.Error("tokens could be made")
		}
		if got := s.get("/chatbots/" + bots[0].ID); strings.Contains(got.body, `id="read-only"`) {
			t.Error("the oldest rests, too")
		}
		s.wantPage(s.post(second, url.Values{"name": {"Renamed"}}), 403, "An owner can choose")
	})
	t.Run("the owner reads what rests, and is not asked about themselves", func(t *testing.T) {
		s := s.within(t)
		s.wantPage(s.get(s.url("/limits")), 200, "The Starter plan includes 1 chatbot.", "The Starter plan includes no API tokens", "Website", "ben@example.com", "The owner who joined first always stays.")
	})
	t.Run("more than the plan includes cannot be chosen", func(t *testing.T) {
		s := s.within(t)
		got := s.post(s.url("/limits"), url.Values{"resource": {"chatbots"}, "keep": {bots[1].ID, bots[2].ID}})
		s.wantPage(got, 422, "Choose fewer.")
	})
	t.Run("what is chosen wakes up, and another rests", func(t *testing.T) {
		s := s.within(t)
		s.wantGone(s.post(s.url("/limits"), url.Values{"resource": {"chatbots"}, "keep": {bots[2].ID}}), s.url("/limits?done=chosen"))
		all, err := s.chatbots.List(t.Context(), s.home.ID)
		must(t, err)
		for _, bot := range all {
			if bot.OverLimit == (bot.Name == "Third") {
				t.Errorf("%s rests: %t", bot.Name, bot.OverLimit)
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
	t.Run("a member who rests can look, and choose nothing", func(t *testing.T) {
		s := s.within(t)
		s.signIn(ben)
		s.wantPage(s.get(s.url("/limits")), 200, "You can look, but not change anything.", "An owner of the workspace can choose what stays.", "<fieldset disabled>")
		s.wantPage(s.post(s.url("/chatbots"), url.Values{"name": {"Fourth"}}), 403)
	})
	t.Run("deleting a chatbot wakes up another", func(t *testing.T) {
		s := s.within(t)
		s.wantGone(s.post("/chatbots/"+bots[2].ID+"/delete", url.Values{"confirm_name": {"Third"}}), s.url("?done=deleted"))
		s.wantPage(s.post("/chatbots/"+bots[0].ID, url.Values{"name": {"First"}, "passage_aim": {"x"}}), 422, "Give a whole number.")
	})
}
