package chat

import (
	"context"
	"slices"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	ent "parley/ent/generated"
	"parley/ent/generated/message"
	"parley/ent/scope"
	"parley/store"
	"parley/store/citation"
)

// answersAtOnce bounds the parameters of a statement.
const answersAtOnce = 500

// ConversationOf returns the conversation that an answer is in.
func (s *Turns) ConversationOf(ctx context.Context, workspaceID string, answerID int64) (int64, error) {
	row, err := s.store.Client(ctx).Message.Query().Where(message.ID(answerID), message.Role(string(chat.Assistant))).
		Select(message.FieldConversationID).Only(scope.Workspace(ctx, workspaceID))
	return store.One(row, err, func(row *ent.Message) int64 { return row.ConversationID })
}

// AnswersOf returns the answers of a conversation with some ids, by id, as far as they
// have ended.
func (s *Turns) AnswersOf(ctx context.Context, workspaceID string, conversationID int64, answerIDs []int64) (map[int64]turn.Answer, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	answers := make(map[int64]turn.Answer, len(answerIDs))
	for ids := range slices.Chunk(answerIDs, answersAtOnce) {
		rows, err := s.store.Client(ctx).Message.Query().Where(message.ConversationID(conversationID), message.IDIn(ids...),
			message.Role(string(chat.Assistant)), message.StatusNEQ(string(chat.Generating))).
			Select(message.FieldID, message.FieldAttempt, message.FieldStatus, message.FieldOutcome, message.FieldFinishReason, message.FieldSources).All(ctx)
		if err != nil {
			return nil, store.MapError(err)
		}
		records, err := NewUsageRecords(s.store).Recorded(ctx, workspaceID, ids)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			made := turn.Answer{
				ConversationID: conversationID, MessageID: row.ID, Attempt: row.Attempt, Status: chat.Status(row.Status), Outcome: chat.Outcome(row.Outcome),
			}
			made.Finish = answer.FinishReason(row.FinishReason)
			if made.Citations, err = citation.FromColumn(row.Sources); err != nil {
				return nil, store.MapError(err)
			}
			answers[row.ID] = made
		}
		for _, row := range records {
			if made, ended := answers[row.MessageID]; ended && made.Attempt == row.Attempt {
				made.Record = row.UsageRecord
				answers[row.MessageID] = made
			}
		}
	}
	return answers, nil
}
