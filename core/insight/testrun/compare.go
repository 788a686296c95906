package testrun

import (
	"context"
	"math"
	"slices"

	"parley/core/audit"
	"parley/core/fault"
)

// Change says how the answer to a test question differs between two runs.
type Change string

// The changes.
const (
	// Better and Worse go by whether the answer is as expected, then by whether it cites
	// the expected document, then by its words in common with the reference.
	Better Change = "better"
	Worse  Change = "worse"
	// Reworded is as good, in other words.
	Reworded Change = "reworded"
	Same     Change = "same"
	// Alone was answered in one of the runs only.
	Alone Change = "alone"
)

// notable is the least difference of F1 that makes an answer better or worse.
const notable = 0.05

// Compared is a test question with its results in two runs. Either is nil where it was
// not asked.
type Compared struct {
	Question
	After, Before *Result
	Change        Change
	// Edited says that the question was changed after the earlier result.
	Edited bool
}

func compared(q Question, before, after *Result) Compared {
	c := Compared{Question: q, Before: before, After: after, Change: changeOf(before, after)}
	c.Edited = before != nil && q.UpdatedAt != nil && q.UpdatedAt.After(before.At)
	return c
}

func changeOf(before, after *Result) Change {
	switch {
	case before == nil || after == nil || before.Failed() || after.Failed():
		return Alone
	case before.Passed != after.Passed:
		return changeOfJudgment(after.Passed)
	case before.Cites != nil && after.Cites != nil && *before.Cites != *after.Cites:
		return changeOfJudgment(*after.Cites)
	case before.F1 != nil && after.F1 != nil && math.Abs(*after.F1-*before.F1) >= notable:
		return changeOfJudgment(*after.F1 > *before.F1)
	case before.Outcome != after.Outcome || folded(before.Answer) != folded(after.Answer):
		return Reworded
	}
	return Same
}

func changeOfJudgment(good bool) Change {
	if good {
		return Better
	}
	return Worse
}

// Comparison is two runs side by side. Before is nil where there is none.
type Comparison struct {
	After     Run
	Before    *Run
	Questions []Compared
}

// Settings are the settings that were others in the earlier run.
func (c Comparison) Settings() []audit.Change {
	if c.Before == nil {
		return nil
	}
	return audit.Differences(c.Before.Settings, c.After.Settings)
}

// Knowledge reports whether the documents were others in the earlier run.
func (c Comparison) Knowledge() bool {
	return c.Before != nil && c.Before.Knowledge != c.After.Knowledge
}

// Models reports whether other models answered in the earlier run, as far as that is
// known.
func (c Comparison) Models() bool {
	return c.Before != nil && len(c.Before.Models) > 0 && len(c.After.Models) > 0 && !slices.Equal(c.Before.Models, c.After.Models)
}

// Program reports whether this program had another version in the earlier run, as far
// as that is known.
func (c Comparison) Program() bool {
	return c.Before != nil && c.Before.Program != "" && c.After.Program != "" && c.Before.Program != c.After.Program
}

// Count counts the questions that have changed in a way.
func (c Comparison) Count(change Change) int {
	n := 0
	for _, q := range c.Questions {
		if q.Change == change {
			n++
		}
	}
	return n
}

var errNoRun = fault.New(fault.NotFound, "Test run not found.")

// Runs returns the kept runs of a chatbot, newest first.
func (s *Service) Runs(ctx context.Context, workspaceID, chatbotID string) ([]Run, error) {
	return s.runs.TestRuns(ctx, workspaceID, chatbotID, keptRuns)
}

// Compare puts two runs of a chatbot side by side. Without the id of an earlier one,
// only one run is shown.
func (s *Service) Compare(ctx context.Context, workspaceID, chatbotID, beforeID, afterID string) (Comparison, error) {
	runs, err := s.Runs(ctx, workspaceID, chatbotID)
	if err != nil {
		return Comparison{}, err
	}
	var before, after *Run
	for i := range runs {
		if runs[i].ID == beforeID {
			before = &runs[i]
		}
		if runs[i].ID == afterID {
			after = &runs[i]
		}
	}
	if after == nil || before == nil && beforeID != "" {
		return Comparison{}, errNoRun
	}
	return s.compare(ctx, workspaceID, chatbotID, before, *after, true)
}

func (s *Service) compare(ctx context.Context, workspaceID, chatbotID string, before *Run, after Run, cited bool) (Comparison, error) {
	c := Comparison{Before: before, After: after}
	questions, err := s.Questions(ctx, workspaceID, chatbotID)
	if err != nil {
		return c, err
	}
	now, err := s.resultsOf(ctx, workspaceID, &after, cited)
	if err != nil {
		return c, err
	}
	then, err := s.resultsOf(ctx, workspaceID, before, cited)
	if err != nil {
		return c, err
	}
	for _, q := range questions {
		c.Questions = append(c.Questions, compared(q, then[q.ID], now[q.ID]))
	}
	return c, nil
}

func (s *Service) resultsOf(ctx context.Context, workspaceID string, run *Run, cited bool) (map[string]*Result, error) {
	if run == nil {
		return nil, nil //nolint:nilnil // a run that is not there has no results
	}
	results, err := s.runs.TestResults(ctx, workspaceID, run.ID, cited)
	if err != nil {
		return nil, err
	}
	of := make(map[string]*Result, len(results))
	for i := range results {
		of[results[i].QuestionID] = &results[i]
	}
	return of, nil
}

// Overview is the test questions of a chatbot and how they went.
type Overview struct {
	// Comparison is of the last run that has ended, and the one before. Ended says that
	// there is one; otherwise only the questions are filled in.
	Comparison
	Ended bool
	// Current is the run that waits or runs, or nil.
	Current *Run
	// Runs are all that are kept, newest first.
	Runs []Run
}

// Overview compares the last two runs, without citations.
func (s *Service) Overview(ctx context.Context, workspaceID, chatbotID string) (Overview, error) {
	runs, err := s.Runs(ctx, workspaceID, chatbotID)
	if err != nil {
		return Overview{}, err
	}
	o := Overview{Runs: runs}
	var last, before *Run
	for i := range runs {
		switch {
		case !runs[i].Ended():
			o.Current = &runs[i]
		case last == nil:
			last = &runs[i]
		case before == nil && runs[i].State == Done: // what broke off says little about before
			before = &runs[i]
		}
	}
	if last == nil {
		questions, err := s.Questions(ctx, workspaceID, chatbotID)
		for _, q := range questions {
			o.Questions = append(o.Questions, Compared{Question: q, Change: Alone})
		}
		return o, err
	}
	o.Ended = true
	o.Comparison, err = s.compare(ctx, workspaceID, chatbotID, before, *last, false)
	return o, err
}
