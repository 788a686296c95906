package api

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/text/markdown"
)

// chatRequest is the body of POST /chat and /chat/stream. (Section 4.1;
// include is ours.)
type chatRequest struct {
	Message *string `json:"message"`
	// ConversationID is a string, or the integer that answers give.
	ConversationID jsontext.Value `json:"conversation_id"`
	Format         *string        `json:"format"`
	ExternalUserID *string        `json:"external_user_id"`
	Include        []string       `json:"include"`
	// Metadata is for a new conversation.
	Metadata jsontext.Value `json:"metadata"`
}

// questions are the handlers of questions.
type questions struct{ *API }

// read reads what a request of /chat and /chat/stream asks.
func (h questions) read(c *fiber.Ctx, admitted *admission) (ask turn.Ask, err error) {
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
	ask.Delivery.Format = markdown.Markdown
	if request.Format != nil {
		if ask.Delivery.Format, err = formatNamed(*request.Format); err != nil {
			return ask, err
		}
	}
	if ask.Delivery, err = including(ask.Delivery, request.Include); err != nil {
		return ask, err
	}
	ask.Message = *request.Message
	if ask.Metadata, err = newMetadata(request.Metadata); err != nil {
		return ask, err
	}
	if written := writtenID(request.ConversationID); written != nil {
		ask.ConversationID, err = h.ids.conversationID(*written)
	}
	return ask, err
}

// answer answers with the whole answer at once.
func (h questions) answer(c *fiber.Ctx, by caller) error {
	admitted, err := h.admitQuestion(c, by.Principal)
	if err != nil {
		return h.Turns.Refuse(turn.Chat, err)
	}
	defer admitted.slot.Leave()
	ask, err := h.read(c, admitted)
	if err != nil {
		return h.Turns.Refuse(turn.Chat, err)
	}
	ask.Transport = turn.Chat
	suggests := ask.Delivery.Suggestions
	ask.Delivery = turn.Delivery{Format: ask.Delivery.Format} // the rest is for streams
	reader := h.newReader(c)
	defer reader.leave()
	turn, err := h.Turns.Begin(reader.ctx, by.Principal, ask)
	if err != nil {
		return err
	}
	bodies.Owe(c)
	answer, err := turn.Run(reader.ctx, nil)
	if err != nil {
		return err
	}
	data := h.ids.AnswerToWire(turn, answer, ask.Delivery.Format, by.Chatbot.ImageHosts)
	if suggests {
		answer.ConversationID = turn.Conversation.ID // which an answer that is stored does not say
		data.Suggestions = followUps(h).of(reader.ctx, by.Principal, ask.Message, answer)
	}
	return succeed(c, data)
}

// stream answers with Server-Sent Events. With the id of an event it goes on after
// that, and asks nothing.
func (h questions) stream(c *fiber.Ctx, by caller) error {
	from, err := h.ids.lastEvent(c)
	if err != nil {
		return err
	}
	if from != nil {
		return h.resume(c, by, *from)
	}
	admitted, err := h.admitQuestion(c, by.Principal)
	if err != nil {
		return h.Turns.Refuse(turn.Stream, err)
	}
	ask, err := h.read(c, admitted)
	if err != nil {
		admitted.slot.Leave()
		return h.Turns.Refuse(turn.Stream, err)
	}
	ask.Transport = turn.Stream
	return streams(h).stream(c, streaming{principal: by.Principal, question: ask.Message, valid: streams(h).valid(by), slot: admitted.slot, begin: func(ctx context.Context) (*turn.Turn, turn.Delivery, error) {
		turn, err := h.Turns.Begin(ctx, by.Principal, ask)
		return turn, ask.Delivery, err
	}})
}

// resume gives what comes after an event of the answer to the same question.
func (h questions) resume(c *fiber.Ctx, by caller, from turn.Position) error {
	ask, err := h.read(c, &admission{api: h.API, principal: by.Principal})
	if err != nil {
		return err
	}
	slot, err := h.admitReader(c.UserContext(), by.Principal)
	if err != nil {
		return err
	}
	return streams(h).stream(c, streaming{principal: by.Principal, question: ask.Message, valid: streams(h).valid(by), slot: slot, resumed: true, begin: func(ctx context.Context) (*turn.Turn, turn.Delivery, error) {
		resumed, err := h.Turns.ResumeAsked(ctx, by.Principal, ask, from)
		delivery := ask.Delivery
		delivery.IDs = true
		return resumed, delivery, err
	}})
}
