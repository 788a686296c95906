package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/chatbot"
	"parley/core/fault"
)

// keepings are the handlers of what is kept of a chatbot's conversations.
type keepings struct{ of *chatbot.Chatbots }

type keepingRequest struct {
	StoreMessages given[bool] `json:"store_messages"`
	RetentionDays given[int]  `json:"retention_days"`
}

func (r keepingRequest) toDomain() (change chatbot.KeepingChange, err error) {
	if r.StoreMessages.is {
		if r.StoreMessages.value == nil {
			return change, fault.InField("store_messages", "store_messages must not be null. Leave it out to keep what it is.")
		}
		discard := !*r.StoreMessages.value
		change.DiscardMessages = &discard
	}
	if days := r.RetentionDays.value; days != nil && *days == 0 {
		return change, fault.InField("retention_days", "Give a number of days from 1, or null for as long as the plan keeps conversations.")
	}
	change.RetentionDays = r.RetentionDays.orZero()
	return change, nil
}

// show says what is kept of a chatbot's conversations.
func (h keepings) show(c *fiber.Ctx, at visit) error {
	return succeed(c, wire.RetentionToWire(at.Keeping))
}

// change changes what the request names.
func (h keepings) change(c *fiber.Ctx, at visit) error {
	var request keepingRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	change, err := request.toDomain()
	if err != nil {
		return err
	}
	kept, err := h.of.ChangeKeeping(c.UserContext(), at.WorkspaceID, at.ID, change)
	if err != nil {
		return err
	}
	return succeed(c, wire.RetentionToWire(kept))
}
