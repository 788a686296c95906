package testrun

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/system/grant"
)

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
	run, err := s.ClaimTestRun(t.Context(), grant.Because("a test"), s.now, s.now.Add(lease))
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
	t.Run("one is marked with the reason, and the others are asked", func(t *testing.T) {
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
