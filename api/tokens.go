package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/chatbot"
	"parley/internal/id"
)

type tokensData struct {
	Tokens []wire.Token `json:"tokens"`
}

// tokens are the handlers of a chatbot's API tokens.
type tokens struct{ of *chatbot.Tokens }

// list lists the records of a chatbot's tokens, newest first.
func (h tokens) list(c *fiber.Ctx, at visit) error {
	tokens, err := h.of.List(c.UserContext(), at.WorkspaceID, at.ID)
	if err != nil {
		return err
	}
	return succeedPacked(c, tokensData{wire.MapSlice(tokens, h.recordOf)})
}

func (h tokens) recordOf(t chatbot.Token) wire.Token { return wire.TokenToWire(t, h.of.Status(t)) }

// create creates a token; the answer alone has its secret.
func (h tokens) create(c *fiber.Ctx, at visit) error {
	var request tokenRequest
	if err := decodeAny(c, &request); err != nil {
		return err
	}
	wanted, err := request.toDomain(at.person.User.Email)
	if err != nil {
		return err
	}
	token, secret, err := h.of.Issue(c.UserContext(), at.WorkspaceID, at.ID, wanted)
	if err != nil {
		return err
	}
	return succeed(c, wire.NewTokenToWire(token, secret))
}

// change changes what the request names of a token.
func (h tokens) change(c *fiber.Ctx, at visit) error {
	var request tokenChangeRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	change, err := request.toDomain()
	if err != nil {
		return err
	}
	token, err := h.of.Change(c.UserContext(), at.WorkspaceID, at.ID, id.Parse(pathID(c, "token_id")), change)
	if err != nil {
		return err
	}
	return succeed(c, h.recordOf(token))
}

// defaultOverlap is for a request that names none: long enough to give the new
// secret to a program, and not 0, which ends the old one at once.
const defaultOverlap = 1

// roll replaces a token; the answer alone has the secret of the new one.
func (h tokens) roll(c *fiber.Ctx, at visit) error {
	var request rollRequest
	if err := decodeAny(c, &request); err != nil {
		return err
	}
	overlap := defaultOverlap
	if request.OverlapDays != nil {
		overlap = *request.OverlapDays
	}
	token, secret, err := h.of.Roll(c.UserContext(), at.WorkspaceID, at.ID, id.Parse(pathID(c, "token_id")), overlap, at.person.User.Email)
	if err != nil {
		return err
	}
	return succeed(c, wire.NewTokenToWire(token, secret))
}

// revoke revokes a token. Twice is success.
func (h tokens) revoke(c *fiber.Ctx, at visit) error {
	tokenID := id.Parse(pathID(c, "token_id"))
	if err := h.of.Revoke(c.UserContext(), at.WorkspaceID, at.ID, tokenID); err != nil {
		return err
	}
	return succeed(c, wire.Changed{ID: tokenID, Status: string(chatbot.TokenRevoked)})
}
