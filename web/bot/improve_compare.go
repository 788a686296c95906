package bot

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/insight/testrun"
	"parley/internal/id"
	"parley/text/markdown"
	views "parley/views/bot"
	"parley/views/ui"
	"parley/web/page"
)

func compareURL(base, before, after string) string {
	return base + "/compare?" + url.Values{"before": {before}, "after": {after}}.Encode()
}

// changeFilters are the filters of a comparison, with the changes that each shows.
var changeFilters = []struct {
	name, text string
	shows      []testrun.Change
}{
	{"", "Changed", []testrun.Change{testrun.Worse, testrun.Better, testrun.Reworded}},
	{"worse", "Worse", []testrun.Change{testrun.Worse}},
	{"better", "Better", []testrun.Change{testrun.Better}},
	{"all", "All", []testrun.Change{testrun.Worse, testrun.Better, testrun.Reworded, testrun.Same, testrun.Alone}},
}

// compare shows two runs side by side.
func (s testPages) compare(c *fiber.Ctx, v page.Visit) error {
	ctx, base := c.UserContext(), testsURL(v)
	runs, err := s.Insight.Tests.Runs(ctx, v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	before, after := chosenRun(c, "before"), chosenRun(c, "after")
	if after == "" {
		return page.SeeOther(c, base)
	}
	found, err := s.Insight.Tests.Compare(ctx, v.WorkspaceID(), v.Chatbot.ID, before, after)
	if err != nil {
		return err
	}
	m := views.CompareTests{
		One:  found.Before == nil,
		Base: base, Figures: figuresToView(found), Differences: differencesOf(found),
		Chosen: ui.Form{Values: map[string]string{"before": before, "after": after}}, Runs: []ui.Option{{Text: "None"}},
	}
	for _, r := range runs {
		m.Runs = append(m.Runs, ui.Option{Value: r.ID, Text: r.CreatedAt.UTC().Format("Jan 2, 15:04") + " UTC · " + passedOf(r)})
	}
	s.fillCompared(c, v, &m, found)
	heading := "Compare runs"
	if m.One {
		heading = "Test run"
	}
	return page.Render(c, fiber.StatusOK, views.CompareTestsPage(s.layout(c, v, heading), m))
}

// chosenRun is the id of a run that the address names, or empty. What cannot be an
// identifier names nothing, and is not the same as none.
func chosenRun(c *fiber.Ctx, name string) string {
	given := c.Query(name)
	if given == "" {
		return ""
	}
	return cmp.Or(id.Parse(given), "_")
}

// fillCompared fills in the questions that the filter shows, the worst first.
func (s testPages) fillCompared(c *fiber.Ctx, v page.Visit, m *views.CompareTests, found testrun.Comparison) {
	address := compareURL(m.Base, m.Chosen.Values["before"], m.Chosen.Values["after"])
	filter := c.Query("show")
	if found.Before == nil { // then nothing has changed
		filter = "all"
	}
	var shown []testrun.Compared
	for _, f := range changeFilters {
		n := 0
		for _, change := range f.shows {
			n += found.Count(change)
			for _, q := range found.Questions {
				if f.name == filter && q.Change == change && (found.Before != nil || q.After != nil) {
					shown = append(shown, q)
				}
			}
		}
		if found.Before != nil {
			m.Filters = append(m.Filters, ui.Tab{Text: f.text, URL: address + "&show=" + f.name, Count: strconv.Itoa(n), Current: f.name == filter})
		}
	}
	from, to, pages := paginate(c, len(shown), func(at string) string {
		return address + "&show=" + url.QueryEscape(filter) + "&at=" + at
	})
	m.Pages = pages
	for _, q := range shown[from:to] {
		side := testToView(m.Base, q)
		showAnswer(v, side.Before, q.Before)
		showAnswer(v, side.After, q.After)
		m.Questions = append(m.Questions, side)
	}
}

var causes = map[testrun.Cause]string{
	testrun.ByKnowledge: "after a change of the knowledge", testrun.BySettings: "after a change of the settings", testrun.ByPerson: "by hand",
}

func causeOf(r testrun.Run) string {
	if r.By != "" {
		return "by " + r.By
	}
	return causes[r.Cause]
}

var runStates = map[testrun.State]views.Outcome{
	testrun.Waiting: {Text: "Waiting", Tone: ui.Neutral}, testrun.Running: {Text: "Running", Tone: ui.Neutral},
	testrun.Failed: {Text: "Broke off", Tone: ui.Bad}, testrun.Canceled: {Text: "Canceled", Tone: ui.Neutral},
}

func runToView(r testrun.Run, base string) views.TestRun {
	shown := views.TestRun{
		ID: r.ID, At: r.CreatedAt, Cause: causeOf(r), Failed: r.State == testrun.Failed, Waiting: r.State == testrun.Waiting, Reason: r.Reason,
		State: runStates[r.State].Text, Status: runStates[r.State].Tone, Asked: r.Asked, Total: r.Total,
		Passed: passedOf(r), Summary: summaryOf(r), F1: f1Of(r.Figures), Right: shareOf(r.Right, r.Judged()), Cited: shareOf(r.Cited, r.Documents),
		Cost: spentOf(r.Usage.PromptTokens, r.Usage.CompletionTokens, r.Mean()), Cancel: base + "/runs/" + r.ID + "/cancel",
	}
	shown.Models = strings.Join(r.Models, ", ")
	if r.Knowledge != "" {
		shown.Knowledge = counted(r.KnownDocuments, "document", "documents")
	}
	if r.Figures.Failed > 0 {
		shown.Errors = counted(r.Figures.Failed, "error", "errors")
	}
	if r.Asked > 0 {
		shown.URL = compareURL(base, "", r.ID)
	}
	return shown
}

func passedOf(r testrun.Run) string { return shareOf(r.Passed, r.Judged()) }

// summaryOf says how a run went.
func summaryOf(r testrun.Run) string {
	text := passedOf(r) + " passed"
	if r.Judged() == 0 {
		text = "No question was answered"
	}
	if r.State == testrun.Canceled {
		return "Canceled: " + text
	}
	return text
}

var changeBadges = map[testrun.Change]*views.Outcome{
	testrun.Better: {Text: "Better", Tone: ui.Good}, testrun.Worse: {Text: "Worse", Tone: ui.Bad},
	testrun.Reworded: {Text: "Other words", Tone: ui.Neutral}, testrun.Same: {Text: "Same", Tone: ui.Neutral},
}

func testToView(base string, q testrun.Compared) views.TestQuestion {
	shown := views.TestQuestion{
		ID: q.ID, Question: q.Wanted.Question, Reference: q.Reference, Edited: q.Edited,
		Edit: base + "/" + q.ID, Remove: base + "/" + q.ID + "/remove", Change: changeBadges[q.Change],
		After: resultToView(q, q.After), Before: resultToView(q, q.Before),
	}
	switch q.Expects {
	case testrun.NoAnswer:
		shown.Expects = "Should say that it doesn't know"
	case testrun.AText:
		shown.Expects = "Should say “" + q.Expected + "”"
	default:
		shown.Expects = "Should be answered"
	}
	if q.Document != "" {
		shown.Expects += " and cite “" + q.Document + "”"
	}
	return shown
}

// lacksOf says which of today's expectations an answer does not meet.
func lacksOf(q testrun.Compared, r *testrun.Result) []string {
	var lacks []string
	if q.Expects == testrun.AText && !q.SaidIn(r.Answer) {
		lacks = append(lacks, "It doesn't say “"+q.Expected+"”.")
	}
	if r.Cites != nil && !*r.Cites {
		lacks = append(lacks, "The expected document is not cited.")
	}
	return lacks
}

// showAnswer adds the text of an answer, which lists of questions leave out.
func showAnswer(v page.Visit, shown *views.TestResult, r *testrun.Result) {
	if shown != nil {
		shown.HTML = markdown.Render(r.Answer, markdown.HTML, v.Chatbot.ImageHosts)
	}
}

func resultToView(q testrun.Compared, r *testrun.Result) *views.TestResult {
	if r == nil {
		return nil
	}
	shown := &views.TestResult{
		Passed: r.Passed, Failure: r.Failure, Outcome: outcomeToView(r.Outcome),
	}
	if r.F1 != nil {
		shown.F1 = fmt.Sprintf("%.2f", *r.F1)
	}
	if !r.Failed() {
		shown.Cost = spentOf(r.Usage.PromptTokens, r.Usage.CompletionTokens, r.Took)
	}
	if r.Outcome == chat.Answered && !r.Passed {
		shown.Lacks = lacksOf(q, r)
	}
	for _, citation := range r.Citations {
		if citation.Cited {
			shown.Sources = append(shown.Sources, citation.Title)
		}
	}
	return shown
}
