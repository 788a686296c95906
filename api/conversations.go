package api

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
)

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
	return succeed(c, createdData{conversationData{h.IDs.Conversation(made.ID), made.ChatbotID, made.Status, timestamp(made.CreatedAt)}, made.Metadata})
}

// messages reads a conversation back.
func (h conversations) messages(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	page, paged, err := h.ids.pageOf(c)
	if err != nil {
		return err
	}
	ref, err := h.ids.refOf(c, nil)
	if err != nil {
		return err
	}
	with, err := detailsOf(c)
	if err != nil {
		return err
	}
	found, more, err := h.Chat.Messages(c.UserContext(), by.Principal, ref, page)
	if err != nil {
		return err
	}
	data := messagesData{Messages: mapSlice(found, h.ids.messageToWire)}
	if with.any() {
		answers, err := h.Turns.Explain(c.UserContext(), by.Chatbot.WorkspaceID, ref.ConversationID, found)
		if err != nil {
			return err
		}
		for i, m := range found {
			if answer, known := answers[m.ID]; known {
				data.Messages[i].explain(m.Role, answer, with)
			}
		}
	}
	if paged {
		data.HasMore, data.Next = &more, jsontext.Value("null")
		if more {
			data.Next = strconv.AppendInt(nil, data.Messages[len(found)-1].ID, 10)
		}
	}
	return succeed(c, data)
}

// stop ends the answer that is being generated in a conversation. It
// answers when that is stored, and goes on though the client goes away: one
// that closes its page may ask for nothing else.
func (h conversations) stop(c *fiber.Ctx, by caller) error {
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
	return succeed(c, h.ids.endingToWire(ending))
}
