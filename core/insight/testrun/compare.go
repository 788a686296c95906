package testrun

import "context"

// Compared is a test question with its results in the last run that has ended,
// and in the one before that. Either is nil where it was not asked.
type Compared struct {
	Question
	After, Before *Result
}

// Broken reports whether it passed before and fails now, and Mended the reverse.
func (c Compared) Broken() bool { return c.both() && c.Before.Passed && !c.After.Passed }

// Mended reports whether it failed before and passes now.
func (c Compared) Mended() bool { return c.both() && !c.Before.Passed && c.After.Passed }

func (c Compared) both() bool { return c.After != nil && c.Before != nil }

// Overview is the test questions of a chatbot and how they went.
type Overview struct {
	Questions []Compared
	// Last is the last run that has ended, and Current the one that waits or runs.
	// Each is nil if there is none.
	Last, Current *Run
}

// Overview compares the last two runs.
func (s *Service) Overview(ctx context.Context, workspaceID, chatbotID string) (Overview, error) {
	questions, err := s.store.TestQuestions(ctx, workspaceID, chatbotID)
	if err != nil {
		return Overview{}, err
	}
	runs, err := s.store.TestRuns(ctx, workspaceID, chatbotID, keptRuns)
	if err != nil {
		return Overview{}, err
	}
	o := Overview{Questions: make([]Compared, len(questions))}
	for i, q := range questions {
		o.Questions[i].Question = q
	}
	ended := 0
	for i := range runs {
		if !runs[i].Ended() {
			o.Current = &runs[i]
			continue
		}
		if ended == 0 {
			o.Last = &runs[i]
		}
		if runs[i].State != Done && ended > 0 {
			continue // what failed on the way says little about before
		}
		if ended++; ended > 2 {
			break
		}
		results, err := s.store.TestResults(ctx, workspaceID, runs[i].ID)
		if err != nil {
			return Overview{}, err
		}
		o.fill(results, ended == 1)
	}
	return o, nil
}

func (o *Overview) fill(results []Result, last bool) {
	for i := range o.Questions {
		for j := range results {
			if results[j].QuestionID != o.Questions[i].ID {
				continue
			}
			if last {
				o.Questions[i].After = &results[j]
			} else {
				o.Questions[i].Before = &results[j]
			}
		}
	}
}
