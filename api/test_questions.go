package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/insight/testrun"
	"parley/internal/id"
)

// testQuestionRequest is the body that adds or changes a test question.
type testQuestionRequest struct {
	Question string `json:"question"`
	Expects  string `json:"expects"`
	Says     string `json:"says"`
	Answer   string `json:"answer"`
	Document string `json:"document"`
}

// toDomain takes an answer for what is expected, unless something else is.
func (r testQuestionRequest) toDomain() testrun.Wanted {
	w := testrun.Wanted{Question: r.Question, Expects: testrun.Expectation(r.Expects), Expected: r.Says, Reference: r.Answer, Document: r.Document}
	if w.Expects == "" {
		w.Expects = testrun.AnAnswer
	}
	return w
}

type testQuestionsRequest struct {
	Questions []testQuestionRequest `json:"questions"`
}

type testQuestionsData struct {
	Questions []wire.TestQuestion `json:"questions"`
	Limit     int                 `json:"limit"`
}

type importedData struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
}

// testQuestions are the handlers of a chatbot's test questions.
type testQuestions struct{ tests *testrun.Service }

func (h testQuestions) list(c *fiber.Ctx, at visit) error {
	questions, err := h.tests.Questions(c.UserContext(), at.WorkspaceID, at.ID)
	if err != nil {
		return err
	}
	return succeedPacked(c, testQuestionsData{wire.MapSlice(questions, wire.TestQuestionToWire), testrun.MaxQuestions})
}

func (h testQuestions) add(c *fiber.Ctx, at visit) error {
	var request testQuestionRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	q, err := h.tests.Add(c.UserContext(), at.WorkspaceID, at.ID, request.toDomain(), at.person.User.Email)
	if err != nil {
		return asWire(err)
	}
	return succeed(c, wire.TestQuestionToWire(q))
}

// importFrom adds the questions of a file, or changes those that the chatbot has.
func (h testQuestions) importFrom(c *fiber.Ctx, at visit) error {
	var request testQuestionsRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	done, err := h.tests.Import(c.UserContext(), at.WorkspaceID, at.ID, wire.MapSlice(request.Questions, testQuestionRequest.toDomain), at.person.User.Email)
	if err != nil {
		return asWire(err)
	}
	return succeed(c, importedData{done.Added, done.Changed, done.Same})
}

func (h testQuestions) change(c *fiber.Ctx, at visit) error {
	var request testQuestionRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	q, err := h.tests.Change(c.UserContext(), at.WorkspaceID, at.ID, id.Parse(pathID(c, "question_id")), request.toDomain())
	if err != nil {
		return asWire(err)
	}
	return succeed(c, wire.TestQuestionToWire(q))
}

func (h testQuestions) remove(c *fiber.Ctx, at visit) error {
	questionID := id.Parse(pathID(c, "question_id"))
	if err := h.tests.Remove(c.UserContext(), at.WorkspaceID, at.ID, questionID); err != nil {
		return err
	}
	return succeed(c, wire.Changed{ID: questionID, Status: "removed"})
}
