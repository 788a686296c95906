package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/chatbot"
)

// stopTurn ends the answer that is being generated in a conversation. It
// answers when that is stored, and goes on though the client goes away: one
// that closes its page may ask for nothing else.
func (a *API) stopTurn(c *fiber.Ctx) error {
	principal, _, err := a.authenticate(c, chatbot.ScopeChat)
	if err != nil {
		return err
	}
	conversationID := pathID(c, "conversation_id")
	if _, err := chat.ParseConversationID(conversationID); err != nil {
		return err
	}
	key, err := keyOf(c, principal)
	if err != nil {
		return err
	}
	if len(c.Request().Body()) > 0 { // it has no fields
		if err := decode(c, &struct{}{}); err != nil {
			return err
		}
	}
	ending, err := a.Chat.Stop(c.UserContext(), principal, conversationID, key)
	if err != nil {
		return err
	}
	return succeed(c, endingOf(ending))
}
