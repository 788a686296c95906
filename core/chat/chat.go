// Package chat owns conversations, their messages, and the turn: retrieve,
// compose, generate, check, store. A turn is carried out once, however often
// it was asked for, and can be followed, resumed and stopped.
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

// The statuses of a message. A user's message is always complete. An answer is
// Generating from before anything of it is generated until one of the others,
// and an Interrupted or Failed one may be begun again: see [Key].
const (
	Generating Status = "generating"
	// Complete is an answer that came to its end.
	Complete Status = "complete"
	// Interrupted is one whose reader or process went away.
	Interrupted Status = "interrupted"
	// Failed is one that retrieval or the model failed.
	Failed Status = "failed"
	// Stopped is one that was ended on request: see [Service.Stop].
	Stopped Status = "stopped"
)

// Conversation is an exchange of messages between one caller and one chatbot.
type Conversation struct {
	// ID is a sequence number, from 1 to 2^53-1. Callers see another: see
	// package publicid.
	ID             int64
	WorkspaceID    string
	ChatbotID      string
	ExternalUserID string
	Status         string
	CreatedAt      time.Time
}

// admits reports whether a request for an end user may use the conversation.
// A request that names nobody may use any conversation, and one without an
// end user is for all, unless the chatbot separates its end users.
func (c Conversation) admits(externalUserID string, separate bool) bool {
	if c.ExternalUserID == externalUserID {
		return true
	}
	return !separate && (externalUserID == "" || c.ExternalUserID == "")
}

// Active is the status of a conversation that can be continued.
const Active = "active"

// Message is one message of a conversation.
type Message struct {
	// ID is a sequence number like a conversation's, and grows along it.
	ID        int64
	Role      Role
	Content   string
	Status    Status
	CreatedAt time.Time
}

// Usage counts the tokens of one generation, or of several.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	// Estimated says that a model did not report usage, and that it was
	// counted here.
	Estimated bool
}

// TotalTokens is the sum of prompt and completion.
func (u Usage) TotalTokens() int { return u.PromptTokens + u.CompletionTokens }

// Plus is the usage of both.
func (u Usage) Plus(other Usage) Usage {
	return Usage{
		PromptTokens:     u.PromptTokens + other.PromptTokens,
		CompletionTokens: u.CompletionTokens + other.CompletionTokens,
		Estimated:        u.Estimated || other.Estimated,
	}
}
