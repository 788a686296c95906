package chat

import (
	"context"

	"parley/core/chatbot"
	"parley/core/fault"
)

// Page asks for some of a conversation's messages.
type Page struct {
	// After is the id of the last message seen, which must be one of the
	// conversation, or 0.
	After int64
	// Limit is from 1 to 100, or 0 for all messages.
	Limit int
}

// MaxPage is the largest [Page.Limit].
const MaxPage = 100

// ErrNoMessage says that [Page.After] is not a message of the conversation.
var ErrNoMessage = fault.InField("after", "after must be the id of a message of this conversation. Begin again without it.").Named(fault.WrongCursor)

// Messages returns the messages of a conversation of the caller's chatbot,
// oldest first, and whether there are more after them.
func (s *Service) Messages(ctx context.Context, p *chatbot.Principal, ref Ref, page Page) (messages []Message, more bool, err error) {
	conversation, err := s.Conversation(ctx, p, ref)
	if err != nil {
		return nil, false, err
	}
	if page.After > 0 {
		known, err := s.store.HasMessage(ctx, p.Chatbot.WorkspaceID, conversation.ID, page.After)
		if err != nil {
			return nil, false, err
		}
		if !known {
			return nil, false, ErrNoMessage
		}
	}
	limit := page.Limit
	if limit > 0 {
		limit++
	}
	messages, err = s.store.Messages(ctx, p.Chatbot.WorkspaceID, conversation.ID, page.After, limit)
	if err != nil {
		return nil, false, err
	}
	if page.Limit > 0 && len(messages) > page.Limit {
		return messages[:page.Limit], true, nil
	}
	return messages, false, nil
}
