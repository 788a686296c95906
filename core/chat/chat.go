// Package chat owns conversations, their messages, and the turn: retrieve,
// compose, generate, store.
//
// It does not own tokens and plans (packages chatbot and plan), the passages
// it composes from (package knowledge), how a model is spoken to (package llm)
// nor how an answer travels (package api).
package chat

import (
	"time"
)

// Role says who wrote a message.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Status says how the generation of a message ended.
type Status string

// The statuses of a message. A user's message is always complete.
const (
	Generating  Status = "generating"
	Complete    Status = "complete"
	Interrupted Status = "interrupted"
	Failed      Status = "failed"
)

// Conversation is an exchange of messages between one caller and one chatbot.
type Conversation struct {
	// ID is above zero and below 2^53.
	ID             int64
	WorkspaceID    string
	ChatbotID      string
	ExternalUserID string
	Status         string
	CreatedAt      time.Time
}

// Active is the status of a conversation that can be continued.
const Active = "active"

// Message is one message of a conversation.
type Message struct {
	// ID is above zero and below 2^53, and grows along a conversation.
	ID        int64
	Role      Role
	Content   string
	Status    Status
	CreatedAt time.Time
}

// Usage counts the tokens of one generation.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	// Estimated says that the model did not report usage, and that it was
	// counted here.
	Estimated bool
}

// TotalTokens is the sum of prompt and completion.
func (u Usage) TotalTokens() int { return u.PromptTokens + u.CompletionTokens }
