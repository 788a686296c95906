package api

import (
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/insight"
)

// feedbackRequest is the body of POST /messages/:id/feedback.
type feedbackRequest struct {
	// Rating is "up", "down" or null, which takes feedback back.
	Rating         jsontext.Value `json:"rating"`
	Comment        string         `json:"comment"`
	ExternalUserID *string        `json:"external_user_id"`
}

// ratings are the handlers of feedback on answers.
type ratings struct{ *API }

// give stores what a caller's end user thinks of an answer. The last feedback
// stands: the same request twice is one.
func (h ratings) give(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	var request feedbackRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	externalUserID, err := externalUserOf(c, request.ExternalUserID)
	if err != nil {
		return err
	}
	given, err := request.opinion()
	if err != nil {
		return err
	}
	message, err := h.ids.ratedID(pathID(c, "message_id"))
	if err != nil {
		return err
	}
	stored, err := h.Feedback.FromCaller(c.UserContext(), by.Principal, externalUserID, message, given)
	if err != nil {
		return err
	}
	return succeed(c, h.ids.FeedbackToWire(stored))
}

// giveAsMember stores what a member thinks of an answer.
func (h ratings) giveAsMember(c *fiber.Ctx, at visit) error {
	var request feedbackRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	given, err := request.opinion()
	if err != nil {
		return err
	}
	message, err := h.ids.ratedID(pathID(c, "message"))
	if err != nil {
		return err
	}
	stored, err := h.Feedback.FromMember(c.UserContext(), at.WorkspaceID, at.ID, at.person.User.ID, message, given)
	if err != nil {
		return err
	}
	return succeed(c, h.ids.FeedbackToWire(stored))
}

// ratedID is messageID for a message in the path.
func (i identifiers) ratedID(written string) (int64, error) {
	id, err := i.messageID(written)
	if err != nil || id == 0 {
		return 0, insight.ErrNoMessage
	}
	return id, nil
}

func (r feedbackRequest) opinion() (insight.Opinion, error) {
	given := insight.Opinion{Comment: r.Comment}
	switch string(r.Rating) {
	case `"up"`:
		given.Rating = insight.ThumbUp
	case `"down"`:
		given.Rating = insight.ThumbDown
	case "null":
	case "":
		return given, fault.InField("rating", `rating is required. Send "up" or "down", or null to take feedback back.`)
	default:
		return given, fault.InField("rating", `rating must be "up", "down" or null.`)
	}
	return given, nil
}
