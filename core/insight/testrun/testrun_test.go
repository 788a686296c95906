package testrun

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/insight"
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
}

func (s *shelf) InTx(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }
func (s *shelf) LockWorkspace(context.Context, string) (tenant.Workspace, error) {
	return tenant.Workspace{}, nil
}

func (s *shelf) TestQuestions(context.Context, string, string) ([]Question, error) {
	return s.questions, nil
}

func (s *shelf) CreateTestQuestion(_ context.Context, _ string, q Question) error {
	s.questions = append(s.questions, q)
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
		if s.runs[i].ID == run.ID {
			s.runs[i] = run
		}
	}
	return nil
}

func (s *shelf) TestResults(_ context.Context, _, runID string) (found []Result, err error) {
	for _, r := range s.results {
		if r.RunID == runID {
			found = append(found, r)
		}
	}
	return found, nil
}

func (s *shelf) AddTestResult(_ context.Context, _ string, r Result) error {
	s.results = append(s.results, r)
	return nil
}
func (s *shelf) TrimTestRuns(context.Context, string, string, int) error { return nil }

func (s *shelf) ClaimTestRun(_ context.Context, now, until time.Time) (Run, error) {
	for i := range s.runs {
		if due := s.runs[i].DueAt; due != nil && !due.After(now) {
			s.runs[i].State, s.runs[i].DueAt = Running, &until
			return s.runs[i], nil
		}
	}
	return Run{}, fault.New(fault.NotFound, "None.")
}
func (s *shelf) Tested(context.Context) ([]Tested, error) { return s.tested, nil }
func (s *shelf) Get(context.Context, string, string) (chatbot.Chatbot, error) {
	return chatbot.Chatbot{ID: "cb"}, nil
}

func (s *shelf) Ask(_ context.Context, _ chatbot.Chatbot, question string) (insight.Reply, error) {
	s.asked++
	s.now = s.now.Add(time.Second)
	text, known := s.says[question]
	outcome := chat.Answered
	if !known {
		outcome = chat.NoAnswer
	}
	return insight.Reply{Answer: answer.Answer{Text: text}, Outcome: outcome}, s.fails
}

func newShelf() (*shelf, *Service) {
	s := &shelf{now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), says: map[string]string{"When?": "At   TEN\no'clock."}}
	service := New(Ports{Store: s, Due: s, Chatbots: s, Asker: s}, func() time.Time { return s.now }, rand.NewChaCha8([32]byte{}), slog.New(slog.NewTextHandler(io.Discard, nil)))
	return s, service
}

func (s *shelf) add(t *testing.T, service *Service, wanted NewQuestion) {
	t.Helper()
	if _, err := service.Add(t.Context(), "ws", "cb", wanted); err != nil {
		t.Fatal(err)
	}
}

func TestRunsTellWhatAChangeBreaks(t *testing.T) {
	s, service := newShelf()
	s.add(t, service, NewQuestion{Question: "When?", Expects: AText, Expected: "at ten O'CLOCK"})
	s.add(t, service, NewQuestion{Question: "Who?", Expects: NoAnswer})
	s.add(t, service, NewQuestion{Question: "Why?", Expects: AnAnswer})
	run := func(passed int) {
		t.Helper()
		if err := service.Start(t.Context(), "ws", "cb"); err != nil {
			t.Fatal(err)
		}
		if err := service.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		last := s.runs[len(s.runs)-1]
		if last.State != Done || last.Passed != passed || last.Total != 3 || last.EndedAt == nil || last.DueAt != nil {
			t.Fatalf("the run is %+v", last)
		}
	}
	run(2)
	s.says = map[string]string{"When?": "Later.", "Why?": "Because."}
	run(2)
	o, err := service.Overview(t.Context(), "ws", "cb")
	if err != nil {
		t.Fatal(err)
	}
	when, who, why := o.Questions[0], o.Questions[1], o.Questions[2]
	if !when.Broken() || when.After.Answer != "Later." || who.Broken() || who.Mended() || !why.Mended() {
		t.Errorf("the overview is %+v", o.Questions)
	}
}

