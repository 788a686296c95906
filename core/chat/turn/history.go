package turn

import (
	"context"

	"parley/core/chat"
	"parley/core/chatbot"
)

// historyBytes is how much the turns of [Service.History] have together, unless the last
// alone has more.
const historyBytes = 1 << 20

// History returns the last turns of a conversation, oldest first and at most limit, fewer
// where they are long, with what their answers were made from. Its failure is NotFound.
func (s *Service) History(ctx context.Context, p *chatbot.Principal, ref chat.Ref, limit int) ([]Stored, error) {
	conversation, err := s.Chats.Conversation(ctx, p, ref)
	if err != nil {
		return nil, err
	}
	return s.Turns.TurnsOf(ctx, conversation.WorkspaceID, conversation.ID, limit, historyBytes)
}
