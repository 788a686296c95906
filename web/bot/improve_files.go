package bot

import (
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/insight/testrun"
	views "parley/views/bot"
	"parley/views/ui"
	"parley/web/page"
)

func (s testPages) importPage(c *fiber.Ctx, v page.Visit) error {
	return s.showImport(c, v, fiber.StatusOK, ui.Form{Values: map[string]string{"file": ""}})
}

func (s testPages) showImport(c *fiber.Ctx, v page.Visit, status int, form ui.Form) error {
	m := views.ImportTests{Form: form, Action: testsURL(v) + "/import", Back: testsURL(v), Most: strconv.Itoa(testrun.MaxQuestions)}
	return page.Render(c, status, views.ImportTestsPage(s.layout(c, v, "Import test questions"), m))
}

func (s testPages) importFrom(c *fiber.Ctx, v page.Visit) error {
	_, files, err := page.ReadUploads(c, "file")
	var wanted []testrun.Wanted
	switch {
	case err != nil:
		err = ofBody(err, "file", testrun.ErrTooLarge.Message)
	case len(files) == 0 || len(files[0].Content) == 0:
		err = fault.InField("file", "Choose a file that is not empty.")
	case len(files) > 1:
		err = fault.InField("file", "Choose one file.")
	default:
		wanted, err = testrun.Read(files[0].Content)
	}
	var done testrun.Imported
	if err == nil {
		done, err = s.Insight.Tests.Import(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, wanted, v.Person.User.Email)
	}
	if err != nil {
		return page.Form{"file": ""}.Again(c, err, func(status int, f ui.Form) error { return s.showImport(c, v, status, f) })
	}
	return s.Flash(c, testsURL(v), page.Message{Text: counted(done.Added, "question", "questions") + " added, " + strconv.Itoa(done.Changed) + " changed."})
}

func (s testPages) export(c *fiber.Ctx, v page.Visit) error {
	as, kind := testrun.CSV, "text/csv; charset=utf-8"
	if c.Query("format") == string(testrun.JSONL) {
		as, kind = testrun.JSONL, "application/jsonl; charset=utf-8"
	}
	questions, err := s.Insight.Tests.Questions(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	name := "test-questions-" + s.Now().UTC().Format(time.DateOnly) + "." + string(as)
	return page.SendText(c, kind, name, testrun.Write(questions, as))
}
