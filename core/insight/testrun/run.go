package testrun

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/insight"
	"parley/core/tenant"
	"parley/internal/id"
)

// Cause says why a run was made.
type Cause string

// The causes.
const (
	ByKnowledge Cause = "knowledge"
	BySettings  Cause = "settings"
	ByPerson    Cause = "person"
)

// State is where a run stands.
type State string

// The states of a run.
const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
	// Canceled is a run that a person ended.
	Canceled State = "canceled"
)

// Run asks all test questions of a chatbot once.
type Run struct {
	ID, WorkspaceID, ChatbotID string
	Cause                      Cause
	// By is the address of who started it, or empty for a run after a change.
	By    string
	State State
	// Reason is why a run failed, for a person.
	Reason string
	// Total is how many questions there were, and Figures how those that have been asked
	// were answered.
	Total int
	Figures
	// Knowledge tells what was answered from from other knowledge, KnownDocuments counts
	// it, and Settings are the chatbot's: all as they were when the run began.
	Knowledge      string
	KnownDocuments int
	Settings       chatbot.Settings
	// DueAt is when the run is to go on. Nil when it has ended.
	DueAt, EndedAt *time.Time
	CreatedAt      time.Time
}

// Ended reports whether nothing of the run is left to do.
func (r Run) Ended() bool { return r.State != Waiting && r.State != Running }

// Transactions is the port to transactions.
type Transactions interface {
	// InTx runs fn in one transaction; calls inside it join.
	InTx(ctx context.Context, fn func(context.Context) error) error
	LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
}

// QuestionStore is the port to test questions. A missing row is a NotFound fault.
type QuestionStore interface {
	// TestQuestions returns a chatbot's test questions, oldest first.
	TestQuestions(ctx context.Context, workspaceID, chatbotID string) ([]Question, error)
	CreateTestQuestion(ctx context.Context, workspaceID string, question Question) error
	UpdateTestQuestion(ctx context.Context, workspaceID string, question Question) error
	DeleteTestQuestion(ctx context.Context, workspaceID, chatbotID, questionID string) error
}

// RunStore is the port to runs. A missing row is a NotFound fault.
type RunStore interface {
	// TestRuns returns a chatbot's runs, newest first.
	TestRuns(ctx context.Context, workspaceID, chatbotID string, limit int) ([]Run, error)
	CreateTestRun(ctx context.Context, workspaceID string, run Run) error
	// UpdateTestRun writes the state of a run that has not ended, and how it went so
	// far. It is NotFound for one that has.
	UpdateTestRun(ctx context.Context, workspaceID string, run Run) error
	// CancelTestRun ends a run of a chatbot. It is NotFound for one that has ended.
	CancelTestRun(ctx context.Context, workspaceID, chatbotID, runID string, at time.Time) error
	// TestResults returns the results of a run.
	TestResults(ctx context.Context, workspaceID, runID string) ([]Result, error)
	// DeleteTestRun deletes a run with its results, if it is there.
	DeleteTestRun(ctx context.Context, workspaceID, runID string) error
	// AddTestResult adds a result, writes the run as UpdateTestRun does, and counts the
	// question in its month, if it counts. It is a Conflict if the question is gone.
	AddTestResult(ctx context.Context, workspaceID string, run Run, result Result, counts Counting) error
	// TrimTestRuns deletes all but a chatbot's newest runs.
	TrimTestRuns(ctx context.Context, workspaceID, chatbotID string, keep int) error
	// AnsweredFrom returns a text that changes with the knowledge of a chatbot, and how
	// many documents it answers from.
	AnsweredFrom(ctx context.Context, workspaceID, chatbotID string) (version string, documents int, err error)
}

// Due is the port to what is due in any workspace.
type Due interface {
	// ClaimTestRun returns a run of any workspace that is due, which nobody else
	// claims until a time. It is NotFound if there is none.
	ClaimTestRun(ctx context.Context, now, until time.Time) (Run, error)
	// Tested returns the chatbots of any workspace that have test questions, each
	// with what it answers from and by.
	Tested(ctx context.Context) ([]Tested, error)
}

