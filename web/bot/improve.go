package bot

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/insight"
	"parley/core/knowledge"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/text/markdown"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// improvePages are the handlers of the questions that a chatbot did not answer
// well.
type improvePages struct{ *page.Base }

const (
	// groupsShown is how many groups the page has, and phrasesShown how many
	// questions of each.
	groupsShown  = 50
	phrasesShown = 5
	settledShown = 10
)

func (s improvePages) layout(c *fiber.Ctx, v page.Visit) shell.Layout {
	return v.Layout(c, shell.ImproveSection, "Improve")
}

// groups shows the open gaps, grouped.
func (s improvePages) groups(c *fiber.Ctx, v page.Visit) error {
	groups, err := s.Insight.Gaps.Groups(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil {
		return err
	}
	settled, err := s.Insight.Gaps.Settled(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, settledShown)
	if err != nil {
		return err
	}
	base := shell.ImproveURL(v.Chatbot.ID)
	m := views.Improve{MayEdit: v.MayChange(tenant.EditKnowledge), More: max(0, len(groups)-groupsShown), Tabs: improveTabs(v.Chatbot.ID, "", len(groups))}
	for _, group := range groups[:min(len(groups), groupsShown)] {
		m.Groups = append(m.Groups, s.groupToView(v.Chatbot.ID, base, group))
	}
	for _, gap := range settled {
		m.Settled = append(m.Settled, views.SettledGap{
			Question: gap.Question, Document: shell.KnowledgeURL(v.Chatbot.ID) + "/" + gap.DocumentID,
		})
	}
	return page.Render(c, fiber.StatusOK, views.ImprovePage(s.layout(c, v), m))
}

func improveTabs(chatbotID, current string, groups int) []ui.Tab {
	base := shell.ImproveURL(chatbotID)
	questions := ui.Tab{Text: "Questions", URL: base, Current: current == ""}
	if groups > 0 {
		questions.Count = strconv.Itoa(groups)
	}
	return []ui.Tab{
		questions,
		{Text: "Test questions", URL: base + "/tests", Current: current == "tests"},
		{Text: "Search check", URL: shell.EvaluateURL(chatbotID), Current: current == "evaluate"},
	}
}

func (s improvePages) groupToView(chatbotID, base string, group insight.Group) views.GapGroup {
	newest := group.Gaps[0]
	message := strconv.FormatInt(s.IDs.Message(newest.MessageID), 10)
	shown := views.GapGroup{
		ID: message, Question: newest.Question, Count: len(group.Gaps), Disliked: group.Disliked(), At: newest.CreatedAt,
		Answer: base + "/answer?message=" + message, Dismiss: base + "/" + message + "/dismiss",
		Conversation: shell.ConversationsURL(chatbotID) + "/" + strconv.FormatInt(s.IDs.Conversation(newest.ConversationID), 10) + "?message=" + message,
	}
	if phrases := group.Questions(phrasesShown + 1); len(phrases) > 1 {
		shown.Phrases = phrases[1:]
	}
	return shown
}

// gapMessage reads the identifier of an answer. Zero is of none.
func (s improvePages) gapMessage(written string) int64 {
	n, err := strconv.ParseInt(written, 10, 64)
	if err != nil {
		return 0
	}
	sequence, _ := s.IDs.MessageSequence(n)
	return sequence
}

// dismiss takes a group out of the list.
func (s improvePages) dismiss(c *fiber.Ctx, v page.Visit) error {
	message := s.gapMessage(c.Params("message"))
	if message == 0 {
		return insight.ErrNoGap
	}
	n, err := s.Insight.Gaps.Dismiss(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, message)
	if err != nil {
		return err
	}
	return s.Flash(c, shell.ImproveURL(v.Chatbot.ID), page.Message{Text: counted(n, "question", "questions") + " dismissed."})
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// answerPage asks for the answer to a question, and shows the answer until now.
func (s improvePages) answerPage(c *fiber.Ctx, v page.Visit) error {
	m := views.AnswerGap{Form: ui.Form{Values: map[string]string{
		"question": c.Query("question"), "answer": "", "message": c.Query("message"),
	}}}
	if message := s.gapMessage(c.Query("message")); message != 0 {
		found, err := s.Insight.Feedback.Answer(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, v.Person.User.ID, message)
		if err != nil {
			return err
		}
		m.Form.Values["question"] = found.Question
		m.Before = markdown.Render(found.Content, markdown.HTML, v.Chatbot.ImageHosts)
	}
	return s.showAnswer(c, v, fiber.StatusOK, m)
}

func (s improvePages) showAnswer(c *fiber.Ctx, v page.Visit, status int, m views.AnswerGap) error {
	l := s.layout(c, v)
	l.Heading, l.About = "Add an answer", "It becomes a question-and-answer pair in the knowledge. Parley then asks the question again to show that it works."
	return page.Render(c, status, views.AnswerGapPage(l.At(shell.Crumb{Text: "Improve", URL: shell.ImproveURL(v.Chatbot.ID)}), m))
}

// answer adds the answer to the knowledge.
func (s improvePages) answer(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "message", "question", "answer")
	if err != nil {
		return err
	}
	document, err := s.Insight.Gaps.Answer(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, typed["question"], typed["answer"])
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			return s.showAnswer(c, v, status, views.AnswerGap{Form: f})
		})
	}
	to := url.Values{"question": {typed["question"]}}
	if typed["message"] != "" {
		to.Set("message", typed["message"])
	}
	return page.SeeOther(c, shell.ImproveURL(v.Chatbot.ID)+"/check/"+document.ID+"?"+to.Encode())
}

