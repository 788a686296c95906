// Package chat owns stored chats: conversations and their messages,
// idempotency keys, usage records, and for how long all of it is kept.
//
// How an answer is made is in package answer, how a question gets its answer in
// package turn, and how many questions a month has in package quota.
package chat

import (
	"context"
	"time"

	"parley/core/chatbot"
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
// and an Interrupted or Failed one may be begun again.
const (
	Generating Status = "generating"
	// Complete is an answer that came to its end.
	Complete Status = "complete"
	// Interrupted is one whose reader or process went away.
	Interrupted Status = "interrupted"
	// Failed is one that retrieval or the model failed.
	Failed Status = "failed"
	// Stopped is one that was ended on request.
	Stopped Status = "stopped"

	// Incomplete is what readers are told of a Complete one that its model cut. It is
	// not stored: see [Status.Told].
	Incomplete Status = "incomplete"
)

// Told is the status that readers are told of. Cut says that the model ended the answer
// before its end.
func (s Status) Told(cut bool) Status {
	if s == Complete && cut {
		return Incomplete
	}
	return s
}

// Conversation is an exchange of messages between one caller and one chatbot.
type Conversation struct {
	// ID is a sequence number, from 1 to 2^53-1. Callers see another: see
	// package publicid.
	ID             int64
	WorkspaceID    string
	ChatbotID      string
	ExternalUserID string
	Status         string
	Origin         Origin
	// BegunBy is the API token that began it or, in the playground, the member. It
	// is empty in one that began before it was kept.
	BegunBy string
	// Title is the beginning of the first question, see [TitleOf], or what a caller
	// named it.
	Title string
	// Metadata is the caller's own.
	Metadata  map[string]string
	CreatedAt time.Time
}

// Admits reports whether a caller's request for an end user may use the
// conversation. One of the playground is its member's alone. Otherwise a request
// that names nobody may use any conversation, and one without an end user is for
// all, unless the chatbot separates its end users.
func (c Conversation) Admits(p *chatbot.Principal, externalUserID string) bool {
	if c.Origin != OriginOf(p) || c.Origin == Playground && c.BegunBy != p.MemberID {
		return false
	}
	separate := p.Chatbot.SeparateEndUsers
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
	ID      int64
	Role    Role
	Content string
	Status  Status
	// Outcome and FinishReason are an answer's, and empty for answers from before
	// they were kept. A question has the outcome of an answer that failed without
	// text, which is no message.
	Outcome      Outcome
	FinishReason string
	// SilentAnswerID is, of a question whose answer ended without text, the id of that
	// answer, which is no message. Only [Conversations.Messages] gives it.
	SilentAnswerID int64
	CreatedAt      time.Time
}

// Conversations is the port to what keeps conversations and reads their
// messages. A missing row is a NotFound fault.
type Conversations interface {
	// CreateConversation returns the conversation with its new id.
	CreateConversation(ctx context.Context, workspaceID string, conversation Conversation) (Conversation, error)
	Conversation(ctx context.Context, workspaceID, chatbotID string, id int64) (Conversation, error)
	// ListConversations returns the conversations of the API that a list chooses,
	// newest first, at most its limit.
	ListConversations(ctx context.Context, workspaceID, chatbotID string, list List) ([]Conversation, error)
	// ChangeConversation stores the title and the metadata that change makes of those
	// that are stored.
	ChangeConversation(ctx context.Context, workspaceID, chatbotID string, id int64, change func(*Conversation) error) (Conversation, error)

	// MessageSizes returns the bytes of the texts of the messages that Messages would return.
	MessageSizes(ctx context.Context, workspaceID string, conversationID, after int64, limit int) ([]int, error)
	// Messages returns the settled messages of a conversation with an id above
	// after, oldest first, at most limit.
	Messages(ctx context.Context, workspaceID string, conversationID, after int64, limit int) ([]Message, error)
	// HasMessage reports whether a message is one of a conversation.
	HasMessage(ctx context.Context, workspaceID string, conversationID, messageID int64) (bool, error)
	// LastMessages returns the last settled messages with an id below before,
	// oldest first. A before of 0 is above all.
	LastMessages(ctx context.Context, workspaceID string, conversationID, before int64, limit int) ([]Message, error)
}
