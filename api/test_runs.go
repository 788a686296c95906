package api

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/insight/testrun"
	"parley/internal/id"
)

// wireNames are the API's names of inputs that the page calls something else.
var wireNames = map[string]string{"expected": "says", "reference": "answer", "file": "questions"}

// asWire names the field of a fault as a request does.
func asWire(err error) error {
	failure := *fault.As(err)
	if name := wireNames[failure.Field]; name != "" {
		failure.Field = name
		return &failure
	}
	return err
}

type testRunData struct {
	ID         string      `json:"id"`
	Cause      string      `json:"cause"`
	StartedBy  string      `json:"started_by"`
	Status     string      `json:"status"`
	Reason     string      `json:"reason,omitzero"`
	Total      int         `json:"total"`
	Figures    figuresData `json:"figures"`
	Knowledge  string      `json:"knowledge_version"`
	Documents  int         `json:"documents"`
	Models     []string    `json:"models"`
	CreatedAt  time.Time   `json:"created_at"`
	FinishedAt *time.Time  `json:"finished_at"`
}

// figuresData sum up the questions that have been asked.
type figuresData struct {
	Asked            int      `json:"asked"`
	Failed           int      `json:"failed"`
	Passed           int      `json:"passed"`
	Answered         int      `json:"answered"`
	Right            int      `json:"right"`
	F1               *float64 `json:"f1"`
	WithDocument     int      `json:"with_document"`
	CitationsRight   int      `json:"citations_right"`
	PromptTokens     int      `json:"prompt_tokens"`
	CompletionTokens int      `json:"completion_tokens"`
	TotalMS          int64    `json:"total_ms"`
}

type testRunsData struct {
	Runs []testRunData `json:"runs"`
}

// comparedRunsData is a run with its results, beside the results of an earlier run.
type comparedRunsData struct {
	Run              testRunData        `json:"run"`
	Before           *testRunData       `json:"before"`
	KnowledgeChanged bool               `json:"knowledge_changed"`
	ModelsChanged    bool               `json:"models_changed"`
	ProgramChanged   bool               `json:"program_changed"`
	SettingsChanged  []string           `json:"settings_changed"`
	Questions        []comparedTestData `json:"questions"`
}

type comparedTestData struct {
	Question testQuestionData `json:"question"`
	Change   string           `json:"change"`
	Edited   bool             `json:"edited"`
	Before   *testResultData  `json:"before"`
	After    *testResultData  `json:"after"`
}

type testResultData struct {
	Passed           bool        `json:"passed"`
	Outcome          string      `json:"outcome"`
	Answer           string      `json:"answer"`
	Failure          string      `json:"failure"`
	F1               *float64    `json:"f1"`
	CitesDocument    *bool       `json:"cites_document"`
	Cited            []citedData `json:"cited"`
	PromptTokens     int         `json:"prompt_tokens"`
	CompletionTokens int         `json:"completion_tokens"`
	TotalMS          int64       `json:"total_ms"`
}

type citedData struct {
	DocumentID string `json:"document_id"`
	Title      string `json:"title"`
}

// testRuns are the handlers of the runs of a chatbot's test questions.
type testRuns struct{ tests *testrun.Service }

func (h testRuns) list(c *fiber.Ctx, at visit) error {
	runs, err := h.tests.Runs(c.UserContext(), at.WorkspaceID, at.ID)
	if err != nil {
		return err
	}
	return succeed(c, testRunsData{mapSlice(runs, testRunToWire)})
}

func (h testRuns) start(c *fiber.Ctx, at visit) error {
	run, err := h.tests.Start(c.UserContext(), at.WorkspaceID, at.ID, at.person.User.Email)
	if err != nil {
		return err
	}
	return succeed(c, testRunToWire(run))
}

// show compares with the run that before names, if any.
func (h testRuns) show(c *fiber.Ctx, at visit) error {
	before := ""
	if given := c.Query("before"); given != "" {
		if before = id.Parse(given); before == "" {
			before = "_" // what cannot be an identifier names nothing, and is not the same as none
		}
	}
	found, err := h.tests.Compare(c.UserContext(), at.WorkspaceID, at.ID, before, id.Parse(pathID(c, "run_id")))
	if err != nil {
		return err
	}
	return succeedPacked(c, comparisonToWire(found))
}

func (h testRuns) cancel(c *fiber.Ctx, at visit) error {
	runID := id.Parse(pathID(c, "run_id"))
	if err := h.tests.Cancel(c.UserContext(), at.WorkspaceID, at.ID, runID); err != nil {
		return err
	}
	return succeed(c, changedData{ID: runID, Status: string(testrun.Canceled)})
}

func testRunToWire(r testrun.Run) testRunData {
	data := testRunData{
		ID: r.ID, Cause: string(r.Cause), StartedBy: r.By, Status: string(r.State), Reason: r.Reason, Total: r.Total,
		Knowledge: r.Knowledge, Documents: r.KnownDocuments, Models: append([]string{}, r.Models...), CreatedAt: r.CreatedAt, FinishedAt: r.EndedAt,
		Figures: figuresData{
			Asked: r.Asked, Failed: r.Figures.Failed, Passed: r.Passed, Answered: r.Answered, Right: r.Right, WithDocument: r.Figures.Documents, CitationsRight: r.Cited,
			PromptTokens: r.Usage.PromptTokens, CompletionTokens: r.Usage.CompletionTokens, TotalMS: r.Figures.Took.Milliseconds(),
		},
	}
	if r.References > 0 {
		data.Figures.F1 = &r.F1
	}
	return data
}

func comparisonToWire(c testrun.Comparison) comparedRunsData {
	data := comparedRunsData{Run: testRunToWire(c.After), KnowledgeChanged: c.Knowledge(), ModelsChanged: c.Models(), ProgramChanged: c.Program(), SettingsChanged: []string{}, Questions: mapSlice(c.Questions, comparedToWire)}
	if c.Before != nil {
		before := testRunToWire(*c.Before)
		data.Before = &before
	}
	for _, change := range c.Settings() {
		data.SettingsChanged = append(data.SettingsChanged, change.Field)
	}
	return data
}

func comparedToWire(q testrun.Compared) comparedTestData {
	return comparedTestData{testQuestionToWire(q.Question), string(q.Change), q.Edited, testResultToWire(q.Before), testResultToWire(q.After)}
}

func testResultToWire(r *testrun.Result) *testResultData {
	if r == nil {
		return nil
	}
	data := &testResultData{
		Passed: r.Passed, Outcome: string(r.Outcome), Answer: r.Answer, Failure: r.Failure, F1: r.F1, CitesDocument: r.Cites, Cited: []citedData{},
		PromptTokens: r.Usage.PromptTokens, CompletionTokens: r.Usage.CompletionTokens, TotalMS: r.Took.Milliseconds(),
	}
	for _, citation := range r.Citations {
		if citation.Cited {
			data.Cited = append(data.Cited, citedData{citation.DocumentID, citation.Title})
		}
	}
	return data
}
