package testrun

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/quota"
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
	knowledge string
	spent     error
	counted   []string
	instead   func()
	cites     string
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

func (s *shelf) Take(context.Context, Run) (*quota.Ticket, error) { return nil, s.spent }

func (s *shelf) TestResults(_ context.Context, _, runID string, _ bool) (found []Result, err error) {
	for _, r := range s.results {
		if r.RunID == runID {
			found = append(found, r)
		}
	}
	return found, nil
}

func (s *shelf) AddTestResult(ctx context.Context, ws string, run Run, r Result, counts Counting) error {
	if err := s.UpdateTestRun(ctx, ws, run); err != nil {
		return err
	}
	s.counted = append(s.counted, counts.Month)
	s.results = append(s.results, r)
	return nil
}

func (s *shelf) DeleteTestRun(_ context.Context, _, runID string) error {
	s.runs = slices.DeleteFunc(s.runs, func(r Run) bool { return r.ID == runID })
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
	if s.instead != nil {
		s.instead()
	}
	text, known := s.says[question]
	outcome := chat.Answered
	if !known {
		outcome = chat.NoAnswer
	}
	made := answer.Answer{Text: text, Citations: []answer.Citation{{Number: 1, Cited: true, Title: s.cites}}}
	made.Record.Usage, made.Record.Total = answer.Usage{PromptTokens: 30, CompletionTokens: 4}, time.Second
	return insight.Reply{Answer: made, Outcome: outcome}, s.fails
}

func newShelf() (*shelf, *Service) {
	s := &shelf{now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), says: map[string]string{"When?": "At   TEN\no'clock."}}
	service := New(Ports{Transactions: s, Questions: s, Runs: s, Due: s, Chatbots: s, Asker: s, Budget: s}, func() time.Time { return s.now }, rand.NewChaCha8([32]byte{}), slog.New(slog.NewTextHandler(io.Discard, nil)))
	return s, service
}

func (s *shelf) add(t *testing.T, service *Service, wanted Wanted) {
	t.Helper()
	if _, err := service.Add(t.Context(), "ws", "cb", wanted, "ada@example.com"); err != nil {
		t.Fatal(err)
	}
}

