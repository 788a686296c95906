package bot

import (
	"net/url"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/insight"
	"parley/views/shell"
	"parley/web/page"
)

// rate stores what a member thinks of an answer.
func (s conversationPages) rate(c *fiber.Ctx, v page.Visit) error {
	id, err := s.sequence(c)
	if err != nil {
		return err
	}
	written, _ := strconv.ParseInt(c.Params("message"), 10, 64)
	message, _ := s.IDs.MessageSequence(written)
	rated, err := s.Insight.Feedback.Answer(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, v.Person.User.ID, message)
	if err != nil {
		return err
	}
	if rated.ConversationID != id {
		return chat.ErrNoConversation
	}
	typed, err := page.ReadForm(c, "rating", "comment")
	if err != nil {
		return err
	}
	given := insight.Opinion{Comment: typed["comment"]}
	switch typed["rating"] {
	case "up":
		given.Rating = insight.ThumbUp
	case "down":
		given.Rating = insight.ThumbDown
	case "":
	default:
		return fault.InField("rating", "A rating is up, down, or none.")
	}
	if _, err := s.Insight.Feedback.FromMember(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, v.Person.User.ID, message, given); err != nil {
		return err
	}
	return page.SeeOther(c, shell.ConversationsURL(v.Chatbot.ID)+"/"+url.PathEscape(c.Params("conversation"))+"?message="+strconv.FormatInt(written, 10))
}

// remove deletes a conversation.
func (s conversationPages) remove(c *fiber.Ctx, v page.Visit) error {
	id, err := s.sequence(c)
	if err != nil {
		return err
	}
	if err := s.Insight.History.Delete(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, v.Person.User.ID, id); err != nil {
		return err
	}
	return s.Flash(c, shell.ConversationsURL(v.Chatbot.ID), page.Message{Text: "Conversation deleted."})
}
