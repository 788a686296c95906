package bot

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/answer"
	"parley/core/answer/format"
	"parley/core/chat"
	"parley/core/fault"
	"parley/core/insight"
	"parley/core/insight/history"
	"parley/core/plan"
	"parley/core/tenant"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/site"
)

// conversationPages are the handlers of a chatbot's conversations.
type conversationPages struct{ *site.Site }

// chooses are the inputs that choose conversations, in the address.
var chooses = []string{"q", "from", "to", "user", "outcome", "rating", "token", "origin"}

// queryOf reads the filters. What is no day, no outcome and no identifier chooses
// nothing in particular.
func (s conversationPages) queryOf(c *fiber.Ctx, v site.Visit) (query history.Query, typed url.Values) {
	typed = url.Values{}
	for _, name := range chooses {
		if value := strings.TrimSpace(c.Query(name)); value != "" {
			typed.Set(name, value)
		}
	}
	query = history.Query{
		Text: typed.Get("q"), ExternalUserID: typed.Get("user"), TokenID: typed.Get("token"), Viewer: v.Person.User.ID,
	}
	query.From, _ = time.Parse(time.DateOnly, typed.Get("from"))
	query.To, _ = time.Parse(time.DateOnly, typed.Get("to"))
	switch outcome := chat.Outcome(typed.Get("outcome")); outcome {
	case chat.Answered, chat.NoAnswer, chat.OutcomeFailed, chat.OutcomeStopped, chat.OutcomeInterrupted:
		query.Outcome = outcome
	}
	switch typed.Get("rating") {
	case "up":
		query.Rating = insight.ThumbUp
	case "down":
		query.Rating = insight.ThumbDown
	}
	if typed.Get("origin") == string(chat.Playground) {
		query.Origin = chat.Playground
	}
	return query, typed
}

// list shows conversations, none of which is open.
func (s conversationPages) list(c *fiber.Ctx, v site.Visit) error {
	m, err := s.listed(c, v, 0)
	if err != nil {
		return err
	}
	return site.Render(c, fiber.StatusOK, views.ConversationsPage(s.layout(c, v), m))
}

func (s conversationPages) layout(c *fiber.Ctx, v site.Visit) shell.Layout {
	l := v.Layout(c, shell.ConversationsSection, "Conversations")
	l.Broad = true
	return l
}

// listed is the list, in which one conversation may be open.
func (s conversationPages) listed(c *fiber.Ctx, v site.Visit, open int64) (views.Conversations, error) {
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
	page, err := s.Insight.History.List(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, query)
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
	for _, found := range page.Conversations {
		m.Rows = append(m.Rows, s.rowOf(found, m.Base, typed, open))
	}
	m.Partial = page.Partial
	if page.Next != 0 {
		m.Next = withQuery(m.Base, typed, "before", strconv.FormatInt(s.IDs.Conversation(page.Next), 10))
	}
	m.Later = query.Before != 0
	m.First = withQuery(m.Base, typed)
	m.CSV = withQuery(m.Base+"/export", typed, "format", string(history.CSV))
	m.JSONL = withQuery(m.Base+"/export", typed, "format", string(history.JSONL))
	return m, nil
}

// withQuery is an address with the filters, and with what is given besides.
func withQuery(base string, typed url.Values, more ...string) string {
	all := url.Values{}
	for name, values := range typed {
		all[name] = values
	}
	for i := 0; i+1 < len(more); i += 2 {
		all.Set(more[i], more[i+1])
	}
	if len(all) == 0 {
		return base
	}
	return base + "?" + all.Encode()
}

