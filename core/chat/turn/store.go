package turn

import (
	"context"
	"time"

	"parley/core/chat"
	"parley/core/system"
)

// Turns is the port to what keeps questions with their answers. A missing row is
// a NotFound fault.
type Turns interface {
	// InTx runs fn in one transaction; calls inside it join.
	InTx(ctx context.Context, fn func(context.Context) error) error

	// BeginConversation creates a conversation with its first turn, which is
	// as BeginTurn's; the conversation is returned with its new id. It is
	// [chat.ErrClaimed] if the turn's key is taken.
	BeginConversation(ctx context.Context, workspaceID string, conversation chat.Conversation, turn Opening) (made chat.Conversation, answerID int64, err error)
	// BeginTurn appends a question, and an answer that is being generated
	// until the lease ends, and counts the question in its month. It returns the
	// last messages that readers see of those before, oldest first. It is a
	// Conflict while another answer is being generated in the conversation,
	// [chat.ErrClaimed] if the turn's key is taken, and [chat.ErrNoConversation] if
	// the conversation is tied to another end user.
	BeginTurn(ctx context.Context, workspaceID string, turn Opening) (answerID int64, earlier []chat.Message, err error)
	// BeginAgain makes an Interrupted or Failed answer one that is being
	// generated, empty and with the next attempt, and returns that. A question
	// that had been given back to its month counts again, in the month of the
	// turn, and so does one whose Retry says so. It is NotFound if the answer is in no such state or not the last
	// message of its conversation, and a Conflict while another answer is being
	// generated there.
	BeginAgain(ctx context.Context, workspaceID string, turn Retry) (attempt int, err error)
	// SaveProgress stores the text so far of an answer that is being generated.
	// It is NotFound once this attempt is no longer generating it.
	SaveProgress(ctx context.Context, workspaceID string, answerID int64, attempt int, text string) error
	// FinishTurn stores an answer with its final status, which is not
	// Generating, and its usage record. It is NotFound unless this attempt at it is
	// generating or was Interrupted by its lease. A question whose answer
	// failed no longer counts in its month.
	FinishTurn(ctx context.Context, workspaceID string, answer Answer) error
	// Turn returns a turn as it stands. An answer of 0 is the last of its
	// conversation, in which it must be otherwise.
	Turn(ctx context.Context, workspaceID string, conversationID, answerID int64) (Stored, error)
	// TurnsOf returns the last turns of a conversation, oldest first, at most limit and,
	// unless the last alone has more, with at most that many bytes.
	TurnsOf(ctx context.Context, workspaceID string, conversationID int64, limit, bytes int) ([]Stored, error)
	// AnswersOf returns the answers of a conversation with some ids, by id, as far as
	// they have ended: how they ended, their citations, and the usage record of their
	// last attempt, which is empty where none was kept.
	AnswersOf(ctx context.Context, workspaceID string, conversationID int64, answerIDs []int64) (map[int64]Answer, error)
	// ConversationOf returns the conversation that an answer is in.
	ConversationOf(ctx context.Context, workspaceID string, answerID int64) (conversationID int64, err error)
	// AskToStop marks an answer that is being generated. Another process may
	// be the one that generates it: see StopsAsked.
	AskToStop(ctx context.Context, workspaceID string, answerID int64) error
}

// Leases is the port to the leases of answers that are being generated,
// of any workspace.
type Leases interface {
	// StopsAsked returns the answers, of any workspace, that are being
	// generated and are to be stopped.
	StopsAsked(ctx context.Context, access system.Access) ([]int64, error)
	// RenewLeases extends the leases of answers, of any workspace, that this
	// process is generating.
	RenewLeases(ctx context.Context, access system.Access, answerIDs []int64, until time.Time) error
	// InterruptLapsed marks answers of any workspace whose lease ended before
	// the given time as interrupted, each with a usage record that has the tokens
	// which count gives its text, and returns how many there were.
	InterruptLapsed(ctx context.Context, access system.Access, before, now time.Time, count func(text string) int) (int, error)
}

// Opening is a question that is about to be answered.
type Opening struct {
	// ConversationID is ignored for a new conversation.
	ConversationID int64
	// Title is for a conversation that has none yet, and empty otherwise.
	Title      string
	Question   string
	At         time.Time
	LeaseUntil time.Time
	// Month is the month of At in UTC, such as "2026-11", in which the question counts.
	// The playground has months of its own.
	Month string
	// Reserved says that this process had reserved the message.
	Reserved bool
	// Delivery is nil for a turn whose stream cannot be resumed.
	Delivery *Delivery
	// EndUser is to be tied to the conversation, which had none, and empty otherwise.
	EndUser string
	// Key, unless nil, is claimed for the turn in the same commit.
	Key *chat.Claiming
	// Seen, unless nil, is the end user that the conversation had when it was read, or
	// empty for none. If that has changed, BeginTurn begins nothing, and fails with
	// [ErrNotAsSeen]. So it may if the conversation is gone or busy.
	Seen *string
	// Earlier is how many messages from before the question BeginTurn returns at
	// most.
	Earlier int
}

// Retry is an answer that is about to be begun again.
type Retry struct {
	ConversationID, AnswerID int64
	LeaseUntil               time.Time
	// Counts says that the question counts once more.
	Counts bool
	// Month is the current month, and Reserved says whether this process had reserved
	// the message, as in [Opening].
	Month    string
	Reserved bool
}

// Stored is a turn as the database has it.
type Stored struct {
	ConversationID int64
	// QuestionID is the id of the message that is answered.
	QuestionID int64
	Question   string
	// Answer is the answer so far. Its record is its attempt's, and empty while
	// it is being generated.
	Answer Answer
	// Delivery is nil for a turn whose stream cannot be resumed.
	Delivery *Delivery
	// Last says that no message of the conversation came after the answer.
	Last bool
}
