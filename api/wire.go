package api

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley/core/answer"
	"parley/core/chat"
	"parley/text/markdown"
)

// envelope is the shape of every JSON answer. (Specification, section 2.5.)
type envelope struct {
	Error        int    `json:"error"`
	ErrorMessage string `json:"error_message"`
	Data         any    `json:"data"`
}

// conversationRequest is the body of POST /conversations. (Section 4.3.)
type conversationRequest struct {
	ExternalUserID *string        `json:"external_user_id"`
	Metadata       jsontext.Value `json:"metadata"`
}

// conversationData answers POST /conversations. (Section 4.3.)
type conversationData struct {
	ConversationID int64  `json:"conversation_id"`
	ChatbotID      string `json:"chatbot_id"`
	Status         string `json:"status"`
	CreatedAt      string `json:"created_at"`
}

// createdData is conversationData with what was given to it.
type createdData struct {
	conversationData

	Metadata map[string]string `json:"metadata,omitzero"`
}

// messagesData answers GET /conversations/:id/messages. (Section 4.4; the
// page's fields are there only when a page was asked for.)
type messagesData struct {
	Messages []messageData `json:"messages"`
	HasMore  *bool         `json:"has_more,omitzero"`
	// Next is what after is to be for the next page, or null when there is none.
	Next jsontext.Value `json:"next,omitzero"`
}

// messageData is one message. (Section 2.2.)
type messageData struct {
	ID        int64  `json:"id"`
	Role      string `json:"role"`
	Content   string `json:"content"`
	CreatedAt string `json:"created_at"`
	// What follows is ours. Format is the format of the content. A question has only the
	// outcome of an answer that failed without text.
	Format       string `json:"format"`
	Status       string `json:"status,omitzero"`
	Outcome      string `json:"outcome,omitzero"`
	FinishReason string `json:"finish_reason,omitzero"`
	// Sources and Usage are there when they were asked for: usage also with a question
	// whose answer has no text.
	Sources []citationData   `json:"sources,omitzero"`
	Usage   *usageRecordData `json:"usage,omitzero"`
}

// timestamp is ISO 8601 in UTC with milliseconds.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func optionalTimestamp(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := timestamp(*t)
	return &text
}

func (i identifiers) messageToWire(m chat.Message) messageData {
	data := messageData{
		ID: i.Message(m.ID), Role: string(m.Role), Content: m.Content, CreatedAt: timestamp(m.CreatedAt),
		Format: string(markdown.Markdown), Outcome: string(m.Outcome), FinishReason: m.FinishReason,
	}
	if m.Role == chat.User {
		data.Format = string(markdown.PlainText)
	} else {
		data.Status = statusOf(m.Status, answer.FinishReason(m.FinishReason))
	}
	return data
}