func TestRunsTellWhatAChangeBreaks(t *testing.T) {
	s, service := newShelf()
	s.add(t, service, Wanted{Question: "When?", Expects: AText, Expected: "at ten O'CLOCK"})
	s.add(t, service, Wanted{Question: "Who?", Expects: NoAnswer})
	s.add(t, service, Wanted{Question: "Why?", Expects: AnAnswer})
	run := func(passed int) {
		t.Helper()
		if _, err := service.Start(t.Context(), "ws", "cb", "ada@example.com"); err != nil {
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
	if when.Change != Worse || when.After.Answer != "Later." || who.Change != Same || why.Change != Better {
		t.Errorf("the overview is %+v", o.Questions)
	}
}

func TestARunWaitsUntilNothingChanges(t *testing.T) {
	s, service := newShelf()
	s.add(t, service, Wanted{Question: "When?", Expects: AnAnswer})
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
		s.add(t, service, Wanted{Question: "When?", Expects: AnAnswer})
	}
	if _, err := service.Add(t.Context(), "ws", "cb", Wanted{Question: "One more?", Expects: AnAnswer}, ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("one too many: %v", err)
	}
	if _, err := service.Start(t.Context(), "ws", "cb", "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	run, err := s.ClaimTestRun(t.Context(), s.now, s.now.Add(lease))
	if err != nil {
		t.Fatal(err)
	}
	if err := service.advance(t.Context(), run); err != nil || s.asked >= MaxQuestions || s.runs[0].State != Running || s.runs[0].DueAt.After(s.now) {
		t.Errorf("after %d questions it is %+v, %v", s.asked, s.runs[0], err)
	}
	if _, err := service.Start(t.Context(), "ws", "cb", "ada@example.com"); !fault.Is(err, fault.Conflict) {
		t.Errorf("begun twice: %v", err)
	}
	if err := service.Work(t.Context()); err != nil || s.asked != MaxQuestions || s.runs[0].Passed != MaxQuestions {
		t.Errorf("%d questions were asked, %+v, %v", s.asked, s.runs[0], err)
	}
}

func TestQuestionsThatGetNoAnswer(t *testing.T) {
	away := fault.New(fault.Upstream, "The model is away.")
	run := func(t *testing.T, questions int, fails func(asked int) error) (*shelf, Run) {
		t.Helper()
		s, service := newShelf()
		for i := range questions {
			s.add(t, service, Wanted{Question: "When?", Expects: AnAnswer, Reference: "At ten.", Document: strconv.Itoa(i)})
		}
		s.instead = func() { s.fails = fails(s.asked) }
		if _, err := service.Start(t.Context(), "ws", "cb", "ada@example.com"); err != nil {
			t.Fatal(err)
		}
		if err := service.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s, s.runs[0]
	}
	t.Run("one is marked with the reason, counts nowhere, and the others are asked", func(t *testing.T) {
		s, run := run(t, 3, func(asked int) error {
			if asked == 2 {
				return away
			}
			return nil
		})
		if run.State != Done || run.Reason != "" || s.asked != 3 || run.Asked != 3 || run.Figures.Failed != 1 || run.Judged() != 2 || run.References != 2 || run.Answered != 2 || run.Mean() != time.Second {
			t.Errorf("the run is %+v", run)
		}
		if r := s.results[1]; !r.Failed() || r.Failure != "The model is away." || r.F1 != nil || r.Cites != nil {
			t.Errorf("the result is %+v", r)
		}
		if !slices.Equal(s.counted, []string{"2026-11-playground", "", "2026-11-playground"}) {
			t.Errorf("counted are %q", s.counted)
		}
		if c := changeOf(&s.results[1], &s.results[0]); c != Alone {
			t.Errorf("beside an answer it is %s", c)
		}
	})
	t.Run("a run of which none gets an answer has failed", func(t *testing.T) {
		if _, run := run(t, 2, func(int) error { return away }); run.State != Failed || run.Reason != "The model is away." || run.Asked != 2 {
			t.Errorf("the run is %+v", run)
		}
	})
	t.Run("five in a row end a run, four do not, in whatever slices it is asked", func(t *testing.T) {
		s, ended := run(t, 40, func(asked int) error {
			if asked > 14 && asked <= 18 || asked > 19 {
				return away
			}
			return nil
		})
		if ended.State != Failed || s.asked != 19+MostFailures || !strings.Contains(ended.Reason, "5 questions in a row got no answer. The model is away.") {
			t.Errorf("after %d questions it is %+v", s.asked, ended)
		}
	})
	t.Run("what people cannot do anything about is not shown to them", func(t *testing.T) {
		s, _ := run(t, 1, func(int) error { return errors.New("disk sda1 is full") })
		if got := s.results[0].Failure; got != errUnknown.Message {
			t.Errorf("it says %q", got)
		}
	})
}

func TestTestQuestionsThatAreRefused(t *testing.T) {
	_, service := newShelf()
	for field, wanted := range map[string]Wanted{
		"question": {Question: " ", Expects: AnAnswer}, "expects": {Question: "When?", Expects: "something"},
		"expected": {Question: "When?", Expects: AText},
	} {
		if _, err := service.Add(t.Context(), "ws", "cb", wanted, "ada@example.com"); fault.As(err).Field != field {
			t.Errorf("%+v: %v", wanted, err)
		}
	}
	long := Wanted{Question: strings.Repeat("é", maxQuestion+1), Expects: AnAnswer}
	if _, err := service.Add(t.Context(), "ws", "cb", long, ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("too long: %v", err)
	}
	if _, err := service.Start(t.Context(), "ws", "cb", "ada@example.com"); !fault.Is(err, fault.Conflict) {
		t.Errorf("without a question: %v", err)
	}
}

func TestRunsKeepWhatTheyMeasure(t *testing.T) {
	s, service := newShelf()
	s.add(t, service, Wanted{Question: "When?", Expects: AnAnswer, Reference: "At ten o'clock", Document: " opening  HOURS"})
	s.add(t, service, Wanted{Question: "Who?", Expects: NoAnswer, Reference: "it is left out"})
	s.cites, s.knowledge = "Opening hours", "v1"
	run := func() Run {
		t.Helper()
		_, err := service.Start(t.Context(), "ws", "cb", "ada@example.com")
		if err != nil {
			t.Fatal(err)
		}
		if err := service.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s.runs[len(s.runs)-1]
	}
	first := run()
	want := Figures{
		Asked: 2, Passed: 2, Answered: 1, Right: 2, References: 1, F1: 1, Documents: 1, Cited: 1,
		Usage: answer.Usage{PromptTokens: 60, CompletionTokens: 8}, Took: 2 * time.Second,
	}
	if first.Figures != want || first.By != "ada@example.com" || first.Knowledge != "v1" || first.KnownDocuments != 2 {
		t.Errorf("the run is %+v", first)
	}
	if !slices.Equal(s.counted, []string{"2026-11-playground", "2026-11-playground"}) {
		t.Errorf("counted are %v", s.counted)
	}
	s.cites, s.knowledge, s.says["When?"] = "Another", "v2", "At eleven o'clock."
	second := run()
	c, err := service.Compare(t.Context(), "ws", "cb", first.ID, second.ID)
	if err != nil || !c.Knowledge() || len(c.Settings()) != 0 || c.Count(Worse) != 1 || c.Count(Same) != 1 {
		t.Errorf("the comparison is %+v, %v", c, err)
	}
	if _, err := service.Change(t.Context(), "ws", "cb", s.questions[0].ID, Wanted{Question: "When then?", Expects: AnAnswer}); err != nil {
		t.Fatal(err)
	}
	if c, err = service.Compare(t.Context(), "ws", "cb", first.ID, second.ID); err != nil || !c.Questions[0].Edited || c.Questions[1].Edited {
		t.Errorf("after a change of a question it is %+v, %v", c, err)
	}
	if _, err := service.Compare(t.Context(), "ws", "cb", "tr_none", second.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("a run that is not there: %v", err)
	}
}

func TestACanceledRunEnds(t *testing.T) {
	s, service := newShelf()
	s.add(t, service, Wanted{Question: "When?", Expects: AnAnswer})
	s.add(t, service, Wanted{Question: "Who?", Expects: AnAnswer})
	run, err := service.Start(t.Context(), "ws", "cb", "")
	if err != nil {
		t.Fatal(err)
	}
	s.instead = func() {
		if err := service.Cancel(t.Context(), "ws", "cb", run.ID); err != nil {
			t.Error(err)
		}
	}
	if err := service.Work(t.Context()); err != nil || s.asked != 1 || s.runs[0].State != Canceled || len(s.results) != 0 {
		t.Errorf("after %d questions it is %+v, %v", s.asked, s.runs[0], err)
	}
	if err := service.Cancel(t.Context(), "ws", "cb", run.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("canceled twice: %v", err)
	}
	if err := service.Cancel(t.Context(), "ws", "cb", "tr_none"); !fault.Is(err, fault.NotFound) {
		t.Errorf("one that is not there: %v", err)
	}
}

func TestAMonthThatIsUsedUpEndsARun(t *testing.T) {
	s, service := newShelf()
	s.add(t, service, Wanted{Question: "When?", Expects: AnAnswer})
	s.add(t, service, Wanted{Question: "Who?", Expects: AnAnswer})
	after := Run{WorkspaceID: "ws", ChatbotID: "cb", Cause: ByKnowledge}
	run := func(wanted Run) {
		t.Helper()
		if _, err := service.schedule(t.Context(), wanted, s.now); err != nil {
			t.Fatal(err)
		}
		if err := service.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.spent = errHalf
	if run(after); s.asked != 0 || len(s.runs) != 0 {
		t.Errorf("a run after a change that asks nothing is kept: %+v", s.runs)
	}
	s.instead, s.spent = func() { s.spent = errHalf }, nil
	if run(after); s.asked != 1 || s.runs[0].State != Failed || !strings.Contains(s.runs[0].Reason, "Run them by hand") {
		t.Errorf("one that has begun is %+v", s.runs)
	}
	byHand := Run{WorkspaceID: "ws", ChatbotID: "cb", Cause: ByPerson}
	if run(byHand); len(s.runs) != 2 || s.runs[1].State != Failed || s.runs[1].Asked != 0 {
		t.Errorf("one by hand is %+v", s.runs)
	}
	for included, most := range map[int]int{0: 0, 1: 1, 200: 100, 501: 251} {
		if got := MostAfterChanges(included); got != most {
			t.Errorf("of %d, %d may be used", included, got)
		}
	}
}

func TestFiles(t *testing.T) {
	asked := []Question{
		{Wanted: Wanted{Question: "=When?", Expects: AText, Expected: "at \"ten\"", Reference: "At ten,\nor later.", Document: "Opening hours"}},
		{Wanted: Wanted{Question: "Wer?", Expects: NoAnswer}},
	}
	for _, as := range []Format{CSV, JSONL} {
		t.Run("what is written as "+string(as)+" is read again", func(t *testing.T) {
			got, err := Read([]byte(Write(asked, as)))
			if err != nil || len(got) != 2 || got[0] != asked[0].Wanted || got[1] != asked[1].Wanted {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	t.Run("files of other programs are read", func(t *testing.T) {
		got, err := Read([]byte("\ufeffQuestion; Answer\nWhen?;At ten.\n"))
		if err != nil || len(got) != 1 || got[0] != (Wanted{Question: "When?", Expects: AnAnswer, Reference: "At ten."}) {
			t.Errorf("got %+v, %v", got, err)
		}
		for _, file := range []string{"Question\tAnswer\nWhen?\tAt ten.\n", `[{"question":"When?","answer":"At ten."}]`} {
			got, err = Read([]byte(file))
			if err != nil || len(got) != 1 || got[0] != (Wanted{Question: "When?", Expects: AnAnswer, Reference: "At ten."}) {
				t.Errorf("of %q there is %+v, %v", file, got, err)
			}
		}
		got, err = Read([]byte(`{"_id":"1","text":"When?","target":"At ten."}`))
		if err != nil || len(got) != 1 || got[0].Question != "When?" || got[0].Reference != "At ten." {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	for file, says := range map[string]string{
		"": "empty", "{\"question\":\"a\"}\nno": "Line 2", "name,age\na,b": "must name the columns", "question\n\"a": "is not CSV",
		"[5]": "is not a JSON list", "question\nWann \xf6ffnet ihr?": "not UTF-8", "PK\x03\x04\x00": "not UTF-8",
	} {
		t.Run("what is no file of questions is refused: "+says, func(t *testing.T) {
			if _, err := Read([]byte(file)); fault.As(err).Field != "file" || !strings.Contains(err.Error(), says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestImport(t *testing.T) {
	s, service := newShelf()
	s.add(t, service, Wanted{Question: "When?", Expects: AnAnswer})
	s.add(t, service, Wanted{Question: "Who?", Expects: AnAnswer})
	take := func(wanted ...Wanted) (Imported, error) {
		return service.Import(t.Context(), "ws", "cb", wanted, "ada@example.com")
	}
	t.Run("known questions are changed, and others added", func(t *testing.T) {
		done, err := take(Wanted{Question: " when? ", Expects: NoAnswer}, Wanted{Question: "Who?", Expects: AnAnswer}, Wanted{Question: "Why?", Expects: AnAnswer})
		if err != nil || done != (Imported{1, 1, 1}) || len(s.questions) != 3 || s.questions[0].Expects != NoAnswer || s.questions[0].UpdatedAt == nil {
			t.Errorf("%+v, %+v, %v", done, s.questions, err)
		}
	})
	for says, wanted := range map[string][]Wanted{
		"no question":   nil,
		"Question 2: ":  {{Question: "a", Expects: AnAnswer}, {Question: " ", Expects: AnAnswer}},
		"once more":     {{Question: "a", Expects: AnAnswer}, {Question: "A", Expects: AnAnswer}},
		"201 questions": make([]Wanted, MaxQuestions+1),
	} {
		t.Run("nothing is taken of a file that is wrong: "+says, func(t *testing.T) {
			if _, err := take(wanted...); fault.As(err).Field != "file" || !strings.Contains(err.Error(), says) || len(s.questions) != 3 {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestChangesOfAnswers(t *testing.T) {
	yes, no, low, high, near := true, false, 0.2, 0.7, 0.22
	for name, c := range map[string]struct {
		before, after *Result
		want          Change
	}{
		"asked once":              {nil, &Result{}, Alone},
		"passes now":              {&Result{F1: &high}, &Result{Passed: true, F1: &low}, Better},
		"fails now":               {&Result{Passed: true}, &Result{}, Worse},
		"cites another":           {&Result{Cites: &yes, F1: &low}, &Result{Cites: &no, F1: &high}, Worse},
		"nearer to the reference": {&Result{F1: &low}, &Result{F1: &high}, Better},
		"hardly nearer":           {&Result{F1: &low, Answer: "a"}, &Result{F1: &near, Answer: "b"}, Reworded},
		"the same":                {&Result{F1: &low, Answer: "a"}, &Result{F1: &low, Answer: " A"}, Same},
	} {
		t.Run(name, func(t *testing.T) {
			if got := changeOf(c.before, c.after); got != c.want {
				t.Errorf("it is %s", got)
			}
		})
	}
}

func TestBareAnswers(t *testing.T) {
	if got := bare("At ten [1].\n\n*Source: Opening hours* [1]"); strings.TrimSpace(got) != "At ten." {
		t.Errorf("it is %q", got)
	}
}