func TestARunWaitsUntilNothingChanges(t *testing.T) {
	s, service := newShelf()
	s.add(t, service, NewQuestion{Question: "When?", Expects: AnAnswer})
	see := func(knowledge, settings string) {
		t.Helper()
		s.tested = []Tested{{"ws", "cb", knowledge, settings}}
		if err := service.Watch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	see("1", "a") // as it is found
	if len(s.runs) != 0 {
		t.Fatal("nothing has changed")
	}
	see("2", "a")
	s.now = s.now.Add(settle - time.Second)
	see("3", "a")
	s.now = s.now.Add(2 * time.Second)
	if err := service.Work(t.Context()); err != nil || s.asked != 0 {
		t.Fatalf("it ran too early: %v", err)
	}
	s.now = s.now.Add(settle)
	if err := service.Work(t.Context()); err != nil || s.asked != 1 || len(s.runs) != 1 || s.runs[0].Cause != ByKnowledge {
		t.Errorf("there are %+v, %v", s.runs, err)
	}
	see("3", "b")
	if len(s.runs) != 2 || s.runs[1].Cause != BySettings {
		t.Errorf("there are %+v", s.runs)
	}
}

func TestALongRunLetsOthersHaveTheirTurn(t *testing.T) {
	s, service := newShelf()
	for range MaxQuestions {
		s.add(t, service, NewQuestion{Question: "When?", Expects: AnAnswer})
	}
	if _, err := service.Add(t.Context(), "ws", "cb", NewQuestion{Question: "One more?", Expects: AnAnswer}); !fault.Is(err, fault.Invalid) {
		t.Errorf("one too many: %v", err)
	}
	if err := service.Start(t.Context(), "ws", "cb"); err != nil {
		t.Fatal(err)
	}
	run, err := s.ClaimTestRun(t.Context(), s.now, s.now.Add(lease))
	if err != nil {
		t.Fatal(err)
	}
	if err := service.advance(t.Context(), run); err != nil || s.asked >= MaxQuestions || s.runs[0].State != Running || s.runs[0].DueAt.After(s.now) {
		t.Errorf("after %d questions it is %+v, %v", s.asked, s.runs[0], err)
	}
	if err := service.Start(t.Context(), "ws", "cb"); !fault.Is(err, fault.Conflict) {
		t.Errorf("begun twice: %v", err)
	}
	if err := service.Work(t.Context()); err != nil || s.asked != MaxQuestions || s.runs[0].Passed != MaxQuestions {
		t.Errorf("%d questions were asked, %+v, %v", s.asked, s.runs[0], err)
	}
}

func TestAModelThatFailsEndsARun(t *testing.T) {
	s, service := newShelf()
	s.add(t, service, NewQuestion{Question: "When?", Expects: AnAnswer})
	s.fails = fault.New(fault.Upstream, "The model is away.")
	if err := service.Start(t.Context(), "ws", "cb"); err != nil {
		t.Fatal(err)
	}
	if err := service.Work(t.Context()); err != nil || s.runs[0].State != Failed || s.runs[0].Reason != "The model is away." {
		t.Errorf("the run is %+v, %v", s.runs[0], err)
	}
}

func TestTestQuestionsThatAreRefused(t *testing.T) {
	_, service := newShelf()
	for field, wanted := range map[string]NewQuestion{
		"question": {Question: " ", Expects: AnAnswer}, "expects": {Question: "When?", Expects: "something"},
		"expected": {Question: "When?", Expects: AText},
	} {
		if _, err := service.Add(t.Context(), "ws", "cb", wanted); fault.As(err).Field != field {
			t.Errorf("%+v: %v", wanted, err)
		}
	}
	long := NewQuestion{Question: strings.Repeat("é", maxQuestion+1), Expects: AnAnswer}
	if _, err := service.Add(t.Context(), "ws", "cb", long); !fault.Is(err, fault.Invalid) {
		t.Errorf("too long: %v", err)
	}
	if err := service.Start(t.Context(), "ws", "cb"); !fault.Is(err, fault.Conflict) {
		t.Errorf("without a question: %v", err)
	}
}