func (s conversationPages) tokenOptions(c *fiber.Ctx, v site.Visit) ([]ui.Option, error) {
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
		Up: found.ThumbsUp, Down: found.ThumbsDown, Current: found.ID == open, Playground: found.Origin == chat.Playground,
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

// sequence reads the identifier of a conversation in the address.
func (s conversationPages) sequence(c *fiber.Ctx) (int64, error) {
	if written, err := strconv.ParseInt(c.Params("conversation"), 10, 64); err == nil {
		if id, ok := s.IDs.ConversationSequence(written); ok {
			return id, nil
		}
	}
	return 0, chat.ErrNoConversation
}

// thread shows a conversation beside the list, and what one of its answers was made
// from.
func (s conversationPages) thread(c *fiber.Ctx, v site.Visit) error {
	id, err := s.sequence(c)
	if err != nil {
		return err
	}
	var before int64
	if written, err := strconv.ParseInt(c.Query("until"), 10, 64); err == nil {
		before, _ = s.IDs.MessageSequence(written)
	}
	thread, err := s.Insight.History.Thread(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, v.Person.User.ID, id, before)
	if err != nil {
		return err
	}
	m, err := s.listed(c, v, id)
	if err != nil {
		return err
	}
	if m.Thread, err = s.threadToView(c, v, thread); err != nil {
		return err
	}
	l := s.layout(c, v)
	l.Title = m.Thread.Title + " – " + v.Chatbot.Name
	return site.Render(c, fiber.StatusOK, views.ConversationsPage(l, m))
}

func (s conversationPages) threadToView(c *fiber.Ctx, v site.Visit, thread history.Thread) (*views.Thread, error) {
	_, typed := s.queryOf(c, v)
	base := shell.ConversationsURL(v.Chatbot.ID)
	address := base + "/" + strconv.FormatInt(s.IDs.Conversation(thread.ID), 10)
	shown := &views.Thread{
		Title: cmp.Or(thread.Title, "No question yet"), User: thread.ExternalUserID, At: thread.CreatedAt, Back: withQuery(base, typed),
		Delete: address + "/delete", Playground: thread.Origin == chat.Playground,
	}
	if thread.Earlier != 0 {
		shown.Earlier = withQuery(address, typed, "until", strconv.FormatInt(s.IDs.Message(thread.Earlier), 10))
	}
	chosen := s.chosen(c, thread)
	for i := range thread.Messages {
		m := &thread.Messages[i]
		message := views.ThreadMessage{
			ID: strconv.FormatInt(s.IDs.Message(m.ID), 10), Question: m.Role == chat.User, Text: m.Content, At: m.CreatedAt,
		}
		if !message.Question {
			message.HTML = format.Render(m.Content, format.HTML, v.Chatbot.ImageHosts)
			message.Outcome, message.Writing = outcomeToView(m.Outcome), m.Status == chat.Generating
			message.URL = withQuery(address, typed, "message", message.ID) + "#message-" + message.ID
			message.Rate = address + "/" + message.ID + "/rate"
			if m.Feedback != nil {
				message.Rating, message.Comment = int(m.Feedback.Rating), m.Feedback.Comment
			}
			if m == chosen {
				message.Current = true
				shown.Inspected = s.inspect(v, m)
				if v.MayChange(tenant.EditKnowledge) {
					shown.Inspected.Fix = shell.ImproveURL(v.Chatbot.ID) + "/answer?message=" + message.ID
				}
			}
		}
		shown.Messages = append(shown.Messages, message)
	}
	return shown, nil
}

// chosen is the answer that the address names, or the last one.
func (s conversationPages) chosen(c *fiber.Ctx, thread history.Thread) (last *history.Message) {
	written, _ := strconv.ParseInt(c.Query("message"), 10, 64)
	named, _ := s.IDs.MessageSequence(written)
	for i := range thread.Messages {
		m := &thread.Messages[i]
		if m.Role == chat.User {
			continue
		}
		if m.ID == named {
			return m
		}
		last = m
	}
	return last
}

// inspect says what an answer was made from, and what it cost.
func (s conversationPages) inspect(v site.Visit, m *history.Message) *views.Inspected {
	shown := &views.Inspected{Query: m.Query, Outcome: outcomeToView(m.Outcome)}
	for _, citation := range m.Citations {
		shown.Passages = append(shown.Passages, passageToView(v.Chatbot.ID, citation))
	}
	if r := m.Record; r != nil {
		about := ""
		if r.Usage.Estimated {
			about = " (estimated)"
		}
		shown.Facts = []ui.Fact{
			{Name: "Model", Value: cmp.Or(r.Model, "–")},
			{Name: "Time to first token", Value: took(r.FirstToken)},
			{Name: "Total time", Value: took(r.Total)},
			{Name: "Prompt tokens", Value: plan.Thousands(r.Usage.PromptTokens) + about},
			{Name: "Answer tokens", Value: plan.Thousands(r.Usage.CompletionTokens) + about},
			{Name: "Citations removed", Value: plan.Thousands(r.Refuted)},
			{Name: "Message", Value: strconv.FormatInt(s.IDs.Message(m.ID), 10)},
		}
	}
	return shown
}

func passageToView(chatbotID string, citation answer.Citation) views.CitedPassage {
	path := citation.HeadingPath
	if len(path) > 0 && path[0] == citation.Title {
		path = path[1:]
	}
	return views.CitedPassage{
		Number: strconv.Itoa(citation.Number), Title: citation.Title, Path: strings.Join(path, " › "), Place: citation.Place,
		Cited: citation.Cited, URL: shell.KnowledgeURL(chatbotID) + "/" + citation.DocumentID,
	}
}

// took is a duration as people read it.
func took(d time.Duration) string {
	switch {
	case d <= 0:
		return "–"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// rate stores what a member thinks of an answer.
func (s conversationPages) rate(c *fiber.Ctx, v site.Visit) error {
	id, err := s.sequence(c)
	if err != nil {
		return err
	}
	written, _ := strconv.ParseInt(c.Params("message"), 10, 64)
	message, _ := s.IDs.MessageSequence(written)
	rated, err := s.Insight.Feedback.Answer(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, v.Person.User.ID, message)
	if err != nil {
		return err
	}
	if rated.ConversationID != id {
		return chat.ErrNoConversation
	}
	typed, err := site.ReadForm(c, "rating", "comment")
	if err != nil {
		return err
	}
	given := insight.Opinion{Comment: typed["comment"]}
	switch typed["rating"] {
	case "up":
		given.Rating = insight.ThumbUp
	case "down":
		given.Rating = insight.ThumbDown
	}
	if _, err := s.Insight.Feedback.FromMember(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, v.Person.User.ID, message, given); err != nil {
		return err
	}
	return site.SeeOther(c, shell.ConversationsURL(v.Chatbot.ID)+"/"+url.PathEscape(c.Params("conversation"))+"?message="+strconv.FormatInt(written, 10))
}

// remove deletes a conversation.
func (s conversationPages) remove(c *fiber.Ctx, v site.Visit) error {
	id, err := s.sequence(c)
	if err != nil {
		return err
	}
	if err := s.Insight.History.Delete(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, v.Person.User.ID, id); err != nil {
		return err
	}
	return s.Flash(c, shell.ConversationsURL(v.Chatbot.ID), site.Message{Text: "Conversation deleted."})
}

// writeWait is how long a reader of an export may take nothing.
const writeWait = 30 * time.Second

// export sends the conversations that the filters choose, as a file that is made
// while it is read.
func (s conversationPages) export(c *fiber.Ctx, v site.Visit) error {
	query, _ := s.queryOf(c, v)
	as, kind := history.CSV, "text/csv; charset=utf-8"
	if c.Query("format") == string(history.JSONL) {
		as, kind = history.JSONL, "application/jsonl; charset=utf-8"
	}
	c.Set(fiber.HeaderContentType, kind)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="conversations-`+s.Now().UTC().Format(time.DateOnly)+"."+string(as)+`"`)
	// Nothing of c may be used once the handler has returned.
	conn, read := c.Context().Conn(), s.Insight.History.Export(context.WithoutCancel(c.UserContext()), v.WorkspaceID(), v.Chatbot.ID, query, as, s.IDs)
	c.Context().SetBodyStream(patient{func(into []byte) (int, error) {
		if err := conn.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
			return 0, err
		}
		return read.Read(into)
	}}, -1)
	return nil
}

// patient gives each part of a body its time.
type patient struct{ read func([]byte) (int, error) }

// Read implements [io.Reader].
func (p patient) Read(into []byte) (int, error) { return p.read(into) }
