package wire

import (
	"time"

	"parley/core/chatbot"
	"parley/core/insight/stats"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/tenant"
)

// ConversationEvent is the data of a webhook's event about a conversation.
type ConversationEvent struct {
	ChatbotID      string  `json:"chatbot_id"`
	ConversationID int64   `json:"conversation_id"`
	ExternalUserID *string `json:"external_user_id"`
}

// ConversationEventToWire tells of the conversation of an answer.
func (i Identifiers) ConversationEventToWire(r *stats.Record) ConversationEvent {
	return ConversationEvent{r.ChatbotID, i.Conversation(r.ConversationID), unlessZero(r.ExternalUserID)}
}

// MessageEvent is the data of an event about an answer.
type MessageEvent struct {
	ConversationEvent

	MessageID int64  `json:"message_id"`
	Attempt   int    `json:"attempt"`
	Outcome   string `json:"outcome"`
	Usage     Usage  `json:"usage"`
}

// MessageEventToWire tells of an answer.
func (i Identifiers) MessageEventToWire(r *stats.Record) MessageEvent {
	return MessageEvent{
		ConversationEvent: i.ConversationEventToWire(r), MessageID: i.Message(r.MessageID), Attempt: r.Attempt, Outcome: string(r.Outcome),
		Usage: Usage{r.PromptTokens, r.CompletionTokens, r.PromptTokens + r.CompletionTokens},
	}
}

// DocumentEvent is the data of an event about a document.
type DocumentEvent struct {
	ChatbotID  string  `json:"chatbot_id"`
	DocumentID string  `json:"document_id"`
	ExternalID *string `json:"external_id"`
	Title      string  `json:"title"`
	URL        *string `json:"url"`
	State      string  `json:"state"`
	// Reason is there only if the document failed.
	Reason *string `json:"reason,omitzero"`
}

// DocumentEventToWire tells of a document.
func DocumentEventToWire(d knowledge.Document) DocumentEvent {
	data := DocumentEvent{d.ChatbotID, d.ID, unlessZero(d.ExternalID), d.Title, unlessZero(d.URL), string(d.State), nil}
	if d.State == knowledge.Failed {
		data.Reason = &d.Reason
	}
	return data
}

// QuotaEvent is the data of an event about the messages of a month.
type QuotaEvent struct {
	Month    string `json:"month"`
	Used     int    `json:"used"`
	Included int    `json:"included"`
	Percent  int    `json:"percent"`
}

// QuotaEventToWire tells of a use that has reached a share of what is included.
func QuotaEventToWire(use tenant.QuotaUse, percent int, now time.Time) QuotaEvent {
	return QuotaEvent{plan.MonthOf(plan.Messages, now), use.Used, use.Included, percent}
}

// TokenEvent is the data of an event about a token.
type TokenEvent struct {
	ChatbotID string  `json:"chatbot_id"`
	TokenID   string  `json:"token_id"`
	Name      string  `json:"name"`
	Kind      string  `json:"kind"`
	ExpiresAt *string `json:"expires_at"`
	Days      int     `json:"days"`
}

// TokenEventToWire tells of a token that expires within some days.
func TokenEventToWire(t chatbot.Token, days int) TokenEvent {
	return TokenEvent{t.ChatbotID, t.ID, t.Name, string(t.Kind), optionalTimestamp(t.ExpiresAt), days}
}
