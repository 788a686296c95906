package wire

import "parley/core/insight/testrun"

// TestQuestion is a question that an owner wants answered well.
type TestQuestion struct {
	ID        string  `json:"id"`
	Question  string  `json:"question"`
	Expects   string  `json:"expects"`
	Says      string  `json:"says"`
	Answer    string  `json:"answer"`
	Document  string  `json:"document"`
	CreatedBy string  `json:"created_by"`
	CreatedAt string  `json:"created_at"`
	UpdatedAt *string `json:"updated_at"`
}

// TestQuestionToWire returns a test question.
func TestQuestionToWire(q testrun.Question) TestQuestion {
	return TestQuestion{
		q.ID, q.Wanted.Question, string(q.Expects), q.Expected, q.Reference, q.Document, q.CreatedBy, timestamp(q.CreatedAt), optionalTimestamp(q.UpdatedAt),
	}
}

// TestRun is a run of all test questions.
type TestRun struct {
	ID         string   `json:"id"`
	Cause      string   `json:"cause"`
	StartedBy  string   `json:"started_by"`
	Status     string   `json:"status"`
	Reason     string   `json:"reason,omitzero"`
	Total      int      `json:"total"`
	Figures    Figures  `json:"figures"`
	Knowledge  string   `json:"knowledge_version"`
	Documents  int      `json:"documents"`
	Models     []string `json:"models"`
	CreatedAt  string   `json:"created_at"`
	FinishedAt *string  `json:"finished_at"`
}

// Figures sum up the questions that have been asked.
type Figures struct {
	Asked          int      `json:"asked"`
	Failed         int      `json:"failed"`
	Passed         int      `json:"passed"`
	Answered       int      `json:"answered"`
	Right          int      `json:"right"`
	F1             *float64 `json:"f1"`
	WithDocument   int      `json:"with_document"`
	CitationsRight int      `json:"citations_right"`
	Usage
	TotalMS int64 `json:"total_ms"`
}

// ComparedRuns is a run with its results, beside the results of an earlier run.
type ComparedRuns struct {
	Run              TestRun        `json:"run"`
	Before           *TestRun       `json:"before"`
	KnowledgeChanged bool           `json:"knowledge_changed"`
	ModelsChanged    bool           `json:"models_changed"`
	ProgramChanged   bool           `json:"program_changed"`
	SettingsChanged  []string       `json:"settings_changed"`
	Questions        []ComparedTest `json:"questions"`
}

// ComparedTest is a test question with its results in two runs.
type ComparedTest struct {
	Question TestQuestion `json:"question"`
	Change   string       `json:"change"`
	Edited   bool         `json:"edited"`
	Before   *TestResult  `json:"before"`
	After    *TestResult  `json:"after"`
}

// TestResult says how a test question was answered.
type TestResult struct {
	Passed        bool       `json:"passed"`
	Outcome       string     `json:"outcome"`
	Answer        string     `json:"answer"`
	Failure       string     `json:"failure"`
	F1            *float64   `json:"f1"`
	CitesDocument *bool      `json:"cites_document"`
	Cited         []Citation `json:"cited"`
	Usage
	TotalMS int64 `json:"total_ms"`
}

// TestRunToWire returns a run.
func TestRunToWire(r testrun.Run) TestRun {
	data := TestRun{
		ID: r.ID, Cause: string(r.Cause), StartedBy: r.By, Status: string(r.State), Reason: r.Reason, Total: r.Total,
		Knowledge: r.Knowledge, Documents: r.KnownDocuments, Models: append([]string{}, r.Models...), CreatedAt: timestamp(r.CreatedAt), FinishedAt: optionalTimestamp(r.EndedAt),
		Figures: Figures{
			Asked: r.Asked, Failed: r.Figures.Failed, Passed: r.Passed, Answered: r.Answered, Right: r.Right, WithDocument: r.Figures.Documents, CitationsRight: r.Cited,
			Usage: UsageToWire(r.Usage), TotalMS: r.Figures.Took.Milliseconds(),
		},
	}
	if r.References > 0 {
		data.Figures.F1 = &r.F1
	}
	return data
}

// ComparisonToWire returns a run beside an earlier one.
func ComparisonToWire(c testrun.Comparison) ComparedRuns {
	data := ComparedRuns{
		Run: TestRunToWire(c.After), KnowledgeChanged: c.Knowledge(), ModelsChanged: c.Models(), ProgramChanged: c.Program(),
		SettingsChanged: []string{}, Questions: MapSlice(c.Questions, comparedToWire),
	}
	if c.Before != nil {
		before := TestRunToWire(*c.Before)
		data.Before = &before
	}
	for _, change := range c.Settings() {
		data.SettingsChanged = append(data.SettingsChanged, change.Field)
	}
	return data
}

func comparedToWire(q testrun.Compared) ComparedTest {
	return ComparedTest{TestQuestionToWire(q.Question), string(q.Change), q.Edited, testResultToWire(q.Before), testResultToWire(q.After)}
}

func testResultToWire(r *testrun.Result) *TestResult {
	if r == nil {
		return nil
	}
	data := &TestResult{
		Passed: r.Passed, Outcome: string(r.Outcome), Answer: r.Answer, Failure: r.Failure, F1: r.F1, CitesDocument: r.Cites, Cited: []Citation{},
		Usage: UsageToWire(r.Usage), TotalMS: r.Took.Milliseconds(),
	}
	for _, citation := range r.Citations {
		if citation.Cited {
			data.Cited = append(data.Cited, CitationToWire(citation))
		}
	}
	return data
}
