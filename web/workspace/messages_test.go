package workspace_test

import (
	"strings"
	"testing"

	"parley/core/chatbot"
	"parley/web/shoptest"
	"parley/web/webtest"
)

func TestPagesSayWhenMessagesRunOut(t *testing.T) {
	s := shoptest.Open(t, nil)
	bot, err := s.Chatbots.Create(t.Context(), s.Home.ID, chatbot.Settings{Name: "Help"})
	webtest.Must(t, err)
	s.Include(5)
	ask := func(times int) {
		s.Ask(bot.ID, times)
		webtest.Must(t, s.Tenants.Quotas.Watch(t.Context()))
	}
	t.Run("with most of them left, nothing is said", func(t *testing.T) {
		ask(3)
		if got := s.Within(t).Get("/chatbots/" + bot.ID); strings.Contains(got.Body, "messages this month.") {
			t.Error("the page warns")
		}
	})
	t.Run("with most of them used, every page of the workspace says so", func(t *testing.T) {
		ask(1)
		for _, path := range []string{"/chatbots/" + bot.ID, s.Url("")} {
			s.Within(t).WantPage(s.Get(path), 200, "used 4 of 5 messages this month")
		}
	})
	t.Run("with all of them used, pages say that chatbots don't answer", func(t *testing.T) {
		ask(1)
		s.Within(t).WantPage(s.Get(s.Url("")), 200, "All 5 messages of this month are used.")
	})
}