// Tested is a chatbot that has test questions.
type Tested struct {
	WorkspaceID, ChatbotID string
	// Knowledge and Settings change whenever what the chatbot answers from, and how
	// it answers, changes.
	Knowledge, Settings string
}

// Chatbots is the port to chatbots.
type Chatbots interface {
	Get(ctx context.Context, workspaceID, chatbotID string) (chatbot.Chatbot, error)
}

// Asker is the port to answers that nobody keeps.
type Asker interface {
	Ask(ctx context.Context, bot chatbot.Chatbot, question string) (insight.Reply, error)
}

// Ports are what [New] needs.
type Ports struct {
	Transactions Transactions
	Questions    QuestionStore
	Runs         RunStore
	Due          Due
	Chatbots     Chatbots
	Asker        Asker
	Budget       Budget
}

// Service keeps test questions and runs them.
type Service struct {
	tx        Transactions
	questions QuestionStore
	runs      RunStore
	due       Due
	chatbots  Chatbots
	asker     Asker
	budget    Budget
	now       func() time.Time
	random    io.Reader
	log       *slog.Logger
	// seen is what chatbots answered from and by when they were last looked at.
	seen map[string]Tested
}

// New returns the service over its ports.
func New(p Ports, now func() time.Time, random io.Reader, log *slog.Logger) *Service {
	return &Service{
		tx: p.Transactions, questions: p.Questions, runs: p.Runs, due: p.Due, chatbots: p.Chatbots, asker: p.Asker, budget: p.Budget,
		now: now, random: random, log: log,
	}
}

// MostFailures is how many questions in a row may get no answer before a run ends: then it
// is not the questions that are wrong.
const MostFailures = 5

const (
	// settle is how long nothing must have changed before a run begins.
	settle = 10 * time.Second
	// slice is how long a run has the worker before others have their turn.
	slice = 20 * time.Second
	// patience is how long one answer may take, and lease how long a run is left to
	// the process that claimed it: longer than a slice and an answer.
	patience = 90 * time.Second
	lease    = 3 * time.Minute
	// keptRuns is how many runs of a chatbot are kept.
	keptRuns = 20
)

var (
	errUnderWay = fault.New(fault.Conflict, "The test questions are being asked already.")
	errNone     = fault.New(fault.Conflict, "Add a test question first.")
	errEnded    = fault.New(fault.Conflict, "No run is under way.")
)

// Start has the test questions asked now, and returns the run.
func (s *Service) Start(ctx context.Context, workspaceID, chatbotID, by string) (Run, error) {
	return s.schedule(ctx, Run{WorkspaceID: workspaceID, ChatbotID: chatbotID, Cause: ByPerson, By: by}, s.now())
}

