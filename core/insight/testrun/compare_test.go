package testrun

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/fault"
)

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
	s.model, service.program = "small", "v1"
	first := run()
	want := Figures{
		Asked: 2, Passed: 2, Answered: 1, Right: 2, References: 1, F1: 1, Documents: 1, Cited: 1, Models: []string{"small"},
		Usage: answer.Usage{PromptTokens: 60, CompletionTokens: 8}, Took: 2 * time.Second,
	}
	if !reflect.DeepEqual(first.Figures, want) || first.By != "ada@example.com" || first.Knowledge != "v1" || first.KnownDocuments != 2 {
		t.Errorf("the run is %+v", first)
	}
	s.cites, s.knowledge, s.says["When?"] = "Another", "v2", "At eleven o'clock."
	s.model, service.program = "large", "v2"
	second := run()
	c, err := service.Compare(t.Context(), "ws", "cb", first.ID, second.ID)
	if err != nil || !c.Knowledge() || !c.Models() || !c.Program() || len(c.Settings()) != 0 || c.Count(Worse) != 1 || c.Count(Same) != 1 {
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

func TestTheModelsOfRuns(t *testing.T) {
	s, service := newShelf()
	for range 3 {
		s.add(t, service, Wanted{Question: "When?", Expects: AnAnswer})
	}
	s.model = "small"
	s.instead = func() {
		if s.asked == 2 { // its fallback answers once
			s.model = "large"
		}
	}
	if _, err := service.Start(t.Context(), "ws", "cb", ""); err != nil {
		t.Fatal(err)
	}
	if err := service.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	run := s.runs[0]
	t.Run("each that answered is named once", func(t *testing.T) {
		if !slices.Equal(run.Models, []string{"large", "small"}) {
			t.Errorf("they are %q", run.Models)
		}
	})
	with := func(program string, models ...string) Run {
		return Run{Program: program, Figures: Figures{Models: models}}
	}
	for name, c := range map[string]struct {
		before          Run
		models, program bool
	}{
		"the same":                       {with("v1", "large", "small"), false, false},
		"a run of an older program":      {with(""), false, false},
		"another model":                  {with("v1", "small"), true, false},
		"another version of the program": {with("v0", "large", "small"), false, true},
	} {
		t.Run("beside the run before: "+name, func(t *testing.T) {
			compared := Comparison{Before: &c.before, After: with("v1", run.Models...)}
			if compared.Models() != c.models || compared.Program() != c.program {
				t.Errorf("models differ: %t, the program: %t", compared.Models(), compared.Program())
			}
		})
	}
	t.Run("alone it differs from none", func(t *testing.T) {
		if c := (Comparison{After: run}); c.Models() || c.Program() {
			t.Error("it does")
		}
	})
}
