package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/tenant"
	"parley/internal/id"
)

// managed returns the chatbot of a management route and who asks. A chatbot
// that the person cannot see is NotFound, like one that does not exist.
func (a *API) managed(c *fiber.Ctx, action tenant.Action) (chatbot.Chatbot, tenant.Person, error) {
	c.Set(fiber.HeaderCacheControl, "no-store")
	person, err := a.Person(c)
	if err != nil {
		return chatbot.Chatbot{}, tenant.Person{}, err
	}
	bot, membership, err := a.Chatbots.Visible(c.UserContext(), person, id.Given(pathID(c, "id")))
	if err == nil {
		err = a.Pace.Workspace(c.UserContext(), bot.WorkspaceID)
	}
	if err != nil {
		return chatbot.Chatbot{}, tenant.Person{}, err
	}
	return bot, person, membership.May(action)
}

// countAsCostly declares the rate of a route: see [tenant.Costly].
func countAsCostly(c *fiber.Ctx) error {
	c.SetUserContext(tenant.WithRate(c.UserContext(), tenant.Costly))
	return c.Next()
}

// listTokens lists the records of a chatbot's tokens, newest first.
func (a *API) listTokens(c *fiber.Ctx) error {
	bot, _, err := a.managed(c, tenant.Read)
	if err != nil {
		return err
	}
	tokens, err := a.Chatbots.Tokens(c.UserContext(), bot.WorkspaceID, bot.ID)
	if err != nil {
		return err
	}
	data := tokensData{Tokens: make([]tokenData, len(tokens))}
	for i, t := range tokens {
		data.Tokens[i] = tokenOf(t, a.Chatbots.Status(t))
	}
	return succeed(c, data)
}

// createToken creates a token; the answer alone has its secret.
func (a *API) createToken(c *fiber.Ctx) error {
	bot, person, err := a.managed(c, tenant.ManageTokens)
	if err != nil {
		return err
	}
	var request tokenRequest
	if err := decodeAny(c, &request); err != nil {
		return err
	}
	wanted := chatbot.NewToken{Name: request.Name, ExpiresAt: request.ExpiresAt, CreatedBy: person.User.Email}
	for _, scope := range request.Scopes {
		wanted.Scopes = append(wanted.Scopes, chatbot.Scope(scope))
	}
	token, secret, err := a.Chatbots.Issue(c.UserContext(), bot.WorkspaceID, bot.ID, wanted)
	if err != nil {
		return err
	}
	data := tokenOf(token, chatbot.TokenActive)
	data.Token = secret
	return succeed(c, data)
}

// revokeToken revokes a token. Twice is success.
func (a *API) revokeToken(c *fiber.Ctx) error {
	bot, _, err := a.managed(c, tenant.ManageTokens)
	if err != nil {
		return err
	}
	tokenID := id.Given(pathID(c, "token_id"))
	if err := a.Chatbots.Revoke(c.UserContext(), bot.WorkspaceID, bot.ID, tokenID); err != nil {
		return err
	}
	return succeed(c, changedData{ID: tokenID, Status: string(chatbot.TokenRevoked)})
}
