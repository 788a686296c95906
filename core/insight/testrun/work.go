package testrun

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/insight"
)

// Work asks the test questions that are due, run by run, until none is. A run
// that takes long waits for others that are due. It deletes removed questions, too.
func (s *Service) Work(ctx context.Context) error {
	if err := s.removals.DeleteWithdrawn(ctx, s.system, s.now().Add(-undoFor)); err != nil {
		return err
	}
	for ctx.Err() == nil {
		run, err := s.due.ClaimTestRun(ctx, s.system, s.now(), s.now().Add(lease))
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.advance(ctx, run); err != nil {
			return err
		}
	}
	return nil
}

// mostBegun is how many slices of a run may end the process before one has a result.
const mostBegun = 3

// advance asks questions of a run that have no result yet, for one slice. A result, or the end of
// the slice, begins the count of slices anew.
func (s *Service) advance(ctx context.Context, run Run) (err error) {
	if run.Begun > mostBegun {
		return s.end(ctx, run, Failed, fmt.Sprintf("The server stopped while it asked the next question, %d times in a row. Change or remove that question.", mostBegun))
	}
	defer func() {
		if err != nil { // this process lives, even if it stops
			run.Begun--
			stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			err = errors.Join(err, notEnded(s.runs.UpdateTestRun(stopping, run.WorkspaceID, run)))
		}
	}()
	bot, err := s.chatbots.Get(ctx, run.WorkspaceID, run.ChatbotID)
	if err != nil {
		return err
	}
	questions, err := s.Questions(ctx, run.WorkspaceID, run.ChatbotID)
	if err != nil {
		return err
	}
	left, err := s.resume(ctx, bot, &run, questions)
	if err != nil {
		return err
	}
	if err := bot.Writable(); err != nil {
		return s.end(ctx, run, Failed, fault.As(err).Message)
	}
	until := s.now().Add(slice)
	for _, q := range left {
		if !s.now().Before(until) {
			now := s.now()
			run.DueAt, run.Begun = &now, 0
			return notEnded(s.runs.UpdateTestRun(ctx, run.WorkspaceID, run))
		}
		refused, err := s.ask(ctx, bot, &run, q)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx) // another process goes on when the lease ends
		case isNotReady(refused): // it goes on where it is
			due := s.now().Add(max(fault.As(refused).RetryAfter, pauseNotReady))
			run.DueAt, run.Begun = &due, 0
			return notEnded(s.runs.UpdateTestRun(ctx, run.WorkspaceID, run))
		case refused != nil:
			return s.refuse(ctx, run, fault.As(refused).Message)
		case fault.Is(err, fault.NotFound):
			return nil // it was canceled
		case err != nil:
			return err
		case run.FailedLast >= MostFailures:
			return s.end(ctx, run, Failed, fmt.Sprintf("%d questions in a row got no answer. %s", MostFailures, run.Failure))
		}
	}
	if run.Failed > 0 && run.Judged() == 0 {
		return s.end(ctx, run, Failed, run.Failure)
	}
	return s.end(ctx, run, Done, "")
}

// resume counts the questions that a run has asked, and returns the others. A run that begins
// notes the documents and the settings.
func (s *Service) resume(ctx context.Context, bot chatbot.Chatbot, run *Run, questions []Question) (left []Question, err error) {
	asked, err := s.resultsOf(ctx, run.WorkspaceID, run, false)
	if err != nil {
		return nil, err
	}
	run.Total, run.Figures = len(questions), Figures{}
	for _, q := range questions {
		if r := asked[q.ID]; r != nil {
			run.Add(q.Wanted, *r)
		} else {
			left = append(left, q)
		}
	}
	if len(asked) > 0 {
		return left, nil
	}
	run.Settings, run.Program = bot.Settings(), s.program
	run.Knowledge, run.KnownDocuments, err = s.runs.AnsweredFrom(ctx, run.WorkspaceID, run.ChatbotID)
	return left, err
}

// ask asks a question of a run and stores the result. A question that gets no answer has
// a result, too, and counts in no month. What is refused ends the run; err says that
// the result could not be stored.
func (s *Service) ask(ctx context.Context, bot chatbot.Chatbot, run *Run, q Question) (refused, err error) {
	var reply insight.Reply
	ticket, failure := s.budget.Take(ctx, *run, q.Wanted.Question)
	switch {
	case failure == nil:
		asking, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		reply, failure = s.asker.Ask(asking, bot, ticket)
	case !fault.Is(failure, fault.Invalid): // else the plan admits no such question
		return failure, nil
	}
	if isNotReady(failure) {
		return failure, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	result := q.Judge(reply)
	if failure != nil {
		s.log.Log(ctx, fault.Level(failure), "test question got no answer", "chatbot_id", bot.ID, "run_id", run.ID, "error", failure)
		result = Unanswered(failure)
	}
	result.RunID, result.QuestionID, result.At = run.ID, q.ID, s.now()
	with := *run
	with.Begun = 1
	with.Add(q.Wanted, result)
	err = s.runs.AddTestResult(ctx, run.WorkspaceID, with, result)
	if fault.Is(err, fault.Conflict) {
		return nil, nil // the question was removed meanwhile
	}
	if err != nil {
		return nil, err
	}
	*run = with
	return nil, nil
}

// pauseNotReady is how long a run waits at least for the documents of its chatbot.
const pauseNotReady = 2 * time.Second

// isNotReady reports whether a question found the index without all documents of the chatbot.
func isNotReady(err error) bool { return err != nil && fault.As(err).Code() == fault.IndexNotReady }

// refuse ends a run for which no more questions are admitted. One after a change that
// has asked none says nothing, and is no reason to forget an older one.
func (s *Service) refuse(ctx context.Context, run Run, reason string) error {
	if run.Asked == 0 && run.Cause != ByPerson {
		return s.runs.DeleteTestRun(ctx, run.WorkspaceID, run.ID)
	}
	return s.end(ctx, run, Failed, reason)
}

// end settles a run.
func (s *Service) end(ctx context.Context, run Run, state State, reason string) error {
	now := s.now()
	run.State, run.Reason, run.DueAt, run.EndedAt = state, reason, nil, &now
	if err := notEnded(s.runs.UpdateTestRun(ctx, run.WorkspaceID, run)); err != nil {
		return err
	}
	return s.runs.TrimTestRuns(ctx, run.WorkspaceID, run.ChatbotID, keptRuns)
}

// notEnded leaves out that a run was canceled meanwhile.
func notEnded(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}
