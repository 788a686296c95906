package turn

import (
	"context"
	"unicode/utf8"

	"parley/core/answer/prompt"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
)

// CallerContext is what a caller sends along with its question, if it keeps the
// conversation itself. None of it is stored.
type CallerContext struct {
	// History has the earlier messages, oldest first. It replaces the messages of the
	// conversation or, with Follows, comes after them. If it is empty, the history is
	// the conversation's.
	History []prompt.Message
	// Follows is the answer after which the question comes, in its conversation:
	// later messages are not part of the history. Zero is the last answer.
	Follows int64
	// Context is what the calling program says about the question. It is data, and
	// changes none of the owner's rules.
	Context string
}

// ErrNoPrevious says that [CallerContext.Follows] is no answer of the conversation.
var ErrNoPrevious = (&fault.Error{
	Kind: fault.NotFound, Field: "previous_response_id",
	Message: "There is no such previous response. Send the id of a response of this chatbot, or leave previous_response_id out.",
}).Named("previous_response_not_found")

// check bounds each text by the limit of a message. It cuts earlier messages to it, so that
// a conversation can go on.
func (c *CallerContext) check(p *chatbot.Principal) error {
	if c == nil {
		return nil
	}
	if !chat.Storable(c.Context) {
		return fault.InField("context", "The context must be valid UTF-8 without NUL characters.")
	}
	limit := p.Plan.Limits.MessageChars
	if p.Plan.Admit(plan.MessageChars, utf8.RuneCountInString(c.Context)) != nil {
		return fault.InField("context", "The instructions, with the messages of the roles system and developer, are longer than %d characters, the limit of the %s plan. Shorten them.", limit, p.Plan.Title)
	}
	c.History = c.History[max(0, len(c.History)-historyWanted):]
	for i := range c.History {
		said := &c.History[i]
		if !chat.Storable(said.Text) {
			return fault.InField("message", "Every message must be valid UTF-8 without NUL characters.")
		}
		if p.Plan.Admit(plan.MessageChars, utf8.RuneCountInString(said.Text)) != nil {
			said.Text = string([]rune(said.Text)[:limit])
		}
	}
	return nil
}

// context returns what the calling program says about the question.
func (c *CallerContext) context() string {
	if c == nil {
		return ""
	}
	return c.Context
}

// history returns the messages that the caller says came before the question.
func (c *CallerContext) history() []prompt.Message {
	if c == nil {
		return nil
	}
	return c.History
}

// follows checks that the question comes after an answer of the conversation.
func (c *CallerContext) follows(ctx context.Context, turns Turns, conversation chat.Conversation) error {
	if !c.isElsewhere() {
		return nil
	}
	_, err := turns.Turn(ctx, conversation.WorkspaceID, conversation.ID, c.Follows)
	if fault.Is(err, fault.NotFound) {
		return ErrNoPrevious
	}
	return err
}

// isElsewhere reports whether the question may come after an answer that is not the last
// one, so that its history may have to be read by itself.
func (c *CallerContext) isElsewhere() bool { return c != nil && c.Follows != 0 }

// before returns the history of a question in a conversation: the stored messages, unless
// the caller says otherwise.
func (c *CallerContext) before(ctx context.Context, chats *chat.Service, workspaceID string, conversationID int64, stored []chat.Message) ([]prompt.Message, error) {
	switch {
	case c == nil || c.Follows == 0 && len(c.History) == 0:
		return said(stored), nil
	case c.Follows == 0:
		return c.History, nil
	}
	if len(stored) > 0 && stored[len(stored)-1].ID != c.Follows { // the conversation has gone on since
		var err error
		if stored, err = chats.LastMessages(ctx, workspaceID, conversationID, c.Follows+1, historyWanted); err != nil {
			return nil, err
		}
	}
	return append(said(stored), c.History...), nil
}
