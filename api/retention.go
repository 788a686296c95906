package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/chatbot"
	"parley/core/fault"
)

// retentions are the handlers of how long a chatbot keeps its conversations.
type retentions struct{ of *chatbot.Chatbots }

type retentionRequest struct {
	StoreMessages nullable[bool] `json:"store_messages"`
	RetentionDays nullable[int]  `json:"retention_days"`
}

func (r retentionRequest) toDomain() (change chatbot.RetentionChange, err error) {
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

// show answers with the chatbot's retention.
func (h retentions) show(c *fiber.Ctx, at visit) error {
	return succeed(c, wire.RetentionToWire(at.Retention))
}

// change changes the settings that the request names.
func (h retentions) change(c *fiber.Ctx, at visit) error {
	var request retentionRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	change, err := request.toDomain()
	if err != nil {
		return err
	}
	changed, err := h.of.ChangeRetention(c.UserContext(), at.WorkspaceID, at.ID, change, at.person.Session.CheckProof())
	if err != nil {
		return err
	}
	return succeed(c, wire.RetentionToWire(changed))
}
