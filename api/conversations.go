package api

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
)

// conversationRequest is the body of POST /conversations. (Section 4.3.)
type conversationRequest struct {
	ExternalUserID *string        `json:"external_user_id"`
	Metadata       jsontext.Value `json:"metadata"`
}

// stopRequest is the body of POST /conversations/:id/stop, which may be left
// out.
type stopRequest struct {
	ExternalUserID *string `json:"external_user_id"`
}

// conversations are the handlers of conversations.
type conversations struct{ *API }

// create starts a conversation before any message is sent.
func (h conversations) create(c *fiber.Ctx, by caller) error {
	if key, _, _ := headerOf(c, idempotencyHeader); key == "" { // else when it turns out to be new
		if err := h.count(c.UserContext(), by.Principal); err != nil {
			return err
		}
	}
	var request conversationRequest
	if err := decodeAny(c, &request); err != nil {
		return err
	}
	externalUserID, err := externalUserOf(c, request.ExternalUserID)
	if err != nil {
		return err
	}
	key, err := keyOf(c, by.Principal, externalUserID)
	if err != nil {
		return err
	}
	metadata, err := newMetadata(request.Metadata)
	if err != nil {
		return err
	}
	made, err := h.Chat.CreateConversation(c.UserContext(), by.Principal, chat.Start{ExternalUserID: externalUserID, Metadata: metadata, Key: key, Admit: func(ctx context.Context) error {
		return h.count(ctx, by.Principal)
	}})
	if err != nil {
		return err
	}
	return succeed(c, h.ids.NewConversationToWire(made))
}

// messages reads a conversation back.
func (h conversations) messages(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	// It is read once the handler has returned.
	list := &thread{API: h.API, ctx: context.WithoutCancel(c.UserContext()), principal: by.Principal}
	var err error
	if list.page, list.paged, err = h.ids.pageOf(c); err != nil {
		return err
	}
	list.limited = list.page.Limit > 0
	if list.ref, err = h.ids.refOf(c, nil); err != nil {
		return err
	}
	if list.with, err = detailsOf(c); err != nil {
		return err
	}
	return list.send(c, streams(h).valid(by))
}

// stop ends the answer that is being generated in a conversation. It
// answers when that is stored, and goes on though the client goes away: one
// that closes its page may ask for nothing else.
func (h conversations) stop(c *fiber.Ctx, by caller) error {
	if err := h.countAgain(c.UserContext(), by.Principal); err != nil {
		return err
	}
	var request stopRequest
	if err := decodeAny(c, &request); err != nil {
		return err
	}
	ref, err := h.ids.refOf(c, request.ExternalUserID)
	if err != nil {
		return err
	}
	key, err := keyOf(c, by.Principal, ref.ExternalUserID)
	if err != nil {
		return err
	}
	ending, err := h.Turns.Stop(c.UserContext(), by.Principal, ref, key)
	if err != nil {
		return err
	}
	return succeed(c, h.ids.EndingToWire(ending))
}
