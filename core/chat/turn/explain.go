package turn

import (
	"context"

	"parley/core/chat"
)

// Explain returns how the answers among the messages of a conversation were made, by
// the id of the message that shows it: the answer, or a question whose answer ended
// without text.
func (s *Service) Explain(ctx context.Context, workspaceID string, conversationID int64, messages []chat.Message) (map[int64]Answer, error) {
	shownBy, ids := map[int64]int64{}, make([]int64, 0, len(messages))
	for _, m := range messages {
		answerID := m.SilentAnswerID
		if m.Role == chat.Assistant {
			answerID = m.ID
		}
		if answerID != 0 {
			shownBy[answerID], ids = m.ID, append(ids, answerID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	answers, err := s.Turns.AnswersOf(ctx, workspaceID, conversationID, ids)
	if err != nil {
		return nil, err
	}
	explained := make(map[int64]Answer, len(answers))
	for id, answer := range answers {
		explained[shownBy[id]] = answer
	}
	return explained, nil
}
