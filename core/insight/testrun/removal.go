package testrun

import (
	"context"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/system"
)

// undoFor is how long at least a removal on a page can be undone: as long as the removal
// of a document.
const undoFor = knowledge.UndoFor

// Removal is the port to test questions that were removed and can be brought back. A
// missing row is a NotFound fault.
type Removal interface {
	// WithdrawTestQuestion removes a test question, with its results, from all that
	// [QuestionStore] and [RunStore] return, and keeps it until it is deleted.
	WithdrawTestQuestion(ctx context.Context, workspaceID, chatbotID, questionID string, at time.Time) error
	// WithdrawnTestQuestion returns a question that was withdrawn after a time.
	WithdrawnTestQuestion(ctx context.Context, workspaceID, chatbotID, questionID string, after time.Time) (Question, error)
	// RestoreTestQuestion brings back a question that was withdrawn after a time.
	RestoreTestQuestion(ctx context.Context, workspaceID, chatbotID, questionID string, after time.Time) error
	// DeleteWithdrawn deletes the questions of any workspace that were not withdrawn
	// after a time, with their results.
	DeleteWithdrawn(ctx context.Context, access system.Access, until time.Time) error
}

var (
	errTooLate    = fault.New(fault.Conflict, "It is too late to undo this. Add the test question again.")
	errAddedAgain = fault.New(fault.Conflict, "This question has been added again meanwhile.")
)

// Withdraw removes a test question with its results. For ten seconds [Service.Undo]
// brings it back.
func (s *Service) Withdraw(ctx context.Context, workspaceID, chatbotID, questionID string) error {
	return orNotFound(s.removals.WithdrawTestQuestion(ctx, workspaceID, chatbotID, questionID, s.now()))
}

// Undo brings back a question that was withdrawn, with its results. It is a Conflict
// fault if that is not possible any more.
func (s *Service) Undo(ctx context.Context, workspaceID, chatbotID, questionID string) error {
	return s.underLock(ctx, workspaceID, func(ctx context.Context) error {
		after := s.now().Add(-undoFor)
		withdrawn, err := s.removals.WithdrawnTestQuestion(ctx, workspaceID, chatbotID, questionID, after)
		if err != nil {
			return tooLate(err)
		}
		known, err := s.Questions(ctx, workspaceID, chatbotID)
		if err != nil {
			return err
		}
		if len(known) >= MaxQuestions {
			return fault.New(fault.Conflict, "A chatbot has at most %d test questions, and there are as many again.", MaxQuestions)
		}
		for _, q := range known {
			if q.CreatedAt.After(*withdrawn.RemovedAt) && folded(q.Wanted.Question) == folded(withdrawn.Wanted.Question) {
				return errAddedAgain
			}
		}
		return tooLate(s.removals.RestoreTestQuestion(ctx, workspaceID, chatbotID, questionID, after))
	})
}

func tooLate(err error) error {
	if fault.Is(err, fault.NotFound) {
		return errTooLate
	}
	return err
}

// orNotFound turns a missing row into the error for a missing test question.
func orNotFound(err error) error {
	if fault.Is(err, fault.NotFound) {
		return errNoQuestion
	}
	return err
}
