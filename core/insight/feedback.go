// Package insight owns what an owner learns from conversations and does about it:
// feedback on answers, and gaps, which are questions that were not answered well,
// with the answer that closes them.
//
// What is counted is in package stats, how conversations are read back in package
// history, and questions that are asked after each change in package testrun.
package insight

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/internal/plain"
)

// Rating is what somebody thinks of an answer.
type Rating int

// The ratings.
const (
	ThumbUp   Rating = 1
	ThumbDown Rating = -1
	// Unrated is the rating of feedback that was taken back.
	Unrated Rating = 0
)

// Feedback is what somebody thinks of one answer. An answer has one feedback, from
// whoever rated it last.
type Feedback struct {
	ChatbotID                 string
	ConversationID, MessageID int64
	Rating                    Rating
	Comment                   string
	// GivenBy is the member who gave it in the dashboard. It is empty for a
	// caller's.
	GivenBy              string
	UpdatedAt, CreatedAt time.Time
}

// MaxComment is the length of the longest comment, in characters.
const MaxComment = 2_000

// RatedAnswer is an answer that can be rated, with its question.
type RatedAnswer struct {
	chat.Message
	ConversationID int64
	// Origin is the conversation's, and BegunBy who began it.
	Origin   chat.Origin
	BegunBy  string
	Question string
}

// FeedbackStore is the port to feedback. A missing row is a NotFound fault.
type FeedbackStore interface {
	// InTx runs fn in one transaction; calls inside it join.
	InTx(ctx context.Context, fn func(context.Context) error) error
	// RatedAnswer returns an answer of a chatbot, whose conversation is not deleted
	// until the transaction ends.
	RatedAnswer(ctx context.Context, workspaceID, chatbotID string, messageID int64) (RatedAnswer, error)
	// SaveFeedback stores feedback, in place of what its answer has.
	SaveFeedback(ctx context.Context, workspaceID string, feedback Feedback) error
	// AddGap adds a gap, unless its answer has one.
	AddGap(ctx context.Context, workspaceID string, gap Gap) error
	// DropGap deletes the open gap of an answer that has the reason.
	DropGap(ctx context.Context, workspaceID string, messageID int64, reason Reason) error
}

// Conversations is the port to the conversations that a caller may use.
type Conversations interface {
	Conversation(ctx context.Context, p *chatbot.Principal, ref chat.Ref) (chat.Conversation, error)
}

// Feedbacks takes feedback.
type Feedbacks struct {
	store         FeedbackStore
	conversations Conversations
	now           func() time.Time
}

// NewFeedbacks returns the feedback of a store.
func NewFeedbacks(store FeedbackStore, conversations Conversations, now func() time.Time) *Feedbacks {
	return &Feedbacks{store, conversations, now}
}

// Opinion is a rating with its comment.
type Opinion struct {
	Rating  Rating
	Comment string
}

// ErrNoMessage says that an answer does not exist, or not for who asks.
var ErrNoMessage = fault.New(fault.NotFound, "Message not found.")

var errGenerating = fault.New(fault.Conflict, "This answer is still being written. Rate it when it has ended.")

// FromCaller stores what a caller's end user thinks of an answer. An answer in a
// conversation that the caller and the end user may not use is NotFound, like one
// that does not exist.
func (f *Feedbacks) FromCaller(ctx context.Context, p *chatbot.Principal, externalUserID string, messageID int64, given Opinion) (Feedback, error) {
	return f.give(ctx, p.Chatbot.WorkspaceID, p.Chatbot.ID, messageID, given, func(ctx context.Context, answer RatedAnswer) (string, error) {
		_, err := f.conversations.Conversation(ctx, p, chat.Ref{ConversationID: answer.ConversationID, ExternalUserID: externalUserID})
		if fault.Is(err, fault.NotFound) {
			return "", ErrNoMessage
		}
		return "", err
	})
}

// FromMember stores what a member thinks of an answer. One in another member's
// playground is NotFound.
func (f *Feedbacks) FromMember(ctx context.Context, workspaceID, chatbotID, memberID string, messageID int64, given Opinion) (Feedback, error) {
	return f.give(ctx, workspaceID, chatbotID, messageID, given, func(_ context.Context, answer RatedAnswer) (string, error) {
		if answer.Origin == chat.Playground && answer.BegunBy != memberID {
			return "", ErrNoMessage
		}
		return memberID, nil
	})
}

// Answer returns an answer with its question, for a member. One in another member's
// playground is NotFound.
func (f *Feedbacks) Answer(ctx context.Context, workspaceID, chatbotID, memberID string, messageID int64) (RatedAnswer, error) {
	answer, err := f.store.RatedAnswer(ctx, workspaceID, chatbotID, messageID)
	if fault.Is(err, fault.NotFound) || err == nil && answer.Origin == chat.Playground && answer.BegunBy != memberID {
		return RatedAnswer{}, ErrNoMessage
	}
	return answer, err
}

// give stores feedback in the name that admit returns.
func (f *Feedbacks) give(ctx context.Context, workspaceID, chatbotID string, messageID int64, given Opinion, admit func(context.Context, RatedAnswer) (string, error)) (Feedback, error) {
	given, err := given.check()
	if err != nil {
		return Feedback{}, err
	}
	var stored Feedback
	err = f.store.InTx(ctx, func(ctx context.Context) error {
		answer, err := f.store.RatedAnswer(ctx, workspaceID, chatbotID, messageID)
		if fault.Is(err, fault.NotFound) {
			return ErrNoMessage
		}
		if err != nil {
			return err
		}
		by, err := admit(ctx, answer)
		if err != nil {
			return err
		}
		if answer.Status == chat.Generating {
			return errGenerating
		}
		now, unkept := f.now(), answer.Question == ""
		if unkept { // the chatbot keeps no texts
			given.Comment = ""
		}
		stored = Feedback{
			ChatbotID: chatbotID, ConversationID: answer.ConversationID, MessageID: messageID,
			Rating: given.Rating, Comment: given.Comment, GivenBy: by, UpdatedAt: now, CreatedAt: now,
		}
		if err := f.store.SaveFeedback(ctx, workspaceID, stored); err != nil {
			return err
		}
		if given.Rating != ThumbDown || unkept {
			return f.store.DropGap(ctx, workspaceID, messageID, Disliked)
		}
		return f.store.AddGap(ctx, workspaceID, Gap{
			ChatbotID: chatbotID, ConversationID: answer.ConversationID, MessageID: messageID,
			Question: answer.Question, Reason: Disliked, State: Open, CreatedAt: now,
		})
	})
	return stored, err
}

func (o Opinion) check() (Opinion, error) {
	o.Comment = strings.TrimSpace(o.Comment)
	switch {
	case o.Rating != ThumbUp && o.Rating != ThumbDown && o.Rating != Unrated:
		return o, fault.InField("rating", `rating must be "up", "down" or null.`)
	case !plain.Storable(o.Comment):
		return o, fault.InField("comment", "comment must be valid UTF-8 without NUL characters.")
	case utf8.RuneCountInString(o.Comment) > MaxComment:
		return o, fault.InField("comment", "comment is longer than %d characters. Shorten it.", MaxComment)
	}
	if o.Rating == Unrated {
		o.Comment = "" // there is nothing left that it says something about
	}
	return o, nil
}
