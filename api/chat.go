package api

import (
	"context"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/answer/format"
	"parley/core/chatbot"
	"parley/core/fault"
)

// question reads what a request of /chat and /chat/stream asks.
func (a *API) question(c *fiber.Ctx, admitted *admission) (ask chat.Ask, err error) {
	ask.Admit = admitted.begin
	var request chatRequest
	if err := decode(c, &request); err != nil {
		return ask, err
	}
	if ask.ExternalUserID, err = externalUserOf(c, request.ExternalUserID); err != nil {
		return ask, err
	}
	if ask.Key, err = keyOf(c, admitted.principal, ask.ExternalUserID); err != nil {
		return ask, err
	}
	if request.Message == nil {
		return ask, fault.InField("message", "message is required.")
	}
	ask.Delivery.Format = format.Markdown
	if request.Format != nil {
		if ask.Delivery.Format, err = formatNamed(*request.Format); err != nil {
			return ask, err
		}
	}
	if ask.Delivery, err = including(ask.Delivery, request.Include); err != nil {
		return ask, err
	}
	ask.Message = *request.Message
	if written := writtenID(request.ConversationID); written != nil {
		ask.ConversationID, err = a.conversationID(*written)
	}
	return ask, err
}

// chat answers with the whole answer at once.
func (a *API) chat(c *fiber.Ctx) error {
	principal, _, err := a.authenticate(c, chatbot.ScopeChat)
	if err != nil {
		return err
	}
	admitted, err := a.admitQuestion(c, principal)
	if err != nil {
		return err
	}
	defer admitted.place.leave()
	ask, err := a.question(c, admitted)
	if err != nil {
		return err
	}
	ask.Delivery = chat.Delivery{Format: ask.Delivery.Format} // the rest is for streams
	reader := a.attend(c)
	defer reader.leave()
	turn, err := a.Chat.Begin(reader.ctx, principal, ask)
	if err != nil {
		return err
	}
	answer, err := turn.Run(reader.ctx, nil)
	if err != nil {
		return err
	}
	return succeed(c, chatData{
		Message:        format.Render(answer.Text, ask.Delivery.Format, principal.Chatbot.ImageHosts),
		ConversationID: a.IDs.Conversation(turn.Conversation.ID), Format: string(ask.Delivery.Format), Usage: usageOf(answer.Usage()),
		MessageID: a.IDs.Message(answer.MessageID), Sources: each(answer.Sources, sourceOf), Status: statusOf(answer.Status),
	})
}

// createConversation starts a conversation before any message is sent.
func (a *API) createConversation(c *fiber.Ctx) error {
	principal, _, err := a.authenticate(c, chatbot.ScopeChat)
	if err != nil {
		return err
	}
	if key, _, _ := headerOf(c, idempotencyHeader); key == "" { // else when it turns out to be new
		if err := a.count(c.UserContext(), principal); err != nil {
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
	key, err := keyOf(c, principal, externalUserID)
	if err != nil {
		return err
	}
	made, err := a.Chat.CreateConversation(c.UserContext(), principal, externalUserID, key, func(ctx context.Context) error {
		return a.count(ctx, principal)
	})
	if err != nil {
		return err
	}
	return succeed(c, conversationData{a.IDs.Conversation(made.ID), made.ChatbotID, made.Status, timestamp(made.CreatedAt)})
}

// messages reads a conversation back.
func (a *API) messages(c *fiber.Ctx) error {
	principal, _, err := a.authenticate(c, chatbot.ScopeRead)
	if err != nil {
		return err
	}
	if err := a.count(c.UserContext(), principal); err != nil {
		return err
	}
	page, paged, err := a.pageOf(c)
	if err != nil {
		return err
	}
	ref, err := a.refOf(c, nil)
	if err != nil {
		return err
	}
	found, more, err := a.Chat.Messages(c.UserContext(), principal, ref, page)
	if err != nil {
		return err
	}
	data := messagesData{Messages: each(found, a.messageOf)}
	if paged {
		data.HasMore, data.Next = &more, jsontext.Value("null")
		if more {
			data.Next = strconv.AppendInt(nil, data.Messages[len(found)-1].ID, 10)
		}
	}
	return succeed(c, data)
}

// pathID is an identifier in the path, decoded (RFC 3986, section 2.1). What
// cannot be decoded stays as it is, and names nothing.
func pathID(c *fiber.Ctx, name string) string {
	written := c.Params(name)
	if decoded, err := url.PathUnescape(written); err == nil {
		return decoded
	}
	return written
}

// pageOf reads limit and after. Without them all messages are wanted.
func (a *API) pageOf(c *fiber.Ctx) (page chat.Page, paged bool, err error) {
	if limit := c.Query("limit"); limit != "" {
		page.Limit, err = strconv.Atoi(limit)
		if err != nil || page.Limit < 1 || page.Limit > chat.MaxPage {
			return page, false, fault.InField("limit", "limit must be a whole number from 1 to %d.", chat.MaxPage)
		}
		paged = true
	}
	if after := c.Query("after"); after != "" {
		if page.After, err = a.messageID(after); err != nil {
			return page, false, err
		}
		paged = true
	}
	return page, paged, nil
}
