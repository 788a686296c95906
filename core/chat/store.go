package chat

import (
	"context"
	"time"
)

// Store is the port to the database. A missing row is a NotFound fault.
type Store interface {
	// InTx runs fn in one transaction; calls inside it join.
	InTx(ctx context.Context, fn func(context.Context) error) error

	// CreateConversation returns the conversation with its new id.
	CreateConversation(ctx context.Context, workspaceID string, conversation Conversation) (Conversation, error)
	Conversation(ctx context.Context, workspaceID, chatbotID string, id int64) (Conversation, error)
	SetExternalUser(ctx context.Context, workspaceID string, id int64, externalUserID string) error

	// BeginConversation creates a conversation with its first turn, which is
	// as BeginTurn's; the conversation is returned with its new id.
	BeginConversation(ctx context.Context, workspaceID string, conversation Conversation, turn NewTurn) (made Conversation, answerID int64, err error)
	// BeginTurn appends a question, and an answer that is being generated
	// until the lease ends, and counts the question in its month. It is a
	// Conflict while another answer is being generated in the conversation.
	BeginTurn(ctx context.Context, workspaceID string, turn NewTurn) (answerID int64, err error)
	// FinishTurn stores an answer with its final status. A question whose
	// answer failed no longer counts in its month.
	FinishTurn(ctx context.Context, workspaceID string, answer Answer) error
	// RenewLeases extends the leases of answers, of any workspace, that this
	// process is generating.
	RenewLeases(ctx context.Context, answerIDs []int64, until time.Time) error
	// InterruptLapsed marks answers of any workspace whose lease ended before
	// the given time as interrupted, and returns how many.
	InterruptLapsed(ctx context.Context, before time.Time) (int, error)

	// Messages returns the settled messages of a conversation with an id above
	// after, oldest first: at most limit, or all when limit is 0.
	Messages(ctx context.Context, workspaceID string, conversationID, after int64, limit int) ([]Message, error)
	// LastMessages returns the last settled messages, oldest first.
	LastMessages(ctx context.Context, workspaceID string, conversationID int64, limit int) ([]Message, error)

	// MessagesOf returns how many questions of a workspace count in a month,
	// which is written as in [NewTurn].
	MessagesOf(ctx context.Context, workspaceID, month string) (int, error)

	// Retentions returns how long each workspace keeps conversations, without
	// those that keep them for ever.
	Retentions(ctx context.Context) (map[string]Retention, error)
	// DeleteOldConversations deletes conversations of a workspace with their
	// messages, the oldest first and at most limit: those whose last message
	// came before a time, and not before another, or which have no message and
	// began then. One in which an answer is being generated stays. It returns
	// how many it deleted.
	DeleteOldConversations(ctx context.Context, workspaceID string, since, before time.Time, limit int) (deleted int, err error)
}

// NewTurn is a question that is about to be answered.
type NewTurn struct {
	// ConversationID is not looked at for a new conversation.
	ConversationID int64
	Question       string
	At             time.Time
	LeaseUntil     time.Time
	// Month is that of At in UTC, such as "2026-11": the question counts in it.
	Month string
}
