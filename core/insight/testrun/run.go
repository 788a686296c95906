package testrun

import (
	"context"
	"io"
	"log/slog"
	"time"

	"parley/core/answer"
	"parley/core/chat"
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
)

// Run asks all test questions of a chatbot once.
type Run struct {
	ID, WorkspaceID, ChatbotID string
	Cause                      Cause
	State                      State
	// Reason is why a run failed, for a person.
	Reason        string
	Passed, Total int
	// DueAt is when the run is to go on. Nil when it has ended.
	DueAt, EndedAt *time.Time
	CreatedAt      time.Time
}

// Ended reports whether nothing of the run is left to do.
func (r Run) Ended() bool { return r.State == Done || r.State == Failed }

// Result is what a test question was answered in a run.
type Result struct {
	RunID, QuestionID string
	Passed            bool
	Outcome           chat.Outcome
	Answer            string
	Citations         []answer.Citation
	At                time.Time
}

// Store is the port to test questions and their runs. A missing row is a NotFound
// fault.
type Store interface {
	// InTx runs fn in one transaction; calls inside it join.
	InTx(ctx context.Context, fn func(context.Context) error) error
	LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
	// TestQuestions returns a chatbot's test questions, oldest first.
	TestQuestions(ctx context.Context, workspaceID, chatbotID string) ([]Question, error)
	CreateTestQuestion(ctx context.Context, workspaceID string, question Question) error
	DeleteTestQuestion(ctx context.Context, workspaceID, chatbotID, questionID string) error
	// TestRuns returns a chatbot's runs, newest first.
	TestRuns(ctx context.Context, workspaceID, chatbotID string, limit int) ([]Run, error)
	CreateTestRun(ctx context.Context, workspaceID string, run Run) error
	// UpdateTestRun writes the state of a run, and how it went so far.
	UpdateTestRun(ctx context.Context, workspaceID string, run Run) error
	// TestResults returns the results of a run.
	TestResults(ctx context.Context, workspaceID, runID string) ([]Result, error)
	AddTestResult(ctx context.Context, workspaceID string, result Result) error
	// TrimTestRuns deletes all but a chatbot's newest runs.
	TrimTestRuns(ctx context.Context, workspaceID, chatbotID string, keep int) error
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
	Store    Store
	Due      Due
	Chatbots Chatbots
	Asker    Asker
}

// Service keeps test questions and runs them.
type Service struct {
	store    Store
	due      Due
	chatbots Chatbots
	asker    Asker
	now      func() time.Time
	random   io.Reader
	log      *slog.Logger
	// seen is what chatbots answered from and by when they were last looked at.
	seen map[string]Tested
}

// New returns the service over its ports.
func New(p Ports, now func() time.Time, random io.Reader, log *slog.Logger) *Service {
	return &Service{store: p.Store, due: p.Due, chatbots: p.Chatbots, asker: p.Asker, now: now, random: random, log: log}
}

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

var errUnderWay = fault.New(fault.Conflict, "The test questions are being asked already.")

// Start has the test questions asked now.
func (s *Service) Start(ctx context.Context, workspaceID, chatbotID string) error {
	return s.schedule(ctx, workspaceID, chatbotID, ByPerson, s.now())
}

// schedule makes a run due at a time. A run that waits gets the time; one by a
// person begins at once, unless another is under way.
func (s *Service) schedule(ctx context.Context, workspaceID, chatbotID string, cause Cause, at time.Time) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.store.LockWorkspace(ctx, workspaceID); err != nil {
			return err
		}
		questions, err := s.store.TestQuestions(ctx, workspaceID, chatbotID)
		if err != nil {
			return err
		}
		if len(questions) == 0 {
			if cause == ByPerson {
				return fault.New(fault.Conflict, "Add a test question first.")
			}
			return nil
		}
		runs, err := s.store.TestRuns(ctx, workspaceID, chatbotID, 2)
		if err != nil {
			return err
		}
		for _, run := range runs {
			switch {
			case run.State == Waiting:
				run.DueAt = &at
				return s.store.UpdateTestRun(ctx, workspaceID, run)
			case run.State == Running && cause == ByPerson:
				return errUnderWay
			}
		}
		return s.store.CreateTestRun(ctx, workspaceID, Run{
			ID: id.New(s.random, "tr"), WorkspaceID: workspaceID, ChatbotID: chatbotID, Cause: cause, State: Waiting,
			Total: len(questions), DueAt: &at, CreatedAt: s.now(),
		})
	})
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
		if err := s.schedule(ctx, now.WorkspaceID, now.ChatbotID, cause, s.now().Add(settle)); err != nil {
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
	questions, err := s.store.TestQuestions(ctx, run.WorkspaceID, run.ChatbotID)
	if err != nil {
		return err
	}
	results, err := s.store.TestResults(ctx, run.WorkspaceID, run.ID)
	if err != nil {
		return err
	}
	asked := map[string]bool{}
	run.Passed, run.Total = 0, len(questions)
	for _, r := range results {
		asked[r.QuestionID] = true
		run.count(r)
	}
	if err := bot.Writable(); err != nil {
		return s.end(ctx, run, Failed, fault.As(err).Message)
	}
	until := s.now().Add(slice)
	for _, q := range questions {
		if asked[q.ID] {
			continue
		}
		if !s.now().Before(until) {
			now := s.now()
			run.DueAt = &now
			return s.store.UpdateTestRun(ctx, run.WorkspaceID, run)
		}
		result, err := s.ask(ctx, bot, run, q)
		if ctx.Err() != nil {
			return context.Cause(ctx) // another process goes on when the lease ends
		}
		if err != nil {
			return s.end(ctx, run, Failed, fault.As(err).Message)
		}
		if err := s.store.AddTestResult(ctx, run.WorkspaceID, result); err != nil && !fault.Is(err, fault.Conflict) {
			return err // but for a question that was removed meanwhile
		}
		run.count(result)
	}
	return s.end(ctx, run, Done, "")
}

func (r *Run) count(result Result) {
	if result.Passed {
		r.Passed++
	}
}

func (s *Service) ask(ctx context.Context, bot chatbot.Chatbot, run Run, q Question) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	reply, err := s.asker.Ask(ctx, bot, q.Question)
	return Result{
		RunID: run.ID, QuestionID: q.ID, Passed: q.passes(reply), Outcome: reply.Outcome, Answer: reply.Text,
		Citations: reply.Citations, At: s.now(),
	}, err
}

// end settles a run.
func (s *Service) end(ctx context.Context, run Run, state State, reason string) error {
	now := s.now()
	run.State, run.Reason, run.DueAt, run.EndedAt = state, reason, nil, &now
	if err := s.store.UpdateTestRun(ctx, run.WorkspaceID, run); err != nil {
		return err
	}
	return s.store.TrimTestRuns(ctx, run.WorkspaceID, run.ChatbotID, keptRuns)
}
