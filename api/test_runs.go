package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
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

type testRunsData struct {
	Runs []wire.TestRun `json:"runs"`
}

// testRuns are the handlers of the runs of a chatbot's test questions.
type testRuns struct{ tests *testrun.Service }

func (h testRuns) list(c *fiber.Ctx, at visit) error {
	runs, err := h.tests.Runs(c.UserContext(), at.WorkspaceID, at.ID)
	if err != nil {
		return err
	}
	return succeed(c, testRunsData{wire.MapSlice(runs, wire.TestRunToWire)})
}

func (h testRuns) start(c *fiber.Ctx, at visit) error {
	run, err := h.tests.Start(c.UserContext(), at.WorkspaceID, at.ID, at.person.User.Email)
	if err != nil {
		return err
	}
	return succeed(c, wire.TestRunToWire(run))
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
	return succeedPacked(c, wire.ComparisonToWire(found))
}

func (h testRuns) cancel(c *fiber.Ctx, at visit) error {
	runID := id.Parse(pathID(c, "run_id"))
	if err := h.tests.Cancel(c.UserContext(), at.WorkspaceID, at.ID, runID); err != nil {
		return err
	}
	return succeed(c, wire.Changed{ID: runID, Status: string(testrun.Canceled)})
}
