package chat

import (
	"context"
	"time"
)

// Store is the port to the database. A missing row is a NotFound fault.
type Store interface {
	// InTx runs fn in one transaction; calls inside it join.
	InTx(ctx context.Context, fn func(context.Context) error) error

	ConversationStore
	MessageStore
	TurnStore
	KeyStore
	ReceiptStore
	CacheStore

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

// ConversationStore keeps conversations and reads their messages.
type ConversationStore interface {
	// CreateConversation returns the conversation with its new id.
	CreateConversation(ctx context.Context, workspaceID string, conversation Conversation) (Conversation, error)
	Conversation(ctx context.Context, workspaceID, chatbotID string, id int64) (Conversation, error)
	SetExternalUser(ctx context.Context, workspaceID string, id int64, externalUserID string) error

	// Messages returns the settled messages of a conversation with an id above
	// after, oldest first: at most limit, or all when limit is 0.
	Messages(ctx context.Context, workspaceID string, conversationID, after int64, limit int) ([]Message, error)
	// HasMessage reports whether a message is one of a conversation.
	HasMessage(ctx context.Context, workspaceID string, conversationID, messageID int64) (bool, error)
	// LastMessages returns the last settled messages with an id below before,
	// oldest first. A before of 0 is above all.
	LastMessages(ctx context.Context, workspaceID string, conversationID, before int64, limit int) ([]Message, error)
}

// TurnStore keeps questions with their answers.
type TurnStore interface {
	// BeginConversation creates a conversation with its first turn, which is
	// as BeginTurn's; the conversation is returned with its new id.
	BeginConversation(ctx context.Context, workspaceID string, conversation Conversation, turn NewTurn) (made Conversation, answerID int64, err error)
	// BeginTurn appends a question, and an answer that is being generated
	// until the lease ends, and counts the question in its month. It is a
	// Conflict while another answer is being generated in the conversation.
	BeginTurn(ctx context.Context, workspaceID string, turn NewTurn) (answerID int64, err error)
	// BeginAgain makes an Interrupted or Failed answer one that is being
	// generated, empty and with the next attempt, and returns that. A question
	// that had been given back to its month counts again, in the month of the
	// turn. It is NotFound if the answer is in no such state or not the last
	// message of its conversation, and a Conflict while another answer is being
	// generated there.
	BeginAgain(ctx context.Context, workspaceID string, turn AgainTurn) (attempt int, err error)
	// SaveProgress stores what there is of an answer that is being generated.
	// It is NotFound when this attempt at it is not generating any more.
	SaveProgress(ctx context.Context, workspaceID string, answerID int64, attempt int, text string) error
	// FinishTurn stores an answer with its final status, which is not
	// Generating, and its receipt. It is NotFound unless this attempt at it is
	// generating or was Interrupted by its lease. A question whose answer
	// failed no longer counts in its month.
	FinishTurn(ctx context.Context, workspaceID string, answer Answer) error
	// Turn returns a turn as it stands. An answer of 0 is the last of its
	// conversation, in which it must be otherwise.
	Turn(ctx context.Context, workspaceID string, conversationID, answerID int64) (StoredTurn, error)
	// AskToStop marks an answer that is being generated. Another process may
	// be the one that generates it: see StopsAsked.
	AskToStop(ctx context.Context, workspaceID string, answerID int64) error
	// StopsAsked returns the answers, of any workspace, that are being
	// generated and are to be stopped.
	StopsAsked(ctx context.Context) ([]int64, error)
	// RenewLeases extends the leases of answers, of any workspace, that this
	// process is generating.
	RenewLeases(ctx context.Context, answerIDs []int64, until time.Time) error
	// InterruptLapsed marks answers of any workspace whose lease ended before
	// the given time as interrupted, each with a receipt that has the tokens
	// which count gives its text, and returns how many there were.
	InterruptLapsed(ctx context.Context, before, now time.Time, count func(text string) int) (int, error)
}

// MessageStore counts the questions of months.
type MessageStore interface {
	// ReserveMessages reserves messages for this process as
	// [Reservation.Grant] says, and returns how many it may begin in all. While
	// none is left, it writes nothing.
	ReserveMessages(ctx context.Context, workspaceID string, asked Reservation) (free int, err error)
	// ReleaseMessages gives back what this process has reserved in any
	// workspace. It begins no more of them.
	ReleaseMessages(ctx context.Context) error
	// SettleMessages forgets the reservations of any workspace whose leases
	// ended before a time. What was begun of them stays counted.
	SettleMessages(ctx context.Context, before time.Time) error
}

// KeyStore keeps idempotency keys.
type KeyStore interface {
	// Claim ties a key to what the transaction of ctx has just made. It is a
	// Conflict if the key is taken and was made after since; one from before
	// that is replaced. On PostgreSQL it waits for another transaction that is
	// claiming the same key.
	Claim(ctx context.Context, workspaceID string, key Key, claim Claim, since time.Time) error
	// Claimed returns what a key made after since is tied to.
	Claimed(ctx context.Context, workspaceID string, key Key, since time.Time) (Claim, error)
	// DeleteKeys deletes the keys of any workspace from before a time.
	DeleteKeys(ctx context.Context, before time.Time) error
}

// ReceiptStore sums receipts up.
type ReceiptStore interface {
	// Spent sums up a workspace's receipts from a time up to, and without,
	// another: a row for each chatbot, model and status, in that order.
	Spent(ctx context.Context, workspaceID string, from, to time.Time) ([]Spent, error)
}

// CacheStore keeps answers to questions that may be asked again.
type CacheStore interface {
	// CachedAnswer returns the answer kept under a key, if it was made after
	// since.
	CachedAnswer(ctx context.Context, workspaceID, chatbotID, key string, since time.Time) (CachedAnswer, error)
	// CacheAnswer keeps an answer; one that is there is replaced.
	CacheAnswer(ctx context.Context, workspaceID, chatbotID, key string, answer CachedAnswer) error
	// KnowledgeVersion is a text that changes whenever what a chatbot answers
	// from changes.
	KnowledgeVersion(ctx context.Context, workspaceID, chatbotID string) (string, error)
	// DeleteCachedAnswers deletes those of any workspace from before a time.
	DeleteCachedAnswers(ctx context.Context, before time.Time) error
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
	// Reserved says that it is one of those that this process had reserved.
	Reserved bool
	// Delivery is nil for a turn that nobody will resume.
	Delivery *Delivery
}

// AgainTurn is an answer that is about to be begun again.
type AgainTurn struct {
	ConversationID, AnswerID int64
	LeaseUntil               time.Time
	// Month is that of now, and Reserved says whether this process had reserved
	// the message, as in [NewTurn].
	Month    string
	Reserved bool
}

// StoredTurn is a turn as the database has it.
type StoredTurn struct {
	ConversationID int64
	// QuestionID is that of the message that is answered.
	QuestionID int64
	Question   string
	// Answer has what there is so far. Its receipt is that of its attempt, and
	// empty while it is being generated.
	Answer Answer
	// Delivery is nil for a turn that nobody was to resume.
	Delivery *Delivery
	// Last says that no message of the conversation came after the answer.
	Last bool
}

// Key is an idempotency key: a request that must be carried out once.
// (draft-ietf-httpapi-idempotency-key-header.)
type Key struct {
	TokenID string
	// Route is the method and the path, with identifiers in it.
	Route string
	// Value is the caller's, of 1 to 255 characters.
	Value string
	// BodyHash is the SHA-256, in hex, of the body and of the end user whom the
	// request is for: no other end user gets the answer.
	BodyHash string
}

// Claim is what a key is tied to.
type Claim struct {
	// BodyHash is that of the request that made the claim.
	BodyHash       string
	ConversationID int64
	// AnswerID is zero where the request had no answer.
	AnswerID int64
	At       time.Time
}

// Spent is a sum over receipts.
type Spent struct {
	ChatbotID, Model string
	Status           Status
	Answers          int
	// Estimated is how many of the answers have tokens that were counted here.
	Estimated                      int
	PromptTokens, CompletionTokens int
	Refuted                        int
	// FirstToken and Total are the means over answers that have them.
	FirstToken, Total time.Duration
}

// CachedAnswer is an answer that was given before. At is when.
type CachedAnswer struct {
	Text    string
	Sources []Source
	At      time.Time
}
