package wire

import (
	"parley/core/chat"
	"parley/core/chat/turn"
)

// NewConversation is a conversation that was just made, with what was given to it. (Specification, section 4.3;
// metadata is ours.)
type NewConversation struct {
	ConversationID int64             `json:"conversation_id"`
	ChatbotID      string            `json:"chatbot_id"`
	Status         string            `json:"status"`
	CreatedAt      string            `json:"created_at"`
	Metadata       map[string]string `json:"metadata,omitzero"`
}

// Conversation is a conversation with what is kept of it.
type Conversation struct {
	NewConversation

	ExternalUserID *string `json:"external_user_id"`
	Title          string  `json:"title"`
}

// NewConversationToWire returns a conversation that was just made.
func (i Identifiers) NewConversationToWire(c chat.Conversation) NewConversation {
	return NewConversation{i.Conversation(c.ID), c.ChatbotID, c.Status, timestamp(c.CreatedAt), c.Metadata}
}

// ConversationToWire returns a conversation.
func (i Identifiers) ConversationToWire(c chat.Conversation) Conversation {
	data := Conversation{NewConversation: i.NewConversationToWire(c), ExternalUserID: unlessZero(c.ExternalUserID), Title: c.Title}
	if data.Metadata == nil {
		data.Metadata = map[string]string{}
	}
	return data
}

// Deleted answers what deleted a conversation.
type Deleted struct {
	ConversationID int64 `json:"conversation_id"`
	Deleted        bool  `json:"deleted"`
}

// DeletedToWire says that a conversation is deleted.
func (i Identifiers) DeletedToWire(conversationID int64) Deleted {
	return Deleted{i.Conversation(conversationID), true}
}

// Ending answers what stopped an answer. MessageID and Status are null in a conversation
// without an answer.
type Ending struct {
	ConversationID int64   `json:"conversation_id"`
	MessageID      *int64  `json:"message_id"`
	Status         *string `json:"status"`
}

// EndingToWire returns how an answer has ended.
func (i Identifiers) EndingToWire(e turn.Ending) Ending {
	data := Ending{ConversationID: i.Conversation(e.ConversationID)}
	if e.AnswerID > 0 {
		id, status := i.Message(e.AnswerID), StatusToWire(e.Status, e.Finish)
		data.MessageID, data.Status = &id, &status
	}
	return data
}
