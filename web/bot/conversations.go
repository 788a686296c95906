package bot

import (
	"cmp"
	"net/url"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/insight/history"
	"parley/core/tenant"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// conversationPages are the handlers of a chatbot's conversations.
type conversationPages struct{ *page.Base }

// list shows conversations without opening one.
func (s conversationPages) list(c *fiber.Ctx, v page.Visit) error {
	m, err := s.listed(c, v, 0)
	if err != nil {
		return err
	}
	return page.Render(c, fiber.StatusOK, views.ConversationsPage(s.layout(c, v), m))
}

func (s conversationPages) layout(c *fiber.Ctx, v page.Visit) shell.Layout {
	l := v.Layout(c, shell.ConversationsSection, "Conversations")
	l.Broad = true
	return l
}

// listed is the list, in which one conversation may be open.
func (s conversationPages) listed(c *fiber.Ctx, v page.Visit, open int64) (views.Conversations, error) {
	query, typed := s.queryOf(c, v)
	if before, err := strconv.ParseInt(c.Query("before"), 10, 64); err == nil {
		query.Before, _ = s.IDs.ConversationSequence(before)
	}
	m := views.Conversations{
		Base: shell.ConversationsURL(v.Chatbot.ID), Filters: ui.Form{Values: map[string]string{}}, Filtered: len(typed) > 0,
		MayDelete: v.May(tenant.ManageChatbots),
	}
	for _, name := range chooses {
		m.Filters.Values[name] = typed.Get(name)
	}
	listed, err := s.Insight.History.List(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, query)
	if err != nil {
		failure := fault.As(err)
		if failure.Kind != fault.Invalid {
			return m, err
		}
		m.Filters.Field, m.Filters.Message = failure.Field, failure.Message
	}
	if m.Tokens, err = s.tokenOptions(c, v); err != nil {
		return m, err
	}
	for _, found := range listed.Conversations {
		m.Rows = append(m.Rows, s.rowOf(found, m.Base, typed, open))
	}
	m.Partial = listed.Partial
	if listed.Next != 0 {
		m.Next = withQuery(m.Base, typed, "before", strconv.FormatInt(s.IDs.Conversation(listed.Next), 10))
	}
	m.Later = query.Before != 0
	m.First, m.Here = withQuery(m.Base, typed), m.Base
	if open != 0 {
		m.Here += "/" + strconv.FormatInt(s.IDs.Conversation(open), 10)
	}
	m.CSV = withQuery(m.Base+"/export", typed, "format", csvFormat)
	m.JSONL = withQuery(m.Base+"/export", typed, "format", jsonlFormat)
	return m, nil
}

func (s conversationPages) tokenOptions(c *fiber.Ctx, v page.Visit) ([]ui.Option, error) {
	tokens, err := s.Chatbots.Tokens.List(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID)
	if err != nil || len(tokens) == 0 {
		return nil, err
	}
	options := []ui.Option{{Text: "Any token"}}
	for _, t := range tokens {
		options = append(options, ui.Option{Value: t.ID, Text: t.Name})
	}
	return options, nil
}

func (s conversationPages) rowOf(found history.Summary, base string, typed url.Values, open int64) views.ConversationRow {
	row := views.ConversationRow{
		URL:   withQuery(base+"/"+strconv.FormatInt(s.IDs.Conversation(found.ID), 10), typed),
		Title: cmp.Or(found.Title, "No question yet"), User: found.ExternalUserID, At: found.CreatedAt,
		Up: found.ThumbsUp, Down: found.ThumbsDown, Current: found.ID == open,
	}
	row.Outcome = outcomeToView(found.Outcome)
	return row
}

// outcomeToView is a badge of an outcome. An answer that helped needs none in a list.
func outcomeToView(outcome chat.Outcome) views.Outcome {
	switch outcome {
	case chat.Answered:
		return views.Outcome{Text: "Answered", Tone: ui.Good}
	case chat.NoAnswer:
		return views.Outcome{Text: "No answer", Tone: ui.Warn}
	case chat.OutcomeFailed:
		return views.Outcome{Text: "Failed", Tone: ui.Bad}
	case chat.OutcomeStopped:
		return views.Outcome{Text: "Stopped"}
	case chat.OutcomeInterrupted:
		return views.Outcome{Text: "Interrupted"}
	}
	return views.Outcome{}
}
