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
	// Limit is from 1 to 100.
	Limit int
}

// MaxPage is the largest [Page.Limit].
const MaxPage = 100

// pageBytes is how much text a page has, unless its first message alone has more.
const pageBytes = 64 << 10

// ErrNoMessage says that [Page.After] is not a message of the conversation.
var ErrNoMessage = fault.InField("after", "after must be the id of a message of this conversation. Begin again without it.").Named(fault.WrongCursor)

// Messages returns a page of the messages of a conversation of the caller's chatbot,
// oldest first, and whether there are more after them. A page has fewer messages than its
// limit where they are long.
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
	sizes, err := s.store.MessageSizes(ctx, p.Chatbot.WorkspaceID, conversation.ID, page.After, page.Limit)
	if err != nil {
		return nil, false, err
	}
	n := fitting(sizes)
	messages, err = s.store.Messages(ctx, p.Chatbot.WorkspaceID, conversation.ID, page.After, n+1)
	if err != nil {
		return nil, false, err
	}
	if len(messages) > n {
		return messages[:n], true, nil
	}
	return messages, false, nil
}

// fitting is how many messages of such sizes a page has.
func fitting(sizes []int) int {
	total := 0
	for n, size := range sizes {
		if total += size; total > pageBytes && n > 0 {
			return n
		}
	}
	return len(sizes)
}
