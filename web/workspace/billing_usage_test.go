package workspace_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/web/shoptest"
	"parley/web/webtest"
)

func TestUsagePage(t *testing.T) {
	s := shoptest.Open(t, nil)
	s.Subscribe(plan.Standard, plan.Active)
	bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Guide"})
	webtest.Must(t, err)
	used := func(prompt, completion int, estimated bool) answer.Usage {
		return answer.Usage{PromptTokens: prompt, CompletionTokens: completion, Estimated: estimated}
	}
	t.Run("a month without answers says so, and there is none before the workspace or after today", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(s.Url("/billing"))
		s.WantPage(got, 200, "Answers and their tokens, November 2026</h2>", "No answers this month.", `aria-current="page"`, "/billing")
		for _, text := range []string{"Previous month", "Next month"} {
			if strings.Contains(got.Body, text) {
				t.Errorf("the page has %q", text)
			}
		}
	})

	s.Answered(bot.ID, chat.Complete, answer.UsageRecord{Model: "m-1", Usage: used(12_000, 300, false), FirstToken: 250 * time.Millisecond, Total: 2 * time.Second, Refuted: 2, At: webtest.Today})
	s.Answered(bot.ID, chat.Complete, answer.UsageRecord{Model: "m-1", Usage: used(100, 20, true), FirstToken: 350 * time.Millisecond, Total: 3 * time.Second, At: webtest.Today})
	s.Answered(bot.ID, chat.Failed, answer.UsageRecord{Usage: used(5, 0, true), At: webtest.Today})
	gone, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Gone"})
	webtest.Must(t, err)
	s.Answered(gone.ID, chat.Stopped, answer.UsageRecord{Model: "m-<2>", Usage: used(1_000, 7, false), Refuted: 1, At: webtest.Today})
	webtest.Must(t, s.Chatbots.Delete(t.Context(), s.Home.ID, gone.ID))
	s.Answered(bot.ID, chat.Complete, answer.UsageRecord{Model: "old", Usage: used(77, 7, false), At: webtest.Today.AddDate(0, -1, 0)})

	t.Run("there is a row for each chatbot, model and end, what was deleted last, and a sum", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(s.Url("/billing"))
		want := [][]string{
			{"Guide", "–", "Failed", "1", "5", "0", "1", "–", "–", "0"},
			{"Guide", "m-1", "Complete", "2", "12,100", "320", "1", "0.30 s", "2.50 s", "2"},
			{"Deleted chatbot " + gone.ID, "m-<2>", "Stopped", "1", "1,000", "7", "0", "–", "–", "1"},
			{"Total", "4", "13,105", "327", "2", "", "", "3"},
		}
		s.WantRows(got, "spent-list", want...)
	})
	t.Run("another month is asked for by its name", func(t *testing.T) {
		s := s.Within(t)
		got := s.Get(s.Url("/billing?month=2026-10"))
		s.WantPage(got, 200, "Answers and their tokens, October 2026</h2>", s.Url("/billing?month=2026-11"), "Next month")
		s.WantRows(got, "spent-list", []string{"Guide", "old", "Complete", "1", "77", "7", "0", "–", "–", "0"}, []string{"Total", "1", "77", "7", "0", "", "", "0"})
	})
	for _, month := range []string{"2026-12", "9999-12", "2026-13", "nonsense", "<script>", ""} {
		t.Run("instead of "+month+" the present month is shown", func(t *testing.T) {
			s := s.Within(t)
			s.WantPage(s.Get(s.Url("/billing?month="+url.QueryEscape(month))), 200, "Answers and their tokens, November 2026</h2>")
		})
	}
	t.Run("another workspace's answers are not among them", func(t *testing.T) {
		s := s.Within(t)
		other, err := s.Tenants.Workspaces.Create(t.Context(), s.Owner, "Other")
		webtest.Must(t, err)
		s.WantPage(s.Get("/workspaces/"+other.ID+"/billing"), 200, "No answers this month.")
	})
}
