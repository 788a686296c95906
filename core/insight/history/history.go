// Package history is how owners read conversations back: pages of them that can
// be searched, a conversation with what each answer was made from, an export, and
// the deletion of one.
//
// It does not own what callers may read (package chat).
package history

import (
	"context"
	"time"

	"parley/core/answer"
	"parley/core/audit"
	"parley/core/chat"
	"parley/core/fault"
	"parley/core/insight"
)

// Summary is a conversation in a list.
type Summary struct {
	ID        int64
	ChatbotID string
	// Title is the beginning of the first question.
	Title          string
	ExternalUserID string
	Origin         chat.Origin
	// BegunBy is the API token, or the member in the playground, or empty.
	BegunBy   string
	CreatedAt time.Time
	// Outcome is the worst of its answers, or empty if there is none.
	Outcome chat.Outcome
	// ThumbsUp and ThumbsDown count the feedback on its answers.
	ThumbsUp, ThumbsDown int
}

// Message is a message of a conversation with its usage record and feedback.
type Message struct {
	chat.Message
	// Query, Outcome and Citations are an answer's.
	Query     string
	Outcome   chat.Outcome
	Citations []answer.Citation
	// Record is the usage record of the answer's last attempt, or nil.
	Record *answer.UsageRecord
	// Feedback is nil where there is none, and of an answer whose feedback was
	// taken back.
	Feedback *insight.Feedback
}

// Query chooses conversations. Its zero value chooses all but the playground's.
type Query struct {
	// From and To are the first and the last day, or zero.
	From, To       time.Time
	ExternalUserID string
	Outcome        chat.Outcome
	// Rating chooses conversations with such feedback, unless it is zero.
	Rating insight.Rating
	// TokenID chooses those that an API token began.
	TokenID string
	// Origin chooses the playground's: those are the viewer's own. Otherwise all
	// others are chosen.
	Origin chat.Origin
	// Text is a part of the title, in any case.
	Text string
	// Before is the id of the last conversation of the page before, or zero.
	Before int64
	Limit  int
	// Viewer is the member who looks.
	Viewer string
}

// Page is some conversations, newest first.
type Page struct {
	Conversations []Summary
	// Next is what [Query.Before] is to be for the next page, or zero if this is
	// the last.
	Next int64
	// Partial says that older conversations were not looked at: see [Window].
	Partial bool
}

// The limits of pages.
const (
	// PageSize is how many conversations a page has.
	PageSize = 30
	// Window is how many conversations one page looks through at most for those that
	// a filter chooses, so that no search takes long.
	Window = 20_000
	// ThreadSize is how many messages of a conversation are shown at a time.
	ThreadSize = 200
	// threadBytes is how much text they have, unless the last alone has more.
	threadBytes = 1 << 20
	maxText     = 200
)

// Most bounds the messages that are read at a time. One is always read, so that reading
// goes on.
type Most struct {
	Messages int
	// Bytes are of their texts.
	Bytes int
}

// Store is the port to conversations. A missing row is a NotFound fault.
type Store interface {
	// InTx runs fn in one transaction; calls inside it join.
	InTx(ctx context.Context, fn func(context.Context) error) error
	// ListedConversations returns the conversations that a query chooses, newest first,
	// at most its limit, of the newest [Window] before its cursor. End is the id of
	// the last that was looked at if there are older ones, and zero otherwise.
	ListedConversations(ctx context.Context, workspaceID, chatbotID string, query Query) (found []Summary, end int64, err error)
	// ListedConversation returns one conversation.
	ListedConversation(ctx context.Context, workspaceID, chatbotID string, id int64) (Summary, error)
	// ThreadMessages returns the last messages of a conversation with an id below before,
	// oldest first, and whether there are earlier ones. A before of 0 is above all.
	ThreadMessages(ctx context.Context, workspaceID string, conversationID, before int64, most Most) (messages []Message, more bool, err error)
	// ThreadMessagesAfter returns the first messages of a conversation with an id above
	// after, oldest first, and whether there are later ones.
	ThreadMessagesAfter(ctx context.Context, workspaceID string, conversationID, after int64, most Most) (messages []Message, more bool, err error)
	// Asked reports whether a chatbot ever answered a question, and whether one of the
	// API. What retention deletes does not change that.
	Asked(ctx context.Context, workspaceID, chatbotID string) (asked, byAPI bool, err error)
	// DeleteConversation deletes a conversation with its messages, feedback and
	// gaps. It is a Conflict while an answer is being generated in it.
	DeleteConversation(ctx context.Context, workspaceID, chatbotID string, id int64) error
}

