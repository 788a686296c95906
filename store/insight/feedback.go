package insight

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"parley/core/chat"
	"parley/core/insight"
	ent "parley/ent/generated"
	"parley/ent/generated/conversation"
	"parley/ent/generated/feedback"
	"parley/ent/generated/gap"
	"parley/ent/generated/message"
	"parley/ent/scope"
	"parley/store"
	chatstore "parley/store/chat"
)

// Feedback keeps what people think of answers.
type Feedback struct{ store *store.Store }

// NewFeedback returns the feedback of a database.
func NewFeedback(db *store.Store) *Feedback { return &Feedback{db} }

var _ insight.FeedbackStore = (*Feedback)(nil)

// InTx runs fn in one transaction; calls inside it join.
func (s *Feedback) InTx(ctx context.Context, fn func(context.Context) error) error {
	return s.store.InTx(ctx, fn)
}

// RatedAnswer returns an answer of a chatbot, and locks the chatbot and its conversation
// against deletion.
func (s *Feedback) RatedAnswer(ctx context.Context, workspaceID, chatbotID string, messageID int64) (insight.RatedAnswer, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	if err := s.store.KeepChatbots(ctx, chatbotID); err != nil {
		return insight.RatedAnswer{}, err
	}
	answer, err := s.store.Client(ctx).Message.Query().
		Where(message.ID(messageID), message.Role(string(chat.Assistant))).Only(ctx)
	if err != nil {
		return insight.RatedAnswer{}, store.MapError(err)
	}
	query := s.store.Client(ctx).Conversation.Query().Where(conversation.ID(answer.ConversationID), conversation.ChatbotID(chatbotID))
	if !s.store.IsSQLite() {
		query = query.ForShare()
	}
	of, err := query.Only(ctx)
	if err != nil {
		return insight.RatedAnswer{}, store.MapError(err)
	}
	asked, err := s.store.Client(ctx).Message.Query().Where(message.ConversationID(of.ID), message.IDLT(answer.ID), message.Role(string(chat.User))).
		Order(ent.Desc(message.FieldID)).First(ctx)
	if err != nil {
		return insight.RatedAnswer{}, store.MapError(err)
	}
	return insight.RatedAnswer{
		Message: chatstore.MessageFromRow(answer), ConversationID: of.ID, Origin: chat.Origin(of.Origin), BegunBy: of.BegunBy, Question: asked.Content,
	}, nil
}

// SaveFeedback stores feedback, in place of what its answer has. The day on which
// it was given first stays: it is counted on that.
func (s *Feedback) SaveFeedback(ctx context.Context, workspaceID string, f insight.Feedback) error {
	return s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		return s.store.Exec(ctx, s.store.Into(feedback.Table).
			Set(feedback.FieldWorkspaceID, workspaceID).Set(feedback.FieldChatbotID, f.ChatbotID).
			Set(feedback.FieldConversationID, f.ConversationID).Set(feedback.FieldMessageID, f.MessageID).
			Set(feedback.FieldRating, int(f.Rating)).Set(feedback.FieldComment, f.Comment).Set(feedback.FieldGivenBy, f.GivenBy).
			Set(feedback.FieldUpdatedAt, f.UpdatedAt).Set(feedback.FieldCreatedAt, f.CreatedAt).
			OnConflict(sql.ConflictColumns(feedback.FieldMessageID),
				sql.UpdateWhere(sql.ExprP("feedbacks.workspace_id = excluded.workspace_id")),
				store.Overwrite(feedback.FieldRating, feedback.FieldComment, feedback.FieldGivenBy, feedback.FieldUpdatedAt)))
	})
}

// AddGap adds a gap, unless its answer has one.
func (s *Feedback) AddGap(ctx context.Context, workspaceID string, g insight.Gap) error {
	ctx = scope.Workspace(ctx, workspaceID)
	known, err := s.store.Client(ctx).Gap.Query().Where(gap.MessageID(g.MessageID)).Exist(ctx)
	if err != nil || known {
		return store.MapError(err)
	}
	return s.store.Exec(ctx, s.store.Into(gap.Table).
		Set(gap.FieldWorkspaceID, workspaceID).Set(gap.FieldChatbotID, g.ChatbotID).Set(gap.FieldConversationID, g.ConversationID).
		Set(gap.FieldMessageID, g.MessageID).Set(gap.FieldQuestion, g.Question).Set(gap.FieldReason, string(g.Reason)).
		Set(gap.FieldState, string(g.State)).Set(gap.FieldCreatedAt, g.CreatedAt).
		OnConflict(sql.ConflictColumns(gap.FieldMessageID), sql.DoNothing()))
}

// DropGap deletes the open gap of an answer that has the reason.
func (s *Feedback) DropGap(ctx context.Context, workspaceID string, messageID int64, reason insight.Reason) error {
	ctx = scope.Workspace(ctx, workspaceID)
	_, err := s.store.Client(ctx).Gap.Delete().
		Where(gap.MessageID(messageID), gap.Reason(string(reason)), gap.State(string(insight.Open))).Exec(ctx)
	return store.MapError(err)
}
