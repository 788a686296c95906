package api

import (
	"github.com/gofiber/fiber/v2"

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
	var request stopRequest
	if err := decodeAny(c, &request); err != nil {
		return err
	}
	ref, err := a.refOf(c, request.ExternalUserID)
	if err != nil {
		return err
	}
	key, err := keyOf(c, principal, ref.ExternalUserID)
	if err != nil {
		return err
	}
	ending, err := a.Chat.Stop(c.UserContext(), principal, ref, key)
	if err != nil {
		return err
	}
	return succeed(c, a.endingOf(ending))
}
