package turn

import (
	"context"

	"parley/core/chat"
	"parley/core/chatbot"
)

// History returns the last turns of a conversation, oldest first and at most
// limit, with what their answers were made from. Its failure is NotFound.
func (s *Service) History(ctx context.Context, p *chatbot.Principal, ref chat.Ref, limit int) ([]Stored, error) {
	conversation, err := s.Chats.Conversation(ctx, p, ref)
	if err != nil {
		return nil, err
	}
	return s.Turns.TurnsOf(ctx, conversation.WorkspaceID, conversation.ID, limit)
}