// Cancel ends a run that waits or runs. The question that is being asked is the last.
func (s *Service) Cancel(ctx context.Context, workspaceID, chatbotID, runID string) error {
	runs, err := s.Runs(ctx, workspaceID, chatbotID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(runs, func(r Run) bool { return r.ID == runID }) {
		return errNoRun
	}
	err = s.runs.CancelTestRun(ctx, workspaceID, chatbotID, runID, s.now())
	if fault.Is(err, fault.NotFound) {
		return errEnded
	}
	return err
}

// schedule makes a run due at a time. A run that waits gets the time; one by a
// person begins at once, unless another is under way.
func (s *Service) schedule(ctx context.Context, wanted Run, at time.Time) (run Run, err error) {
	err = s.alone(ctx, wanted.WorkspaceID, func(ctx context.Context) error {
		questions, err := s.Questions(ctx, wanted.WorkspaceID, wanted.ChatbotID)
		if err != nil {
			return err
		}
		if len(questions) == 0 {
			if wanted.Cause == ByPerson {
				return errNone
			}
			return nil
		}
		runs, err := s.runs.TestRuns(ctx, wanted.WorkspaceID, wanted.ChatbotID, 2)
		if err != nil {
			return err
		}
		for _, run = range runs {
			switch {
			case run.State == Waiting:
				run.DueAt = &at
				if wanted.Cause == ByPerson {
					run.Cause, run.By = ByPerson, wanted.By
				}
				return s.runs.UpdateTestRun(ctx, wanted.WorkspaceID, run)
			case run.State == Running && wanted.Cause == ByPerson:
				return errUnderWay
			}
		}
		run = wanted
		run.ID, run.State, run.Total, run.DueAt, run.CreatedAt = id.New(s.random, "tr"), Waiting, len(questions), &at, s.now()
		return s.runs.CreateTestRun(ctx, wanted.WorkspaceID, run)
	})
	return run, err
}

// Watch makes a run due for each chatbot that has changed since it was last
// looked at. Every process watches: their runs are the same one. It is for one
// goroutine.
func (s *Service) Watch(ctx context.Context) error {
	tested, err := s.due.Tested(ctx)
	if err != nil {
		return err
	}
	seen := make(map[string]Tested, len(tested))
	for _, now := range tested {
		before, known := s.seen[now.ChatbotID]
		seen[now.ChatbotID] = now
		if !known || before == now {
			continue
		}
		cause := ByKnowledge
		if before.Settings != now.Settings {
			cause = BySettings
		}
		run := Run{WorkspaceID: now.WorkspaceID, ChatbotID: now.ChatbotID, Cause: cause}
		if _, err := s.schedule(ctx, run, s.now().Add(settle)); err != nil {
			seen[now.ChatbotID] = before // again, next time
			s.log.Warn("test questions not scheduled", "chatbot_id", now.ChatbotID, "error", err)
		}
	}
	s.seen = seen
	return nil
}

// Work asks the test questions that are due, run by run, until none is. A run
// that takes long waits for others that are due.
func (s *Service) Work(ctx context.Context) error {
	for ctx.Err() == nil {
		run, err := s.due.ClaimTestRun(ctx, s.now(), s.now().Add(lease))
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

// advance asks questions of a run that have no result yet, for one slice.
func (s *Service) advance(ctx context.Context, run Run) error {
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
			run.DueAt = &now
			return notEnded(s.runs.UpdateTestRun(ctx, run.WorkspaceID, run))
		}
		refused, err := s.ask(ctx, bot, &run, q)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx) // another process goes on when the lease ends
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

// resume counts what a run has asked, and returns what is left. A run that begins keeps
// what is answered from and how.
func (s *Service) resume(ctx context.Context, bot chatbot.Chatbot, run *Run, questions []Question) (left []Question, err error) {
	asked, err := s.resultsOf(ctx, run.WorkspaceID, run)
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
	run.Settings = bot.Settings()
	run.Knowledge, run.KnownDocuments, err = s.runs.AnsweredFrom(ctx, run.WorkspaceID, run.ChatbotID)
	return left, err
}

// ask asks a question of a run and stores the result. A question that gets no answer has
// a result, too, and counts in no month. What is refused ends the run; err says that
// the result could not be stored.
func (s *Service) ask(ctx context.Context, bot chatbot.Chatbot, run *Run, q Question) (refused, err error) {
	ticket, err := s.budget.Take(ctx, *run)
	if err != nil {
		return err, nil
	}
	defer func() { ticket.Drop(err) }() // what was stored is kept
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	reply, failure := s.asker.Ask(asking, bot, q.Wanted.Question)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	now := s.now()
	result, counts := q.Judge(reply), countingOf(ticket, now)
	if failure != nil {
		s.log.Warn("test question got no answer", "chatbot_id", bot.ID, "run_id", run.ID, "error", failure)
		result, counts = Unanswered(failure), Counting{}
	}
	result.RunID, result.QuestionID, result.At = run.ID, q.ID, now
	with := *run
	with.Add(q.Wanted, result)
	err = s.runs.AddTestResult(ctx, run.WorkspaceID, with, result, counts)
	if fault.Is(err, fault.Conflict) {
		return nil, nil // the question was removed meanwhile
	}
	if err != nil {
		return nil, err
	}
	if failure == nil {
		ticket.Keep()
	}
	*run = with
	return nil, nil
}

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
