package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
)

// profile is the handler of what a page must know of a chatbot before it asks.
type profile struct{ *API }

// show says what the chatbot of a token is called, what to ask it and how much.
func (h profile) show(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	greeting, err := h.Browser.Greeting(c.UserContext(), by.Chatbot)
	if err != nil {
		return err
	}
	return succeed(c, wire.ProfileToWire(by.Principal, greeting))
}
