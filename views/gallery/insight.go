package gallery

import (
	"github.com/a-h/templ"

	"parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
)

// insightPages returns the pages on which owners learn from conversations.
func insightPages() map[string]templ.Component {
	tabs := []ui.Tab{{Text: "Questions", URL: shell.ImproveURL("cb_1"), Count: "2", Current: true}, {Text: "Test questions", URL: shell.ImproveURL("cb_1") + "/tests"}}
	cited := []bot.CitedPassage{
		{Number: "1", Title: hostile, Path: "Returns › " + hostile, Place: "Page 3", URL: "/chatbots/cb_1/knowledge/doc_1", Cited: true},
		{Number: "2", Title: "Shipping", URL: "/chatbots/cb_1/knowledge/doc_2"},
	}
	unknown, answered := bot.Outcome{Text: "No answer", Tone: ui.Warn}, bot.Outcome{Text: "Answered", Tone: ui.Good}
	list := bot.Conversations{
		Base: shell.ConversationsURL("cb_1"), Filters: ui.Form{Values: map[string]string{"q": hostile}}, Filtered: true,
		Tokens: []ui.Option{{Text: "Any token"}, {Value: "tok_1", Text: hostile}}, Next: "/chatbots/cb_1/conversations?before=7", Later: true, First: "/chatbots/cb_1/conversations",
		CSV: "/chatbots/cb_1/conversations/export?format=csv", JSONL: "/chatbots/cb_1/conversations/export?format=jsonl", MayDelete: true,
		Rows: []bot.ConversationRow{
			{URL: "/chatbots/cb_1/conversations/1", Title: hostile, User: hostile, Outcome: unknown, Up: 1, Down: 2, At: day, Current: true},
			{URL: "/chatbots/cb_1/conversations/2", Title: "When do you open?", Outcome: answered, At: day},
		},
	}
	open := list
	open.Thread = &bot.Thread{
		Title: hostile, User: hostile, At: day, Back: list.Base, Earlier: "/chatbots/cb_1/conversations/1?until=5", Delete: "/chatbots/cb_1/conversations/1/delete",
		Messages: []bot.ThreadMessage{
			{ID: "11", Question: true, Text: hostile},
			{ID: "12", HTML: "<p>Never on <strong>Sunday</strong>.</p>", Outcome: answered, URL: "/chatbots/cb_1/conversations/1?message=12#message-12", Current: true, Rate: "/chatbots/cb_1/conversations/1/12/rate", Rating: -1, Comment: hostile},
			{ID: "13", Question: true, Text: "And then?"},
			{ID: "14", Writing: true, URL: "/chatbots/cb_1/conversations/1?message=14#message-14"},
		},
		Inspected: &bot.Inspected{Query: hostile, Outcome: answered, Passages: cited, Facts: []ui.Fact{{Name: "Model", Value: hostile}}, Fix: "/chatbots/cb_1/improve/answer?message=12"},
	}
	improve := bot.Improve{Tabs: tabs, MayEdit: true, More: 3, Groups: []bot.GapGroup{
		{ID: "12", Question: hostile, Phrases: []string{hostile, "And?"}, Count: 5, Disliked: 2, At: day, Answer: "/chatbots/cb_1/improve/answer?message=12", Dismiss: "/chatbots/cb_1/improve/12/dismiss", Conversation: "/chatbots/cb_1/conversations/1"},
	}, Settled: []bot.SettledGap{{Question: hostile, Document: "/chatbots/cb_1/knowledge/doc_1"}}}
	check := bot.CheckAnswer{Question: hostile, Document: "doc_1", Title: hostile, DocumentURL: "/chatbots/cb_1/knowledge/doc_1", Action: "/chatbots/cb_1/improve/check/doc_1", Tests: "/chatbots/cb_1/improve/tests", Back: "/chatbots/cb_1/improve"}
	failed, works, fails := check, check, check
	failed.Failed, failed.Reason = true, hostile
	works.Ready, works.Asked, works.Works, works.Cites, works.Settled, works.HTML, works.Passages = true, true, true, true, 3, "<p>Yes.</p>", cited
	fails.Ready, fails.Asked, fails.HTML = true, true, "<p>I don't know.</p>"
	passed := &bot.TestResult{Passed: true, Outcome: answered, HTML: "<p>At ten.</p>", Sources: []string{hostile}}
	ran := bot.TestRun{
		ID: "tr_1", At: day, Cause: "by " + hostile, Summary: "1 of 2 passed", Failed: true, Reason: hostile, State: "Broke off", Status: ui.Bad, Asked: 1, Total: 2,
		Passed: "1 of 2", F1: "0.62", Right: "2 of 2", Cited: "1 of 1", Cost: "1,234 tokens in, 56 out, 1.2 s", Knowledge: "12 documents", Models: "gpt-4o-mini", Errors: "1 error",
		URL: "/chatbots/cb_1/improve/tests/compare?after=tr_1", Cancel: "/chatbots/cb_1/improve/tests/runs/tr_1/cancel", After: true,
	}
	earlier := ran
	earlier.ID, earlier.Before, earlier.After, earlier.State, earlier.Cause = "tr_2", true, false, "", "by hand"
	failing := &bot.TestResult{Outcome: unknown, HTML: "<p>No.</p>", F1: "0.00", Lacks: []string{"It doesn't say “" + hostile + "”."}, Cost: "120 tokens in, 3 out, 300 ms"}
	broken := &bot.TestResult{Failure: hostile}
	asked := []bot.TestQuestion{
		{ID: "tq_1", Question: hostile, Expects: "Should say “" + hostile + "”", Reference: hostile, Edit: "/chatbots/cb_1/improve/tests/tq_1", Remove: "/chatbots/cb_1/improve/tests/tq_1/remove", Before: passed, After: failing, Change: &bot.Outcome{Text: "Worse", Tone: ui.Bad}, Edited: true},
		{ID: "tq_2", Question: "When do you open?", Expects: "Should be answered", Edit: "/chatbots/cb_1/improve/tests/tq_2", Remove: "/chatbots/cb_1/improve/tests/tq_2/remove", After: passed, URL: "/chatbots/cb_1/improve/tests/compare?after=tr_1#tq_2"},
		{ID: "tq_3", Question: "And on Sunday?", Expects: "Should be answered", Edit: "/chatbots/cb_1/improve/tests/tq_3", Remove: "/chatbots/cb_1/improve/tests/tq_3/remove", Before: passed, After: broken},
	}
	typed := refused("expected", "Enter what the answer must say.", map[string]string{"question": hostile, "expects": "text", "expected": "", "reference": hostile, "document": hostile})
	tests := bot.Tests{
		Tabs: tabs, Base: "/chatbots/cb_1/improve/tests", MayEdit: true, Form: typed, Most: "200", Last: &ran, Questions: asked,
		Figures: []ui.Stat{{Name: "Passed", Value: "1 of 2", Change: "−50 points", Tone: ui.Bad}, {Name: "Match with expected answer", Value: "0.62"}},
		Compare: "/chatbots/cb_1/improve/tests/compare?before=tr_2&after=tr_1", Runs: []bot.TestRun{ran, earlier}, Choose: true, Titles: []string{hostile},
		Cost:  bot.RunCost{Questions: "30 questions", Left: "20", Included: "200", Half: "100", Halved: true, Short: true},
		Pages: ui.Pager{Text: "1–25 of 30 questions", Next: "/chatbots/cb_1/improve/tests?at=25"},
		CSV:   "/chatbots/cb_1/improve/tests/export?format=csv", JSONL: "/chatbots/cb_1/improve/tests/export?format=jsonl",
	}
	running := tests
	running.Current, running.Full, running.Cost.None = &ran, true, true
	side := bot.CompareTests{
		Base: tests.Base, Runs: []ui.Option{{Text: "–"}, {Value: "tr_1", Text: "Nov 3, 10:00 UTC · 1 of 2"}, {Value: "tr_2", Text: "Nov 2, 10:00 UTC · 2 of 2"}},
		Chosen:      ui.Form{Values: map[string]string{"before": "tr_2", "after": "tr_1"}},
		Figures:     []bot.TestFigure{{Name: "Passed", Before: "2 of 2", After: "1 of 2", Change: "−50 points", Tone: ui.Bad}, {Name: "Tokens in", Before: "1,200", After: "1,234"}},
		Differences: []string{"The knowledge changed: 12 documents before, 13 after.", "Setting “instructions” changed.", "Model: extractive → gpt-4o-mini"},
		Filters:     []ui.Tab{{Text: "Changed", URL: "?show=", Count: "1", Current: true}, {Text: "All", URL: "?show=all", Count: "2"}}, Questions: asked,
	}
	alone := side
	alone.One = true
	figures := bot.Analytics{
		Base: shell.AnalyticsURL("cb_1"), About: "November 2, 2026 to November 3, 2026.", Ranges: []ui.Tab{{Text: "7 days", URL: "/chatbots/cb_1/analytics?days=7", Current: true}},
		Form: refused("to", "The last day comes before the first. Swap them.", map[string]string{"from": "2026-11-03", "to": "2026-11-02"}), Any: true,
		Tiles:     []ui.Stat{{Name: "Questions", Value: "1,234", Change: "+12%", Tone: ui.Good}, {Name: "Answered", Value: "81%", Change: "−3 points", Tone: ui.Bad}},
		Charts:    []ui.Chart{{ID: "questions", Title: "Questions a day", Labels: []string{"Nov 2", "Nov 3"}, Series: []ui.Series{{Name: "Answered", Values: []float64{3, 70}}, {Name: "Not answered", Values: []float64{1, 0}}}}},
		Topics:    []bot.Top{{Name: hostile, Answers: "70"}},
		Documents: []bot.Top{{Name: hostile, URL: "/chatbots/cb_1/knowledge/doc_1", Answers: "70"}, {Name: "A document that was removed", Answers: "3"}},
	}
	empty := bot.Conversations{Base: list.Base, Filters: ui.Form{Values: map[string]string{}}}
	searched := empty
	searched.Filtered, searched.Partial, searched.Next = true, true, "/chatbots/cb_1/conversations?before=7"
	page := func(section shell.Section) shell.Layout { return ofChatbot(section, "Page") }
	return map[string]templ.Component{
		"conversations":         bot.ConversationsPage(page(shell.ConversationsSection), list),
		"conversations-thread":  bot.ConversationsPage(page(shell.ConversationsSection), open),
		"conversations-none":    bot.ConversationsPage(page(shell.ConversationsSection), empty),
		"conversations-partial": bot.ConversationsPage(page(shell.ConversationsSection), searched),
		"improve":               bot.ImprovePage(page(shell.ImproveSection), improve),
		"improve-none":          bot.ImprovePage(page(shell.ImproveSection), bot.Improve{Tabs: tabs}),
		"improve-answer":        bot.AnswerGapPage(page(shell.ImproveSection), bot.AnswerGap{Form: refused("answer", "Enter the answer.", map[string]string{"question": hostile, "answer": "", "message": "12"}), Before: "<p>I don't know.</p>"}),
		"improve-check":         bot.CheckAnswerPage(page(shell.ImproveSection), check),
		"improve-check-failed":  bot.CheckAnswerPage(page(shell.ImproveSection), failed),
		"improve-check-works":   bot.CheckAnswerPage(page(shell.ImproveSection), works),
		"improve-check-fails":   bot.CheckAnswerPage(page(shell.ImproveSection), fails),
		"improve-tests":         bot.TestsPage(page(shell.ImproveSection), tests),
		"improve-tests-running": bot.TestsPage(page(shell.ImproveSection), running),
		"improve-tests-edit":    bot.EditTestPage(page(shell.ImproveSection), bot.EditTest{Form: typed, Back: tests.Base, Action: tests.Base + "/tq_1"}),
		"improve-tests-import":  bot.ImportTestsPage(page(shell.ImproveSection), bot.ImportTests{Form: refused("file", "The file is empty.", map[string]string{"file": ""}), Action: tests.Base + "/import", Back: tests.Base, Most: "200"}),
		"improve-tests-compare": bot.CompareTestsPage(page(shell.ImproveSection), side),
		"improve-tests-run":     bot.CompareTestsPage(page(shell.ImproveSection), alone),
		"improve-tests-none":    bot.TestsPage(page(shell.ImproveSection), bot.Tests{Tabs: tabs, Form: ui.Form{Values: map[string]string{}}}),
		"analytics":             bot.AnalyticsPage(page(shell.AnalyticsSection), figures),
		"analytics-none":        bot.AnalyticsPage(page(shell.AnalyticsSection), bot.Analytics{Base: shell.AnalyticsURL("cb_1"), Form: ui.Form{Values: map[string]string{"from": "", "to": ""}}}),
	}
}
