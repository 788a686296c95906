package api

import (
	"context"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/chat/format"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/internal/socket"
)

// question decodes the body of /chat and /chat/stream.
func question(c *fiber.Ctx) (chat.Ask, format.Format, error) {
	var request chatRequest
	if err := decode(c, &request); err != nil {
		return chat.Ask{}, "", err
	}
	if request.Message == nil {
		return chat.Ask{}, "", fault.InField("message", "message is required.")
	}
	wanted := string(format.Markdown)
	if request.Format != nil {
		wanted = *request.Format
		if wanted == "" {
			return chat.Ask{}, "", fault.InField("format", "format must be markdown, plain_text or html.")
		}
	}
	f, err := format.Parse(wanted)
	if err != nil {
		return chat.Ask{}, "", err
	}
	return chat.Ask{
		ConversationID: writtenID(request.ConversationID), Message: *request.Message,
		ExternalUserID: text(request.ExternalUserID), Format: wanted,
	}, f, nil
}

// chat answers with the whole answer at once.
func (a *API) chat(c *fiber.Ctx) error {
	principal, _, err := a.authenticate(c, chatbot.ScopeChat)
	if err != nil {
		return err
	}
	ask, f, err := question(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(a.Lifetime)
	defer cancel(nil)
	defer socket.Watch(c.Context().Conn(), func() { cancel(errClientGone) })()
	turn, err := a.Chat.Begin(ctx, principal, ask)
	if err != nil {
		return err
	}
	result, err := turn.Run(ctx, nil)
	if err != nil {
		return err
	}
	return succeed(c, chatData{
		Message:        format.Render(result.Text, f, principal.Chatbot.ImageHosts),
		ConversationID: turn.Conversation.ID, Format: string(f), Usage: usageOf(result.Usage),
		MessageID: result.MessageID, Sources: sourcesOf(turn.Passages),
	})
}

// createConversation starts a conversation before any message is sent.
func (a *API) createConversation(c *fiber.Ctx) error {
	principal, _, err := a.authenticate(c, chatbot.ScopeChat)
	if err != nil {
		return err
	}
	var request conversationRequest
	if len(c.Request().Body()) > 0 { // every field is optional
		if err := decode(c, &request); err != nil {
			return err
		}
	}
	made, err := a.Chat.CreateConversation(c.UserContext(), principal, text(request.ExternalUserID))
	if err != nil {
		return err
	}
	return succeed(c, conversationData{made.ID, made.ChatbotID, made.Status, timestamp(made.CreatedAt)})
}

// messages reads a conversation back.
func (a *API) messages(c *fiber.Ctx) error {
	principal, _, err := a.authenticate(c, chatbot.ScopeRead)
	if err != nil {
		return err
	}
	page, paged, err := pageOf(c)
	if err != nil {
		return err
	}
	found, more, err := a.Chat.Messages(c.UserContext(), principal, pathID(c, "conversation_id"), page)
	if err != nil {
		return err
	}
	data := messagesData{Messages: messagesOf(found)}
	if paged {
		data.HasMore, data.Next = &more, jsontext.Value("null")
		if more {
			data.Next = strconv.AppendInt(nil, found[len(found)-1].ID, 10)
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
func pageOf(c *fiber.Ctx) (page chat.Page, paged bool, err error) {
	if limit := c.Query("limit"); limit != "" {
		page.Limit, err = strconv.Atoi(limit)
		if err != nil || page.Limit < 1 || page.Limit > chat.MaxPage {
			return page, false, fault.InField("limit", "limit must be a whole number from 1 to %d.", chat.MaxPage)
		}
		paged = true
	}
	if after := c.Query("after"); after != "" {
		page.After, err = strconv.ParseInt(after, 10, 64)
		if err != nil || page.After < 0 {
			return page, false, fault.InField("after", "after must be the id of a message.")
		}
		paged = true
	}
	return page, paged, nil
}
