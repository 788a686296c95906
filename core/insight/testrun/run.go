package testrun

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/system"
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
	// Knowledge identifies the state of the documents, KnownDocuments counts
	// it, Settings are the chatbot's, and Program is the version of this program: all as
	// they were when the run began. Program is empty where it is not known.
	Knowledge      string
	KnownDocuments int
	Settings       chatbot.Settings
	Program        string
	// Begun counts slices in a row that began and did not end, because the process
	// ended.
	Begun int
	// DueAt is when the run is to go on. Nil when it has ended.
	DueAt, EndedAt *time.Time
	CreatedAt      time.Time
}

// Ended reports whether nothing of the run is left to do.
func (r Run) Ended() bool { return r.State != Waiting && r.State != Running }

// Service keeps test questions and runs them.
type Service struct {
	tx        Transactions
	questions QuestionStore
	removals  Removal
	runs      RunStore
	due       Due
	system    system.Access
	chatbots  Chatbots
	asker     Asker
	budget    Budget
	program   string
	now       func() time.Time
	random    io.Reader
	log       *slog.Logger
	// seen has the documents and settings of chatbots at the last look.
	seen map[string]Tested
}

// New returns the service over its ports.
func New(p Ports, now func() time.Time, random io.Reader, log *slog.Logger) *Service {
	return &Service{
		tx: p.Transactions, questions: p.Questions, removals: p.Removals, runs: p.Runs, due: p.Due, system: p.System, chatbots: p.Chatbots, asker: p.Asker, budget: p.Budget,
		program: p.Program, now: now, random: random, log: log,
	}
}

// MostFailures is how many questions in a row may get no answer before a run ends: then it
// is not the questions that are wrong.
const MostFailures = 5

const (
	// settle is how long nothing must have changed before a run begins.
	settle = 10 * time.Second
	// slice is how long a run has the worker before the next run has it.
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
	err = s.underLock(ctx, wanted.WorkspaceID, func(ctx context.Context) error {
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
	tested, err := s.due.Tested(ctx, s.system)
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
			s.log.Log(ctx, fault.Level(err), "test questions not scheduled", "chatbot_id", now.ChatbotID, "error", err)
		}
	}
	s.seen = seen
	return nil
}
