package api

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/chat"
	"parley/core/chat/turn"
)

// conversationRequest is the body of POST /conversations. (Section 4.3.)
type conversationRequest struct {
	ExternalUserID *string        `json:"external_user_id"`
	Metadata       jsontext.Value `json:"metadata"`
}

// messagesData answers GET /conversations/:id/messages. (Section 4.4; the
// page's fields are there only when a page was asked for.)
type messagesData struct {
	Messages []wire.Message `json:"messages"`
	HasMore  *bool          `json:"has_more,omitzero"`
	// Next is what after is to be for the next page, or null when there is none.
	Next jsontext.Value `json:"next,omitzero"`
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
	data := messagesData{Messages: wire.MapSlice(found, h.ids.MessageToWire)}
	if with.any() {
		answers, err := h.Turns.Explain(c.UserContext(), by.Chatbot.WorkspaceID, ref.ConversationID, found)
		if err != nil {
			return err
		}
		for i, m := range found {
			if answer, known := answers[m.ID]; known {
				explain(&data.Messages[i], m.Role, answer, with)
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

// explain adds to a message how its answer was made. A question, whose answer has no
// text, gets the usage alone.
func explain(d *wire.Message, role chat.Role, a turn.Answer, with details) {
	if with.sources && role == chat.Assistant {
		d.Sources = wire.MapSlice(a.Citations, wire.CitationToWire)
	}
	if with.usage && !a.Record.At.IsZero() {
		record := wire.UsageRecordToWire(a)
		d.Usage = &record
	}
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
