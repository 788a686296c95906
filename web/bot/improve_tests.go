package bot

import (
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/insight/testrun"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/id"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// testPages are the handlers of a chatbot's test questions.
type testPages struct{ *page.Base }

func testsURL(v page.Visit) string { return shell.ImproveURL(v.Chatbot.ID) + "/tests" }

func (s testPages) layout(c *fiber.Ctx, v page.Visit, heading string) shell.Layout {
	l := v.Layout(c, shell.ImproveSection, heading)
	return l.At(shell.Crumb{Text: "Test questions", URL: testsURL(v)})
}

// tests shows the test questions, before and after the last change.
func (s testPages) show(c *fiber.Ctx, v page.Visit) error {
	return s.showAgain(c, v, fiber.StatusOK, ui.Form{Values: map[string]string{
		"question": c.Query("question"), "expects": string(testrun.AnAnswer), "expected": "", "reference": "", "document": "",
	}})
}

// testsShown is how many test questions a page has.
const testsShown = 25

func (s testPages) showAgain(c *fiber.Ctx, v page.Visit, status int, form ui.Form) error {
	o, err := s.Insight.Tests.Overview(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	base := testsURL(v)
	m := views.Tests{
		Tabs: improveTabs(v.Chatbot.ID, "tests", 0), Form: form, Base: base, MayEdit: v.MayChange(tenant.EditKnowledge),
		Full: len(o.Questions) >= testrun.MaxQuestions, Most: strconv.Itoa(testrun.MaxQuestions),
		CSV: base + "/export?format=csv", JSONL: base + "/export?format=jsonl",
	}
	if n := len(o.Questions); m.MayEdit && n > 0 {
		if m.Cost, err = s.cost(c, v, n); err != nil {
			return err
		}
	}
	if o.Current != nil {
		current := runToView(*o.Current, base)
		m.Current = &current
	}
	if o.Ended {
		last := runToView(o.After, base)
		m.Last = &last
		if o.After.Judged() > 0 {
			m.Figures = tilesOf(o.Comparison)
		}
		if o.Before != nil && o.After.Asked > 0 {
			m.Compare = compareURL(base, o.Before.ID, o.After.ID)
		}
	}
	withAnswers := 0
	for _, r := range o.Runs {
		if r.Asked > 0 {
			withAnswers++
		}
		shown := runToView(r, base)
		shown.After = o.Ended && r.ID == o.After.ID
		shown.Before = o.Ended && o.Before != nil && r.ID == o.Before.ID
		m.Runs = append(m.Runs, shown)
	}
	m.Choose = withAnswers > 1
	from, to, pages := paginate(c, len(o.Questions), func(at string) string { return base + "?at=" + at })
	m.Pages = pages
	asked := 0
	for i, q := range o.Questions[:to] {
		if i >= from {
			m.Questions = append(m.Questions, testToView(base, q))
		}
		if q.After == nil {
			continue
		}
		if i >= from { // its place among those of the run
			m.Questions[i-from].URL = compareURL(base, "", q.After.RunID) + "&at=" + strconv.Itoa(asked/testsShown*testsShown) + "#" + q.ID
		}
		asked++
	}
	if m.MayEdit {
		if m.Titles, err = s.titles(c, v); err != nil {
			return err
		}
	}
	return page.Render(c, status, views.TestsPage(v.Layout(c, shell.ImproveSection, "Improve"), m))
}

// titles are the titles of the newest documents.
func (s testPages) titles(c *fiber.Ctx, v page.Visit) ([]string, error) {
	found, _, err := s.Browser.Documents(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, browse.Filter{}, browse.Slice{Limit: browse.MostRows})
	var titles []string
	for _, d := range found {
		titles = append(titles, d.Title)
	}
	slices.Sort(titles)
	return slices.Compact(titles), err
}

// unknownTitle is what to say about the title of a document that is not there (yet).
func (s testPages) unknownTitle(c *fiber.Ctx, v page.Visit, title string) (string, error) {
	if title == "" {
		return "", nil
	}
	found, more, err := s.Browser.Documents(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, browse.Filter{Search: title}, browse.Slice{Limit: browse.MostRows})
	if err != nil || more || slices.ContainsFunc(found, func(d knowledge.Document) bool { return testrun.SameTitle(d.Title, title) }) {
		return "", err
	}
	return " No document has the title “" + title + "”, so the question fails until there is one.", nil
}

// cost is what a run of some questions uses up of the plan.
func (s testPages) cost(c *fiber.Ctx, v page.Visit, questions int) (views.RunCost, error) {
	cost := views.RunCost{Questions: counted(questions, "question", "questions")}
	in, err := s.Tenants.Plans.All(c.UserContext())
	if err != nil {
		return cost, err
	}
	included := page.Catalog{Plans: in}.Find(v.Member.Workspace.Plan).Limits.PlaygroundPerMonth
	if included == plan.Unlimited {
		return cost, nil
	}
	left, err := triedLeft(c, s.Base, v, included)
	if err != nil {
		return cost, err
	}
	most := testrun.MostAfterChanges(included)
	cost.Left, cost.Included, cost.Half = plan.Thousands(left), plan.Thousands(included), plan.Thousands(most)
	cost.Halved, cost.Short, cost.None = included-left >= most, left < questions, left == 0
	return cost, nil
}

// paginate returns the part of a list that the address asks for, and links to the others.
func paginate(c *fiber.Ctx, all int, address func(at string) string) (from, to int, pages ui.Pager) {
	from = c.QueryInt("at")
	if from < 0 || from >= all || from%testsShown != 0 {
		from = 0
	}
	to = min(all, from+testsShown)
	if all <= testsShown {
		return from, to, pages
	}
	pages.Text = strconv.Itoa(from+1) + "–" + strconv.Itoa(to) + " of " + strconv.Itoa(all) + " questions"
	if from > 0 {
		pages.Previous = address(strconv.Itoa(from - testsShown))
	}
	if to < all {
		pages.Next = address(strconv.Itoa(to))
	}
	return from, to, pages
}

// typedTest reads the inputs of a test question.
func typedTest(c *fiber.Ctx) (page.Form, testrun.Wanted, error) {
	typed, err := page.ReadForm(c, "question", "expects", "expected", "reference", "document")
	return typed, testrun.Wanted{
		Question: typed["question"], Expects: testrun.Expectation(typed["expects"]), Expected: typed["expected"],
		Reference: typed["reference"], Document: typed["document"],
	}, err
}

func (s testPages) add(c *fiber.Ctx, v page.Visit) error {
	typed, wanted, err := typedTest(c)
	if err != nil {
		return err
	}
	q, err := s.Insight.Tests.Add(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, wanted, v.Person.User.Email)
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showAgain(c, v, status, f) })
	}
	about, err := s.unknownTitle(c, v, q.Document)
	if err != nil {
		return err
	}
	return s.Flash(c, testsURL(v), page.Message{Text: "Test question added." + about})
}

