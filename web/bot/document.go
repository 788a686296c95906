package bot

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

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

func (s knowledgePages) documentPage(c *fiber.Ctx, v page.Visit) error {
	d, err := s.Browser.Document(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, id.Parse(c.Params("document")))
	if err != nil {
		return err
	}
	m := views.DocumentDetails{Document: documentToView(d), Tab: c.Query("tab", views.TabText), MayEdit: v.MayChange(tenant.EditKnowledge)}
	if !views.IsDocumentTab(m.Tab) {
		m.Tab = views.TabText
	}
	switch m.Tab {
	case views.TabPassages:
		err = s.passages(c, d, &m)
	case views.TabAnswers:
		err = s.answers(c, d, &m)
	case views.TabVersions:
		m.Facts = versionFacts(d)
	default:
		part, _ := strconv.Atoi(c.Query("part"))
		text := browse.TextOf(d.Content, part)
		m.Text = text.Text
		m.Parts = partPager(shell.DocumentURL(v.Chatbot.ID, d.ID), text)
	}
	if err != nil {
		return err
	}
	return page.Render(c, fiber.StatusOK, views.DocumentPage(v.Layout(c, shell.KnowledgeSection, d.Title), m))
}

// partPager leads to the other parts of a long text.
func partPager(path string, text browse.Text) ui.Pager {
	if text.Parts == 1 {
		return ui.Pager{}
	}
	p := ui.Pager{Text: "Part " + strconv.Itoa(text.Part) + " of " + strconv.Itoa(text.Parts)}
	if text.Part > 1 {
		p.Previous = path + "?part=" + strconv.Itoa(text.Part-1)
	}
	if text.Part < text.Parts {
		p.Next = path + "?part=" + strconv.Itoa(text.Part+1)
	}
	return p
}

func (s knowledgePages) passages(c *fiber.Ctx, d knowledge.Document, m *views.DocumentDetails) error {
	from, _ := strconv.Atoi(c.Query("from"))
	from = max(from, 0)
	found, more, err := s.Browser.Passages(c.UserContext(), d, from)
	if err != nil {
		return err
	}
	for _, p := range found {
		m.Found = append(m.Found, views.DocumentPassage{
			Number: plan.Thousands(p.Ordinal + 1), Tokens: plan.Thousands(p.Tokens), Path: strings.Join(p.HeadingPath, " › "), Place: p.Place, Text: p.Text, Encoded: p.Encoded,
		})
	}
	at := shell.DocumentURL(d.ChatbotID, d.ID) + "?tab=passages"
	if from > 0 {
		m.Parts.Previous = at + "&from=" + strconv.Itoa(max(from-browse.PassagesShown, 0))
	}
	if more {
		m.Parts.Next = at + "&from=" + strconv.Itoa(found[len(found)-1].Ordinal+1)
	}
	return nil
}

// answerShown is how much of an answer the page of a document shows, in bytes.
const answerShown = 400

func (s knowledgePages) answers(c *fiber.Ctx, d knowledge.Document, m *views.DocumentDetails) error {
	m.Among = plan.Thousands(browse.AnswersAmong)
	answers, err := s.Browser.Answers(c.UserContext(), d)
	for _, a := range answers {
		m.Answers = append(m.Answers, views.DocumentAnswer{
			Question: beginningOf(a.Question, answerShown), Text: beginningOf(a.Text, answerShown), Cited: a.Cited, At: a.At,
			URL: shell.ChatbotURL(d.ChatbotID) + "/conversations/" + strconv.FormatInt(s.IDs.Conversation(a.ConversationID), 10),
		})
	}
	return err
}

// beginningOf returns the first bytes of a text, to the end of a character.
func beginningOf(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for bytes > 0 && !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes] + "…"
}

func versionFacts(d knowledge.Document) []ui.Fact {
	live := "None: no answer uses this document"
	if d.Live > 0 {
		live = strconv.Itoa(d.Live)
	}
	facts := []ui.Fact{
		{Name: "Live version", Value: live},
		{Name: "Latest version", Value: strconv.Itoa(d.Version)},
		{Name: "Added", Value: ui.Stamp(d.CreatedAt)},
		{Name: "Changed", Value: ui.Stamp(d.UpdatedAt)},
	}
	if d.ExternalID != "" {
		facts = append(facts, ui.Fact{Name: "External ID", Value: d.ExternalID})
	}
	if d.FetchedAt != nil {
		facts = append(facts, ui.Fact{Name: "Last fetched", Value: ui.Stamp(*d.FetchedAt)})
	}
	return append(facts,
		ui.Fact{Name: "Characters", Value: plan.Thousands(d.Chars)}, ui.Fact{Name: "Passages", Value: plan.Thousands(d.Passages)},
		ui.Fact{Name: "Failed attempts", Value: strconv.Itoa(d.Attempts)}, ui.Fact{Name: "Content hash", Value: d.ContentHash},
	)
}
