package bot

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"parley/core/answer/format"
	"parley/core/fault"
	"parley/core/insight/testrun"
	"parley/core/tenant"
	"parley/internal/id"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/site"
)

// testPages are the handlers of a chatbot's test questions.
type testPages struct{ *site.Site }

// tests shows the test questions, before and after the last change.
func (s testPages) show(c *fiber.Ctx, v site.Visit) error {
	return s.showAgain(c, v, fiber.StatusOK, ui.Form{Values: map[string]string{
		"question": c.Query("question"), "expects": string(testrun.AnAnswer), "expected": "",
	}})
}

func (s testPages) showAgain(c *fiber.Ctx, v site.Visit, status int, form ui.Form) error {
	o, err := s.Insight.Tests.Overview(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	base := shell.ImproveURL(v.Chatbot.ID) + "/tests"
	m := views.Tests{
		Tabs: improveTabs(v.Chatbot.ID, "tests", 0), Form: form, Base: base, MayEdit: v.MayChange(tenant.EditKnowledge),
		Current: o.Current != nil, Full: len(o.Questions) >= testrun.MaxQuestions,
	}
	if o.Last != nil {
		m.Last = &views.TestRun{
			At: *o.Last.EndedAt, Cause: causes[o.Last.Cause], Failed: o.Last.State == testrun.Failed, Reason: o.Last.Reason,
			Summary: fmt.Sprintf("%d of %d passed", o.Last.Passed, o.Last.Total),
		}
	}
	for _, q := range o.Questions {
		m.Questions = append(m.Questions, testToView(v, base, q))
	}
	return site.Render(c, status, views.TestsPage(v.Layout(c, shell.ImproveSection, "Improve"), m))
}

var causes = map[testrun.Cause]string{
	testrun.ByKnowledge: "after a change of the knowledge", testrun.BySettings: "after a change of the settings", testrun.ByPerson: "by hand",
}

func testToView(v site.Visit, base string, q testrun.Compared) views.TestQuestion {
	shown := views.TestQuestion{
		ID: q.ID, Question: q.Question.Question, Remove: base + "/" + q.ID + "/remove", Broken: q.Broken(), Mended: q.Mended(),
		After: resultToView(v, q.After), Before: resultToView(v, q.Before),
	}
	switch q.Expects {
	case testrun.NoAnswer:
		shown.Expects = "Should say that it doesn't know"
	case testrun.AText:
		shown.Expects = "Should say “" + q.Expected + "”"
	default:
		shown.Expects = "Should be answered"
	}
	return shown
}

func resultToView(v site.Visit, r *testrun.Result) *views.TestResult {
	if r == nil {
		return nil
	}
	shown := &views.TestResult{
		Passed: r.Passed, Outcome: outcomeToView(r.Outcome), At: r.At,
		HTML: format.Render(r.Answer, format.HTML, v.Chatbot.ImageHosts),
	}
	for _, citation := range r.Citations {
		if citation.Cited {
			shown.Sources = append(shown.Sources, citation.Title)
		}
	}
	return shown
}

func (s testPages) add(c *fiber.Ctx, v site.Visit) error {
	typed, err := site.ReadForm(c, "question", "expects", "expected")
	if err != nil {
		return err
	}
	_, err = s.Insight.Tests.Add(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, testrun.NewQuestion{
		Question: typed["question"], Expects: testrun.Expectation(typed["expects"]), Expected: typed["expected"], CreatedBy: v.Person.User.Email,
	})
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showAgain(c, v, status, f) })
	}
	return s.Flash(c, shell.ImproveURL(v.Chatbot.ID)+"/tests", site.Message{Text: "Test question added."})
}

func (s testPages) remove(c *fiber.Ctx, v site.Visit) error {
	err := s.Insight.Tests.Remove(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, id.Given(c.Params("question")))
	if err != nil {
		return err
	}
	return s.Flash(c, shell.ImproveURL(v.Chatbot.ID)+"/tests", site.Message{Text: "Test question removed."})
}

func (s testPages) run(c *fiber.Ctx, v site.Visit) error {
	to := shell.ImproveURL(v.Chatbot.ID) + "/tests"
	err := s.Insight.Tests.Start(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if fault.Is(err, fault.Conflict) {
		return s.Flash(c, to, site.Message{Text: fault.As(err).Message, Failed: true})
	}
	if err != nil {
		return err
	}
	return s.Flash(c, to, site.Message{Text: "Asking the test questions."})
}
