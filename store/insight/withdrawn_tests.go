package insight

import (
	"context"
	"time"

	"parley/core/insight/testrun"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/predicate"
	"parley/ent/generated/testquestion"
	"parley/ent/scope"
	"parley/store"
)

// WithdrawnTests keeps test questions that were removed and can be brought back: the time
// is in removed_at.
type WithdrawnTests struct{ store *store.Store }

// NewWithdrawnTests returns the withdrawn test questions of a database.
func NewWithdrawnTests(db *store.Store) *WithdrawnTests { return &WithdrawnTests{db} }

var _ testrun.Removal = (*WithdrawnTests)(nil)

// WithdrawTestQuestion takes a test question out of all lists.
func (s *WithdrawnTests) WithdrawTestQuestion(ctx context.Context, workspaceID, chatbotID, questionID string, at time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.TestQuestion.Update().Where(testquestion.ID(questionID), testquestion.ChatbotID(chatbotID), testquestion.RemovedAtIsNil()).
			SetRemovedAt(at).Save(ctx))
	})
}

func withdrawnAfter(chatbotID, questionID string, after time.Time) []predicate.TestQuestion {
	return []predicate.TestQuestion{testquestion.ID(questionID), testquestion.ChatbotID(chatbotID), testquestion.RemovedAtGT(after)}
}

// WithdrawnTestQuestion returns a question that was withdrawn after a time.
func (s *WithdrawnTests) WithdrawnTestQuestion(ctx context.Context, workspaceID, chatbotID, questionID string, after time.Time) (testrun.Question, error) {
	row, err := s.store.Client(ctx).TestQuestion.Query().Where(withdrawnAfter(chatbotID, questionID, after)...).Only(scope.Workspace(ctx, workspaceID))
	if err != nil {
		return testrun.Question{}, store.MapError(err)
	}
	return questionFromRow(row), nil
}

// RestoreTestQuestion brings back a question that was withdrawn after a time.
func (s *WithdrawnTests) RestoreTestQuestion(ctx context.Context, workspaceID, chatbotID, questionID string, after time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.TestQuestion.Update().Where(withdrawnAfter(chatbotID, questionID, after)...).ClearRemovedAt().Save(ctx))
	})
}

// DeleteWithdrawn deletes the questions of any workspace that were not withdrawn after a
// time, each in a transaction of its own. What comes back meanwhile stays.
func (s *WithdrawnTests) DeleteWithdrawn(ctx context.Context, access system.Access, until time.Time) error {
	rows, err := s.store.Client(ctx).TestQuestion.Query().Where(testquestion.RemovedAtLTE(until)).
		Order(testquestion.ByRemovedAt()).Limit(testrun.MaxQuestions).All(scope.System(ctx, access))
	if err != nil {
		return store.MapError(err)
	}
	for _, row := range rows {
		err := s.store.Write(scope.Workspace(ctx, row.WorkspaceID), func(ctx context.Context, db *ent.Client) error {
			_, err := db.TestQuestion.Delete().Where(testquestion.ID(row.ID), testquestion.RemovedAtLTE(until)).Exec(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
