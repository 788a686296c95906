package tenant_test

import (
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/tenant"
	"parley/store/bots"
	chatstore "parley/store/chat"
	knowledgestore "parley/store/knowledge"
)

// in returns a time from now.
func (c *clock) in(d time.Duration) *time.Time {
	at := c.now.Add(d)
	return &at
}

func (c *clock) uses(want tenant.Usage) {
	c.Helper()
	if usage, err := c.Holdings.Usage(c.Context(), c.space.ID); err != nil || usage != want {
		c.Errorf("in use are %+v, want %+v; %v", usage, want, err)
	}
}

func (c *clock) ask() {
	c.Helper()
	_, _, err := chatstore.NewTurns(c.store).BeginConversation(c.Context(), c.space.ID,
		chat.Conversation{ChatbotID: "cb_1", Status: chat.Active, Origin: chat.API, CreatedAt: c.now},
		turn.Opening{Question: "When?", At: c.now, LeaseUntil: c.now.Add(time.Minute), Month: c.now.Format("2006-01")})
	c.must(err)
}

func TestUsage(t *testing.T) {
	t.Parallel()
	t.Run("a new workspace uses one member", func(t *testing.T) {
		newClock(t).uses(tenant.Usage{Members: 1})
	})
	t.Run("open invitations count among the members", func(t *testing.T) {
		c := newClock(t)
		c.invite("guest@example.com")
		c.uses(tenant.Usage{Members: 2})
	})
	t.Run("tokens are those of the chatbot with the most, that work", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(2)
		c.addTokens("cb_1", 1)
		c.addTokens("cb_2", 4)
		_, err := bots.NewTokens(c.store).RevokeToken(t.Context(), c.space.ID, "cb_2", "cb_2_1", c.now)
		c.must(err)
		c.must(bots.NewTokens(c.store).CreateToken(t.Context(), c.space.ID, chatbot.Token{
			ID: "tok_short", WorkspaceID: c.space.ID, ChatbotID: "cb_2", Name: "Short", CreatedAt: c.now, ExpiresAt: c.in(day),
		}, "hash of tok_short"))
		c.uses(tenant.Usage{Chatbots: 2, Members: 1, TokensPerChatbot: 4})
		c.pass(day)
		c.uses(tenant.Usage{Chatbots: 2, Members: 1, TokensPerChatbot: 3})
	})
	t.Run("messages are those of this month", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(1)
		c.now = time.Date(2026, 1, 31, 23, 59, 59, 0, time.UTC)
		c.ask()
		c.ask()
		c.uses(tenant.Usage{Chatbots: 1, Members: 1, MessagesPerMonth: 2})
		c.pass(time.Second)
		c.uses(tenant.Usage{Chatbots: 1, Members: 1})
		c.ask()
		c.uses(tenant.Usage{Chatbots: 1, Members: 1, MessagesPerMonth: 1})
	})
	t.Run("knowledge is counted in characters", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(1)
		for _, id := range []string{"doc_1", "doc_2"} {
			c.must(knowledgestore.NewDocuments(c.store).CreateDocument(t.Context(), c.space.ID, knowledge.Document{
				ID: id, WorkspaceID: c.space.ID, ChatbotID: "cb_1", Title: id, Kind: knowledge.Markdown,
				State: knowledge.Pending, Content: "Ünïcode", Chars: 7, UpdatedAt: c.now, CreatedAt: c.now,
			}))
		}
		c.uses(tenant.Usage{Chatbots: 1, Members: 1, KnowledgeChars: 14, StoredBytes: 2 * (9 + knowledge.DocumentBytes)})
	})
}
