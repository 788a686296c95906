package wire

import (
	"parley/core/answer"
	"parley/core/chat"
	"parley/core/insight"
	"parley/core/insight/history"
	"parley/text/markdown"
)

// Message is one message. (Specification, section 2.2.)
type Message struct {
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
	Sources []Citation   `json:"sources,omitzero"`
	Usage   *UsageRecord `json:"usage,omitzero"`
}

// MessageToWire returns a message without its sources and usage.
func (i Identifiers) MessageToWire(m chat.Message) Message {
	data := Message{
		ID: i.Message(m.ID), Role: string(m.Role), Content: m.Content, CreatedAt: timestamp(m.CreatedAt),
		Format: string(markdown.Markdown), Outcome: string(m.Outcome), FinishReason: m.FinishReason,
	}
	if m.Role == chat.User {
		data.Format = string(markdown.PlainText)
	} else {
		data.Status = StatusToWire(m.Status, answer.FinishReason(m.FinishReason))
	}
	return data
}

// ExportedMessage is a message as a line of a file, with its conversation.
type ExportedMessage struct {
	ConversationID   int64      `json:"conversation_id"`
	Title            string     `json:"title"`
	Origin           string     `json:"origin"`
	ExternalUserID   string     `json:"external_user_id,omitzero"`
	MessageID        int64      `json:"message_id"`
	CreatedAt        string     `json:"created_at"`
	Role             string     `json:"role"`
	Content          string     `json:"content"`
	Status           string     `json:"status"`
	Outcome          string     `json:"outcome,omitzero"`
	Rating           string     `json:"rating,omitzero"`
	Comment          string     `json:"comment,omitzero"`
	Model            string     `json:"model,omitzero"`
	PromptTokens     int        `json:"prompt_tokens,omitzero"`
	CompletionTokens int        `json:"completion_tokens,omitzero"`
	FirstTokenMS     int64      `json:"first_token_ms,omitzero"`
	TotalMS          int64      `json:"total_ms,omitzero"`
	Sources          []Citation `json:"sources,omitzero"`
}

// ExportedMessageToWire returns a message of a conversation as a line of a file.
func (i Identifiers) ExportedMessageToWire(c *history.Summary, m *history.Message) ExportedMessage {
	line := ExportedMessage{
		ConversationID: i.Conversation(c.ID), Title: c.Title, Origin: string(c.Origin), ExternalUserID: c.ExternalUserID,
		MessageID: i.Message(m.ID), CreatedAt: timestamp(m.CreatedAt), Role: string(m.Role), Content: m.Content,
		Status: StatusToWire(m.Status, answer.FinishReason(m.FinishReason)), Outcome: string(m.Outcome),
	}
	if f := m.Feedback; f != nil {
		line.Rating, line.Comment = RatingToWire(f.Rating), f.Comment
	}
	if r := m.Record; r != nil {
		line.Model, line.PromptTokens, line.CompletionTokens = r.Model, r.Usage.PromptTokens, r.Usage.CompletionTokens
		line.FirstTokenMS, line.TotalMS = r.FirstToken.Milliseconds(), r.Total.Milliseconds()
	}
	if len(m.Citations) > 0 {
		line.Sources = MapSlice(m.Citations, CitationToWire)
	}
	return line
}

// Feedback is feedback as it is stored.
type Feedback struct {
	MessageID int64 `json:"message_id"`
	// Rating is "up", "down" or null.
	Rating  *string `json:"rating"`
	Comment string  `json:"comment"`
}

// FeedbackToWire returns feedback on an answer.
func (i Identifiers) FeedbackToWire(f insight.Feedback) Feedback {
	return Feedback{MessageID: i.Message(f.MessageID), Rating: unlessZero(RatingToWire(f.Rating)), Comment: f.Comment}
}

// RatingToWire is "up" or "down", or empty for none.
func RatingToWire(r insight.Rating) string {
	switch r {
	case insight.ThumbUp:
		return "up"
	case insight.ThumbDown:
		return "down"
	}
	return ""
}