// History reads conversations.
type History struct {
	store Store
	audit audit.Log
	now   func() time.Time
}

// New returns the history of a store.
func New(store Store, log audit.Log, now func() time.Time) *History { return &History{store, log, now} }

// Asked reports whether a chatbot ever answered a question, and whether one of the
// API.
func (h *History) Asked(ctx context.Context, workspaceID, chatbotID string) (asked, byAPI bool, err error) {
	return h.store.Asked(ctx, workspaceID, chatbotID)
}

// List returns a page of a chatbot's conversations.
func (h *History) List(ctx context.Context, workspaceID, chatbotID string, query Query) (Page, error) {
	if query.Limit == 0 {
		query.Limit = PageSize
	}
	if !chat.Storable(query.Text) || !chat.Storable(query.ExternalUserID) {
		return Page{}, nil // there is no such text
	}
	if len(query.Text) > maxText {
		return Page{}, fault.InField("q", "Search for at most %d characters.", maxText)
	}
	if !query.From.IsZero() && !query.To.IsZero() && query.To.Before(query.From) {
		return Page{}, fault.InField("to", "The last day comes before the first. Swap them.")
	}
	wanted := query.Limit
	query.Limit++
	found, end, err := h.store.ListedConversations(ctx, workspaceID, chatbotID, query)
	if err != nil {
		return Page{}, err
	}
	if len(found) > wanted {
		return Page{Conversations: found[:wanted], Next: found[wanted-1].ID}, nil
	}
	return Page{Conversations: found, Next: end, Partial: end != 0}, nil
}

// Thread is a conversation with its last messages.
type Thread struct {
	Summary
	Messages []Message
	// Earlier is what before is to be for earlier messages, or zero.
	Earlier int64
}

// Thread returns a conversation. One of another member's playground is NotFound.
func (h *History) Thread(ctx context.Context, workspaceID, chatbotID, viewer string, id, before int64) (Thread, error) {
	summary, err := h.visible(ctx, workspaceID, chatbotID, viewer, id)
	if err != nil {
		return Thread{}, err
	}
	messages, more, err := h.store.ThreadMessages(ctx, workspaceID, id, before, Most{ThreadSize, threadBytes})
	if err != nil {
		return Thread{}, err
	}
	thread := Thread{Summary: summary, Messages: messages}
	if more {
		thread.Earlier = messages[0].ID
	}
	return thread, nil
}

func (h *History) visible(ctx context.Context, workspaceID, chatbotID, viewer string, id int64) (Summary, error) {
	summary, err := h.store.ListedConversation(ctx, workspaceID, chatbotID, id)
	if fault.Is(err, fault.NotFound) || err == nil && summary.Origin == chat.Playground && summary.BegunBy != viewer {
		return Summary{}, chat.ErrNoConversation
	}
	return summary, err
}

// Delete deletes a conversation. Its usage records stay, as they do when time
// deletes it.
func (h *History) Delete(ctx context.Context, workspaceID, chatbotID, viewer string, id int64) error {
	if _, err := h.visible(ctx, workspaceID, chatbotID, viewer, id); err != nil {
		return err
	}
	err := h.store.InTx(ctx, func(ctx context.Context) error {
		if err := h.store.DeleteConversation(ctx, workspaceID, chatbotID, id); err != nil {
			return err
		}
		return audit.Record(ctx, h.audit, workspaceID, h.now(), audit.Entry{
			Action: audit.ConversationDeleted, Object: audit.Object{Kind: "conversation", ID: chatbotID}, Detail: "A conversation was deleted.",
		})
	})
	if fault.Is(err, fault.NotFound) {
		return chat.ErrNoConversation
	}
	return err
}