// editPage shows the form of a test question.
func (s testPages) editPage(c *fiber.Ctx, v page.Visit) error {
	q, err := s.Insight.Tests.Question(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, id.Parse(c.Params("question")))
	if err != nil {
		return err
	}
	return s.showEdit(c, v, fiber.StatusOK, ui.Form{Values: map[string]string{
		"question": q.Wanted.Question, "expects": string(q.Expects), "expected": q.Expected, "reference": q.Reference, "document": q.Document,
	}})
}

func (s testPages) showEdit(c *fiber.Ctx, v page.Visit, status int, form ui.Form) error {
	titles, err := s.titles(c, v)
	if err != nil {
		return err
	}
	m := views.EditTest{Form: form, Titles: titles, Back: testsURL(v), Action: testsURL(v) + "/" + id.Parse(c.Params("question"))}
	return page.Render(c, status, views.EditTestPage(s.layout(c, v, "Edit test question"), m))
}

func (s testPages) edit(c *fiber.Ctx, v page.Visit) error {
	typed, wanted, err := typedTest(c)
	if err != nil {
		return err
	}
	q, err := s.Insight.Tests.Change(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, id.Parse(c.Params("question")), wanted)
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showEdit(c, v, status, f) })
	}
	about, err := s.unknownTitle(c, v, q.Document)
	if err != nil {
		return err
	}
	return s.Flash(c, testsURL(v), page.Message{Text: "Test question saved." + about})
}

func (s testPages) remove(c *fiber.Ctx, v page.Visit) error {
	questionID := id.Parse(c.Params("question"))
	if err := s.Insight.Tests.Withdraw(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, questionID); err != nil {
		return err
	}
	return s.Flash(c, testsURL(v), page.Message{Text: "Test question removed.", Undo: testsURL(v) + "/undo?question=" + questionID})
}

// undo brings back a test question that was removed.
func (s testPages) undo(c *fiber.Ctx, v page.Visit) error {
	err := s.Insight.Tests.Undo(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, id.Parse(c.Query("question")))
	return s.showOutcome(c, v, err, "Test question restored.")
}

func (s testPages) run(c *fiber.Ctx, v page.Visit) error {
	_, err := s.Insight.Tests.Start(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, v.Person.User.Email)
	return s.showOutcome(c, v, err, "Asking the test questions.")
}

func (s testPages) cancel(c *fiber.Ctx, v page.Visit) error {
	err := s.Insight.Tests.Cancel(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, id.Parse(c.Params("run")))
	return s.showOutcome(c, v, err, "Run canceled.")
}

// showOutcome shows the page again with a message: done, or that it came too late.
func (s testPages) showOutcome(c *fiber.Ctx, v page.Visit, err error, done string) error {
	if fault.Is(err, fault.Conflict) {
		return s.Flash(c, testsURL(v), page.Message{Text: fault.As(err).Message, Failed: true})
	}
	if err != nil {
		return err
	}
	return s.Flash(c, testsURL(v), page.Message{Text: done})
}
