package shoptest

import (
	"time"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/plan"
	billingstore "parley/store/billing"
	chatstore "parley/store/chat"
	"parley/web/webtest"
)

// Include makes the workspace's plan include a number of messages a month.
func (s *Shop) Include(messages int) {
	s.Helper()
	plans := billingstore.NewPlans(s.db)
	p, err := plans.Plan(s.Context(), s.Home.Plan)
	webtest.Must(s.T, err)
	p.Limits.MessagesPerMonth = messages
	webtest.Must(s.T, plans.UpdatePlan(s.Context(), p))
}

// Ask begins questions to a chatbot that count in this month.
func (s *Shop) Ask(chatbotID string, times int) {
	s.Helper()
	for range times {
		now := time.Now().UTC()
		_, _, err := chatstore.NewTurns(s.db).BeginConversation(s.Context(), s.Home.ID,
			chat.Conversation{ChatbotID: chatbotID, Status: chat.Active, Origin: chat.API, CreatedAt: now},
			turn.Opening{Question: "When?", At: now, LeaseUntil: now.Add(time.Minute), Month: plan.MonthOf(plan.Messages, now)})
		webtest.Must(s.T, err)
	}
}
