package testrun

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/insight"
	"parley/core/plan"
	"parley/core/system"
	"parley/core/tenant"
)

// shelf keeps one chatbot's test questions in memory, and answers them.
type shelf struct {
	now       time.Time
	questions []Question
	runs      []Run // oldest first
	results   []Result
	tested    []Tested
	says      map[string]string
	fails     error
	asked     int
	knowledge string
	spent     error
	instead   func()
	cites     string
	model     string
}

func (s *shelf) InTx(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }

func (s *shelf) LockWorkspace(context.Context, string) (tenant.Workspace, error) {
	return tenant.Workspace{}, nil
}

func (s *shelf) TestQuestions(context.Context, string, string) ([]Question, error) {
	return slices.DeleteFunc(slices.Clone(s.questions), func(q Question) bool { return q.RemovedAt != nil }), nil
}

func (s *shelf) WithdrawTestQuestion(_ context.Context, _, _, questionID string, at time.Time) error {
	for i, q := range s.questions {
		if q.ID == questionID && q.RemovedAt == nil {
			s.questions[i].RemovedAt = &at
			return nil
		}
	}
	return errNoQuestion
}

func (s *shelf) WithdrawnTestQuestion(_ context.Context, _, _, questionID string, after time.Time) (Question, error) {
	for _, q := range s.questions {
		if q.ID == questionID && q.RemovedAt != nil && q.RemovedAt.After(after) {
			return q, nil
		}
	}
	return Question{}, errNoQuestion
}

func (s *shelf) RestoreTestQuestion(_ context.Context, _, _, questionID string, _ time.Time) error {
	for i := range s.questions {
		if s.questions[i].ID == questionID {
			s.questions[i].RemovedAt = nil
		}
	}
	return nil
}

func (s *shelf) DeleteWithdrawn(_ context.Context, _ system.Access, until time.Time) error {
	s.questions = slices.DeleteFunc(s.questions, func(q Question) bool { return q.RemovedAt != nil && !q.RemovedAt.After(until) })
	return nil
}

func (s *shelf) CreateTestQuestion(_ context.Context, _ string, q Question) error {
	s.questions = append(s.questions, q)
	return nil
}

func (s *shelf) UpdateTestQuestion(_ context.Context, _ string, q Question) error {
	for i := range s.questions {
		if s.questions[i].ID == q.ID {
			s.questions[i] = q
		}
	}
	return nil
}

func (s *shelf) DeleteTestQuestion(context.Context, string, string, string) error { return nil }

func (s *shelf) TestRuns(_ context.Context, _, _ string, limit int) ([]Run, error) {
	runs := slices.Clone(s.runs)
	slices.Reverse(runs)
	return runs[:min(limit, len(runs))], nil
}

func (s *shelf) CreateTestRun(_ context.Context, _ string, run Run) error {
	s.runs = append(s.runs, run)
	return nil
}

func (s *shelf) UpdateTestRun(_ context.Context, _ string, run Run) error {
	for i := range s.runs {
		if s.runs[i].ID == run.ID && !s.runs[i].Ended() {
			s.runs[i] = run
			return nil
		}
	}
	return errNoRun
}

func (s *shelf) CancelTestRun(_ context.Context, _, _, runID string, at time.Time) error {
	for i := range s.runs {
		if s.runs[i].ID == runID && !s.runs[i].Ended() {
			s.runs[i].State, s.runs[i].DueAt, s.runs[i].EndedAt = Canceled, nil, &at
			return nil
		}
	}
	return errNoRun
}

func (s *shelf) AnsweredFrom(context.Context, string, string) (string, int, error) {
	return s.knowledge, len(s.knowledge), nil
}

func (s *shelf) Take(ctx context.Context, _ Run, question string) (*quota.Ticket, error) {
	if s.spent != nil {
		return nil, s.spent
	}
	p := plan.Plan{Limits: plan.Limits{MessageChars: maxQuestion, PlaygroundPerMonth: plan.Unlimited}}
	return quota.New(nil, time.Now).Take(ctx, "ws", "cb", chat.Playground, p, question)
}

func (s *shelf) TestResults(_ context.Context, _, runID string, _ bool) (found []Result, err error) {
	for _, r := range s.results {
		if r.RunID == runID {
			found = append(found, r)
		}
	}
	return found, nil
}

func (s *shelf) AddTestResult(ctx context.Context, ws string, run Run, r Result) error {
	if err := s.UpdateTestRun(ctx, ws, run); err != nil {
		return err
	}
	s.results = append(s.results, r)
	return nil
}

func (s *shelf) DeleteTestRun(_ context.Context, _, runID string) error {
	s.runs = slices.DeleteFunc(s.runs, func(r Run) bool { return r.ID == runID })
	return nil
}

func (s *shelf) TrimTestRuns(context.Context, string, string, int) error { return nil }

func (s *shelf) ClaimTestRun(_ context.Context, _ system.Access, now, until time.Time) (Run, error) {
	for i := range s.runs {
		if due := s.runs[i].DueAt; due != nil && !due.After(now) {
			s.runs[i].State, s.runs[i].DueAt = Running, &until
			s.runs[i].Begun++
			return s.runs[i], nil
		}
	}
	return Run{}, fault.New(fault.NotFound, "None.")
}

func (s *shelf) Tested(context.Context, system.Access) ([]Tested, error) { return s.tested, nil }

func (s *shelf) Get(context.Context, string, string) (chatbot.Chatbot, error) {
	return chatbot.Chatbot{ID: "cb"}, nil
}

func (s *shelf) Ask(_ context.Context, _ chatbot.Chatbot, ticket *quota.Ticket) (insight.Reply, error) {
	question, err := ticket.Spend("ws")
	if err != nil {
		return insight.Reply{}, err
	}
	s.asked++
	s.now = s.now.Add(time.Second)
	if s.instead != nil {
		s.instead()
	}
	text, known := s.says[question]
	outcome := chat.Answered
	if !known {
		outcome = chat.NoAnswer
	}
	made := answer.Answer{Text: text, Citations: []answer.Citation{{Number: 1, Cited: true, Title: s.cites}}}
	made.Record.Model = s.model
	made.Record.Usage, made.Record.Total = answer.Usage{PromptTokens: 30, CompletionTokens: 4}, time.Second
	return insight.Reply{Answer: made, Outcome: outcome}, s.fails
}

func newShelf() (*shelf, *Service) {
	s := &shelf{now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), says: map[string]string{"When?": "At   TEN\no'clock."}}
	service := New(Ports{Transactions: s, Questions: s, Removals: s, Runs: s, Due: s, Chatbots: s, Asker: s, Budget: s}, func() time.Time { return s.now }, rand.NewChaCha8([32]byte{}), slog.New(slog.NewTextHandler(io.Discard, nil)))
	return s, service
}

func (s *shelf) add(t *testing.T, service *Service, wanted Wanted) {
	t.Helper()
	if _, err := service.Add(t.Context(), "ws", "cb", wanted, "ada@example.com"); err != nil {
		t.Fatal(err)
	}
}