// checkPage waits for the document of an answer, and offers to ask again.
func (s improvePages) checkPage(c *fiber.Ctx, v page.Visit) error {
	if strings.TrimSpace(c.Query("question")) == "" {
		return page.SeeOther(c, shell.ImproveURL(v.Chatbot.ID)) // there is nothing to ask again
	}
	m, err := s.checked(c, v, c.Query("question"), c.Query("message"))
	if err != nil {
		return err
	}
	return s.showCheck(c, v, m)
}

func (s improvePages) showCheck(c *fiber.Ctx, v page.Visit, m views.CheckAnswer) error {
	l := s.layout(c, v)
	l.Heading = "Ask again"
	l = l.At(shell.Crumb{Text: "Improve", URL: shell.ImproveURL(v.Chatbot.ID)})
	return page.Render(c, fiber.StatusOK, views.CheckAnswerPage(l.With("ask-again.js"), m))
}

// checked describes an added answer.
func (s improvePages) checked(c *fiber.Ctx, v page.Visit, question, message string) (views.CheckAnswer, error) {
	document, err := s.Knowledge.Documents.Get(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, id.Parse(c.Params("document")))
	if err != nil {
		return views.CheckAnswer{}, err
	}
	base := shell.ImproveURL(v.Chatbot.ID)
	return views.CheckAnswer{
		Question: question, Message: message, Document: document.ID, Title: document.Title, Reason: document.Reason,
		DocumentURL: shell.KnowledgeURL(v.Chatbot.ID) + "/" + document.ID, Action: base + "/check/" + document.ID, Tests: base + "/tests", Back: base,
		Ready: document.State == knowledge.Ready, Failed: document.State == knowledge.Failed,
	}, nil
}

// check asks a question again. An answer settles the group of the question.
func (s improvePages) check(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "question", "message")
	if err != nil {
		return err
	}
	m, err := s.checked(c, v, typed["question"], typed["message"])
	if err != nil {
		return err
	}
	if !m.Ready {
		return s.showCheck(c, v, m)
	}
	if err := s.Pace.AskAgain(v.WorkspaceID()); err != nil {
		return err
	}
	principal, err := s.Chatbots.Playground.Enter(c.UserContext(), v.Person, v.Chatbot)
	if err != nil {
		return err
	}
	reply, err := s.Insight.Asker.AskAgain(c.UserContext(), principal, typed["question"])
	if err != nil {
		return err
	}
	m.Asked, m.Works = true, reply.Outcome == chat.Answered
	m.Cites = reply.Cites(m.Document)
	if m.HTML, err = answerToView(c.UserContext(), v, reply.Text, reply.Citations, ""); err != nil {
		return err
	}
	if m.Passages, err = passagesToView(c.UserContext(), s.Base, v, reply.Citations); err != nil {
		return err
	}
	if message := s.gapMessage(typed["message"]); m.Works && message != 0 {
		if m.Settled, err = s.Insight.Gaps.Settle(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, message, m.Document); err != nil {
			return err
		}
	}
	return s.showCheck(c, v, m)
}
