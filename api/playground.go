package api

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/text/markdown"
)

// playgroundRequest is the body of POST …/playground/stream.
type playgroundRequest struct {
	Message        *string        `json:"message"`
	ConversationID jsontext.Value `json:"conversation_id"`
	// Draft has settings that the answer is made with and that are not saved.
	Draft *draftData `json:"draft"`
}

// draftData are settings; those that are missing are the chatbot's own.
type draftData struct {
	Instructions *string `json:"instructions"`
	NoAnswer     *string `json:"no_answer"`
	// ProviderID and Model are one choice; both empty are the server's own model.
	ProviderID *string `json:"provider_id"`
	Model      *string `json:"model"`
	Grounding  *string `json:"grounding"`
	// Temperature is null to leave it to the model.
	Temperature jsontext.Value `json:"temperature"`
}

func (d draftData) toDraft() (chatbot.Draft, error) {
	draft := chatbot.Draft{Instructions: d.Instructions, NoAnswer: d.NoAnswer}
	if d.ProviderID != nil || d.Model != nil {
		choice := chatbot.ModelChoice{}
		if d.ProviderID != nil {
			choice.ProviderID = *d.ProviderID
		}
		if d.Model != nil {
			choice.Name = *d.Model
		}
		draft.Model = &choice
	}
	if d.Grounding != nil {
		grounding := chatbot.Grounding(*d.Grounding)
		draft.Grounding = &grounding
	}
	if len(d.Temperature) > 0 {
		var temperature *float64
		if err := json.Unmarshal(d.Temperature, &temperature); err != nil {
			return draft, fault.InField("temperature", "Give a number from 0 to 2, or none to leave it to the model.")
		}
		draft.Temperature = &temperature
	}
	return draft, nil
}

// playground are the handlers by which members try their chatbot. What they ask
// goes the way of any question, with them in the place of a token.
type playground struct{ *API }

// ask answers with Server-Sent Events that can be resumed.
func (h playground) ask(c *fiber.Ctx, at visit) error {
	principal, err := h.Chatbots.Playground.Enter(c.UserContext(), at.person, at.Chatbot)
	if err != nil {
		return err
	}
	slot, err := takeSlot(h.answers, principal)
	if err != nil {
		return h.Turns.Refuse(turn.Playground, err)
	}
	var ask turn.Ask
	if principal, ask, err = h.read(c, at, principal); err != nil {
		slot.Leave()
		return h.Turns.Refuse(turn.Playground, err)
	}
	ask.Admit = func(context.Context) (func(), error) { return slot.Share(), nil }
	return h.stream(c, at, streaming{principal: principal, question: ask.Message, slot: slot, begin: func(ctx context.Context) (*turn.Turn, turn.Delivery, error) {
		turn, err := h.Turns.Begin(ctx, principal, ask)
		return turn, ask.Delivery, err
	}})
}

// read reads what is asked, and of which settings.
func (h playground) read(c *fiber.Ctx, at visit, principal *chatbot.Principal) (*chatbot.Principal, turn.Ask, error) {
	ask := turn.Ask{Transport: turn.Playground, Delivery: turn.Delivery{Format: markdown.Markdown, IDs: true}}
	var request playgroundRequest
	if err := decode(c, &request); err != nil {
		return nil, ask, err
	}
	if request.Message == nil {
		return nil, ask, fault.InField("message", "message is required.")
	}
	ask.Message = *request.Message
	if written := writtenID(request.ConversationID); written != nil {
		var err error
		if ask.ConversationID, err = h.ids.conversationID(*written); err != nil {
			return nil, ask, err
		}
	}
	if request.Draft == nil {
		return principal, ask, nil
	}
	draft, err := request.Draft.toDraft()
	if err != nil {
		return nil, ask, err
	}
	principal, err = h.Chatbots.Playground.Rehearse(c.UserContext(), at.person, principal, draft)
	return principal, ask, err
}

// resume gives the events of a conversation's last turn, or those that come after
// the one that the page has seen.
func (h playground) resume(c *fiber.Ctx, at visit) error {
	principal, ref, err := h.tried(c, at)
	if err != nil {
		return err
	}
	from, err := h.ids.lastEvent(c)
	if err != nil {
		return err
	}
	slot, err := h.admitReader(c.UserContext(), principal)
	if err != nil {
		return err
	}
	return h.stream(c, at, streaming{principal: principal, slot: slot, resumed: from != nil, begin: func(ctx context.Context) (*turn.Turn, turn.Delivery, error) {
		resumed, err := h.Turns.Resume(ctx, principal, ref, from)
		if err != nil {
			return nil, turn.Delivery{}, err
		}
		return resumed, turn.Delivery{Format: markdown.Markdown, IDs: true}, nil
	}})
}

// stream streams an answer as the public API does, but checks the session from time to time
// and ends with an inspection.
func (h playground) stream(c *fiber.Ctx, at visit, asked streaming) error {
	inspector, err := h.inspector(c.UserContext(), asked.principal)
	if err != nil {
		asked.slot.Leave()
		return err
	}
	asked.valid = h.valid(c, at)
	ctx := context.WithoutCancel(c.UserContext())
	asked.inspect = func(a turn.Answer) inspectionData {
		inspection := inspector.inspect(a, h.texts(ctx, at, a)[0])
		inspection.Suggestions = followUps(h).of(ctx, asked.principal, asked.question, a)
		return inspection
	}
	return streams(h).stream(c, asked)
}

// valid looks again at whether a person is signed in and may try the chatbot.
func (h playground) valid(c *fiber.Ctx, at visit) func(context.Context) error {
	again, id := h.Again(c), at.ID
	return func(ctx context.Context) error {
		person, err := again(ctx)
		if err != nil {
			return err
		}
		bot, _, err := h.Chatbots.Visible(ctx, person, id)
		if fault.Is(err, fault.NotFound) {
			return fault.New(fault.Forbidden, "You can no longer use this chatbot.")
		}
		if err == nil {
			_, err = h.Chatbots.Playground.Enter(ctx, person, bot)
		}
		return err
	}
}

// tried is a person at one of their conversations.
func (h playground) tried(c *fiber.Ctx, at visit) (principal *chatbot.Principal, ref chat.Ref, err error) {
	if ref.ConversationID, err = h.ids.conversationID(pathID(c, "conversation_id")); err != nil {
		return nil, ref, err
	}
	principal, err = h.Chatbots.Playground.Enter(c.UserContext(), at.person, at.Chatbot)
	return principal, ref, err
}

// stop ends the answer that is being generated in a conversation.
func (h playground) stop(c *fiber.Ctx, at visit) error {
	principal, ref, err := h.tried(c, at)
	if err != nil {
		return err
	}
	if err := h.countAgain(c.UserContext(), principal); err != nil {
		return err
	}
	ending, err := h.Turns.Stop(c.UserContext(), principal, ref, nil)
	if err != nil {
		return err
	}
	return succeed(c, h.ids.EndingToWire(ending))
}

// suggestions returns what people see before they ask.
func (h playground) suggestions(c *fiber.Ctx, at visit) error {
	greeting, err := h.Browser.Greeting(c.UserContext(), at.Chatbot)
	if err != nil {
		return err
	}
	return succeed(c, wire.GreetingToWire(greeting))
}
