package bot

import (
	"time"

	"parley/views/ui"
)

// Tests is the page of a chatbot's test questions.
type Tests struct {
	Tabs []ui.Tab
	Base string
	Form ui.Form
	// Titles are the titles of documents to choose from.
	Titles []string
	// Questions are the questions on this page of the list.
	Questions []TestQuestion
	Pages     ui.Pager
	// Last is the last run that has ended, or nil, and Figures are its figures, with
	// the change since the run before.
	Last    *TestRun
	Figures []ui.Stat
	// Compare leads to what has changed since the run before, or is empty.
	Compare string
	Runs    []TestRun
	// Choose says that there are two runs to choose.
	Choose bool
	// Current is the run that waits or runs, or nil.
	Current *TestRun
	// Full says that there are as many questions as there may be.
	Full, MayEdit bool
	Most          string
	Cost          RunCost
	CSV, JSONL    string
}

// RunCost says what a run uses up of the plan.
type RunCost struct {
	// Questions are what a run asks. The plan includes Included playground questions a
	// month, of which Left are left; Included is empty if the plan has no limit.
	Questions, Left, Included string
	// Half are those after which only people start runs. Halved says that they are used.
	Half   string
	Halved bool
	// Short says that fewer are left than a run asks, and None that none is.
	Short, None bool
}

// TestRun is when and why the test questions were asked, and how it went.
type TestRun struct {
	ID             string
	At             time.Time
	Cause, Summary string
	Failed         bool
	Reason         string
	// Status is for a run that did not come to its end.
	Status ui.Tone
	State  string
	// Errors counts the questions that got no answer because something failed, or is
	// empty.
	Errors string
	// Asked and Total tell how far a run is.
	Asked, Total                   int
	Passed, F1, Right, Cited, Cost string
	// Knowledge counts the documents, and Models names the models. Either may
	// be empty.
	Knowledge, Models string
	URL, Cancel       string
	// Waiting says that it has not begun.
	Waiting bool
	// Before and After say that it is chosen to be compared.
	Before, After bool
}

// TestQuestion is a test question with its results, each of which may be nil.
type TestQuestion struct {
	ID, Question, Expects string
	// Reference is what a good answer says, if it is given.
	Reference     string
	Edit, Remove  string
	After, Before *TestResult
	Change        *Outcome
	// Edited says that it was changed after the earlier result.
	Edited bool
	// URL leads to the answer, or is empty.
	URL string
}

// TestResult is what a test question was answered.
type TestResult struct {
	Passed  bool
	Outcome Outcome
	// Failure is why there is no answer, or empty.
	Failure string
	HTML    string
	Sources []string
	// F1 and Cost are for people; F1 is empty without a reference.
	F1, Cost string
	// Lacks are the expectations that the answer does not meet.
	Lacks []string
}

// EditTest is the form of a test question.
type EditTest struct {
	Form         ui.Form
	Titles       []string
	Back, Action string
}

// ImportTests is the form that takes a file of test questions.
type ImportTests struct {
	Form         ui.Form
	Action, Back string
	Most         string
}

// CompareTests is two runs side by side.
type CompareTests struct {
	Base string
	// One says that there is no earlier run.
	One     bool
	Runs    []ui.Option
	Chosen  ui.Form
	Figures []TestFigure
	// Differences say what has changed since the earlier run.
	Differences []string
	Filters     []ui.Tab
	Questions   []TestQuestion
	Pages       ui.Pager
}

// TestFigure is a figure of two runs.
type TestFigure struct {
	Name, Before, After, Change string
	Tone                        ui.Tone
}

var expectations = []ui.Option{
	{Value: "answer", Text: "Answer it"}, {Value: "text", Text: "Answer it and say a text"}, {Value: "no_answer", Text: "Say that it doesn't know"},
}
