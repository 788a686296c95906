package bot_test

import (
	"strings"
	"testing"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/views/shell"
	"parley/web/shoptest"
	"parley/web/webtest"
)

func TestOverview(t *testing.T) {
	s := shoptest.Open(t, nil)
	bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Guide"})
	webtest.Must(t, err)
	page := shell.ChatbotURL(bot.ID)
	lacks := func(s *shoptest.Shop, got webtest.Reply, texts ...string) {
		s.Helper()
		for _, text := range texts {
			if strings.Contains(got.Body, text) {
				s.Errorf("the page has %q", text)
			}
		}
	}

	t.Run("a new chatbot has the steps and no figures, and what the plan lacks is optional", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(page)
		s.WantPage(got, 200, `id="checklist"`, "Add knowledge", "Optional: API access starts with Standard.", "See API access")
		lacks(s, got, `id="week"`, `id="gaps"`, `id="offer"`, "(done)")
	})
	t.Run("a question in the playground ticks its step and is no figure", func(t *testing.T) {
		s := s.Within(t)
		s.Converse(bot.ID, shoptest.Answer{Question: "Hello?", Outcome: chat.Answered, Origin: chat.Playground, At: webtest.Today})
		got := s.Get(page)
		if n := strings.Count(got.Body, "(done)"); n != 1 {
			t.Errorf("%d steps are done", n)
		}
		lacks(s, got, `id="week"`)
	})
	s.Subscribe(plan.Standard, plan.Active)
	t.Run("with API access the step waits for a program", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(page)
		s.WantPage(got, 200, "Connect your program with an API token.")
		lacks(s, got, "Optional:", "See API access")
	})
	t.Run("what programs asked is summed up beside the week before", func(t *testing.T) {
		s := s.Within(t)
		yesterday, lastWeek := webtest.Today.AddDate(0, 0, -1), webtest.Today.AddDate(0, 0, -8)
		s.Converse(
			bot.ID,
			shoptest.Answer{Question: "One?", Outcome: chat.Answered, Origin: chat.API, At: lastWeek},
			shoptest.Answer{Question: "Do you sell <b>rolls</b>?", Outcome: chat.NoAnswer, Origin: chat.API, At: yesterday},
			shoptest.Answer{Question: "do you sell <b>rolls</b>", Outcome: chat.NoAnswer, Origin: chat.API, At: yesterday},
			shoptest.Answer{Question: "Two?", Outcome: chat.Answered, Origin: chat.API, At: webtest.Today},
			shoptest.Answer{Question: "Where is the bakery?", Outcome: chat.NoAnswer, Origin: chat.API, At: webtest.Today},
		)
		got := s.Get(page)
		s.WantPage(
			got, 200, `id="week"`, "Days begin at midnight UTC", "+300%", "25%", "−75 points", "Questions a day", "Show as a table",
			"Asked 2 times", "do you sell &lt;b&gt;rolls&lt;/b&gt;", "See all 3 open questions in Improve", page+"/improve/answer?message=",
		)
		if strings.Index(got.Body, "rolls") > strings.Index(got.Body, "Where is the bakery?") {
			t.Error("the most frequent question is not the first")
		}
		if n := strings.Count(got.Body, "(done)"); n != 2 {
			t.Errorf("%d steps are done", n)
		}
	})
	t.Run("another chatbot of the workspace has none of it", func(t *testing.T) {
		s := s.Within(t)
		other, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Other"})
		webtest.Must(t, err)
		lacks(s, s.Get(shell.ChatbotURL(other.ID)), "rolls", `id="week"`, "(done)")
	})
	t.Run("figures of a day before there was the chatbot are none, not zero", func(t *testing.T) {
		s := s.Within(t)
		s.WantPage(s.Get(shell.AnalyticsURL(bot.ID)+"?from=2026-10-01&to=2026-10-03"), 200, "Days begin at midnight UTC", "No questions in this period")
		s.WantPage(s.Get(shell.AnalyticsURL(bot.ID)+"?days=7"), 200, "–", "by the hour of the day, UTC. Choose your time zone")
	})
	t.Run("the hours are those of the person's time zone", func(t *testing.T) {
		s := s.Within(t)
		profile := s.Owner.Profile
		profile.TimeZone = "Asia/Tokyo"
		webtest.Must(t, s.Tenants.Profiles.Change(t.Context(), s.Owner.ID, profile))
		s.WantPage(s.Get(shell.AnalyticsURL(bot.ID)+"?days=7"), 200, "by the hour of the day in Asia/Tokyo.", "<title>21: 4</title>")
	})
}
