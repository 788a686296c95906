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

// Given is what a caller says besides its question: one that keeps the conversation
// itself sends it with each question. None of it is stored.
type Given struct {
	// History is what was said before, oldest first. It stands in the place of what
	// the conversation has or, with Follows, comes after it. If it is empty, the
	// history is the conversation's.
	History []prompt.Message
	// Follows is the answer after which the question comes, in its conversation:
	// what was said later is not part of the history. Zero is the last one.
	Follows int64
	// Context is what the calling program says about the question. It is data, and
	// changes none of the owner's rules.
	Context string
}

// ErrNoPrevious says that [Given.Follows] is no answer of the conversation.
var ErrNoPrevious = (&fault.Error{
	Kind: fault.NotFound, Field: "previous_response_id",
	Message: "There is no such previous response. Send the id of a response of this chatbot, or leave previous_response_id out.",
}).Named("previous_response_not_found")

// check bounds what is given by the limit of a message. Earlier messages are cut to it,
// so that a conversation can go on.
func (g *Given) check(p *chatbot.Principal) error {
	if g == nil {
		return nil
	}
	if !chat.Storable(g.Context) {
		return fault.InField("context", "The context must be valid UTF-8 without NUL characters.")
	}
	limit := p.Plan.Limits.MessageChars
	if p.Plan.Admit(plan.MessageChars, utf8.RuneCountInString(g.Context)) != nil {
		return fault.InField("context", "The instructions, with the messages of the roles system and developer, are longer than %d characters, the limit of the %s plan. Shorten them.", limit, p.Plan.Title)
	}
	g.History = g.History[max(0, len(g.History)-historyWanted):]
	for i := range g.History {
		said := &g.History[i]
		if !chat.Storable(said.Text) {
			return fault.InField("message", "Every message must be valid UTF-8 without NUL characters.")
		}
		if p.Plan.Admit(plan.MessageChars, utf8.RuneCountInString(said.Text)) != nil {
			said.Text = string([]rune(said.Text)[:limit])
		}
	}
	return nil
}

// context is what the calling program says about the question.
func (g *Given) context() string {
	if g == nil {
		return ""
	}
	return g.Context
}

// history is what the caller says came before the question.
func (g *Given) history() []prompt.Message {
	if g == nil {
		return nil
	}
	return g.History
}

// follows checks that the question comes after an answer of the conversation.
func (g *Given) follows(ctx context.Context, turns Turns, conversation chat.Conversation) error {
	if !g.isElsewhere() {
		return nil
	}
	_, err := turns.Turn(ctx, conversation.WorkspaceID, conversation.ID, g.Follows)
	if fault.Is(err, fault.NotFound) {
		return ErrNoPrevious
	}
	return err
}

// isElsewhere reports whether the question may come after an answer that is not the last
// one, so that its history may have to be read by itself.
func (g *Given) isElsewhere() bool { return g != nil && g.Follows != 0 }

// before is the history of a question in a conversation: what was stored before it, unless
// the caller says otherwise.
func (g *Given) before(ctx context.Context, chats *chat.Service, workspaceID string, conversationID int64, stored []chat.Message) ([]prompt.Message, error) {
	switch {
	case g == nil || g.Follows == 0 && len(g.History) == 0:
		return said(stored), nil
	case g.Follows == 0:
		return g.History, nil
	}
	if len(stored) > 0 && stored[len(stored)-1].ID != g.Follows { // the conversation has gone on since
		var err error
		if stored, err = chats.LastMessages(ctx, workspaceID, conversationID, g.Follows+1, historyWanted); err != nil {
			return nil, err
		}
	}
	return append(said(stored), g.History...), nil
}
