package bot

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/insight"
	"parley/core/insight/history"
	"parley/core/plan"
	"parley/core/tenant"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

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
func (s conversationPages) thread(c *fiber.Ctx, v page.Visit) error {
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
	return page.Render(c, fiber.StatusOK, views.ConversationsPage(l, m))
}

func (s conversationPages) threadToView(c *fiber.Ctx, v page.Visit, thread history.Thread) (*views.Thread, error) {
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
	var err error
	chosen := s.chosen(c, thread)
	for i := range thread.Messages {
		m := &thread.Messages[i]
		message := views.ThreadMessage{
			ID: strconv.FormatInt(s.IDs.Message(m.ID), 10), Question: m.Role == chat.User, Text: m.Content,
		}
		if !message.Question {
			message.Outcome, message.Writing = outcomeToView(m.Outcome), m.Status == chat.Generating
			message.URL = withQuery(address, typed, "message", message.ID) + "#message-" + message.ID
			message.Rate = address + "/" + message.ID + "/rate"
			if m.Feedback != nil {
				message.Rating, message.Comment = int(m.Feedback.Rating), m.Feedback.Comment
			}
			at := ""
			if message.Current = m == chosen; !message.Current {
				at = withQuery(address, typed, "message", message.ID)
			}
			if message.HTML, err = answerToView(c.UserContext(), v, m.Content, m.Citations, at); err != nil {
				return nil, err
			}
			if message.Current {
				if shown.Inspected, err = s.inspect(c.UserContext(), v, m); err != nil {
					return nil, err
				}
				if v.MayChange(tenant.EditKnowledge) {
					shown.Inspected.Fix = shell.ImproveURL(v.Chatbot.ID) + "/answer?message=" + message.ID
				}
			}
		}
		shown.Messages = append(shown.Messages, message)
	}
	return shown, nil
}

// message leads to the conversation that has a message.
func (s conversationPages) message(c *fiber.Ctx, v page.Visit) error {
	written, _ := strconv.ParseInt(c.Params("message"), 10, 64)
	id, known := s.IDs.MessageSequence(written)
	if !known {
		return insight.ErrNoMessage
	}
	answer, err := s.Insight.Feedback.Answer(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, v.Person.User.ID, id)
	if err != nil {
		return err
	}
	address := shell.ConversationsURL(v.Chatbot.ID) + "/" + strconv.FormatInt(s.IDs.Conversation(answer.ConversationID), 10)
	return page.SeeOther(c, address+"?message="+strconv.FormatInt(written, 10)+"#message-"+strconv.FormatInt(written, 10))
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
func (s conversationPages) inspect(ctx context.Context, v page.Visit, m *history.Message) (*views.Inspected, error) {
	shown := &views.Inspected{Query: m.Query, Outcome: outcomeToView(m.Outcome)}
	shown.Facts = []ui.Fact{{Name: "Message", Value: strconv.FormatInt(s.IDs.Message(m.ID), 10)}}
	var err error
	if shown.Passages, err = passagesToView(ctx, s.Base, v, m.Citations); err != nil {
		return nil, err
	}
	if r := m.Record; r != nil {
		about := ""
		if r.Usage.Estimated {
			about = " (estimated)"
		}
		shown.Facts = append(shown.Facts, []ui.Fact{
			{Name: "Model", Value: cmp.Or(r.Model, "–")},
			{Name: "Time to first token", Value: durationText(r.FirstToken)},
			{Name: "Total time", Value: durationText(r.Total)},
			{Name: "Prompt tokens", Value: plan.Thousands(r.Usage.PromptTokens) + about},
			{Name: "Answer tokens", Value: plan.Thousands(r.Usage.CompletionTokens) + about},
		}...)
		if r.RerankTokens > 0 {
			shown.Facts = append(shown.Facts, ui.Fact{Name: "Of these, for ordering the passages", Value: plan.Thousands(r.RerankTokens)})
		}
		shown.Facts = append(shown.Facts,
			ui.Fact{Name: "Citations removed", Value: plan.Thousands(r.Refuted)},
			ui.Fact{Name: "Recorded", Value: r.At.UTC().Format("Jan 2, 2006, 15:04 UTC")},
		)
	}
	return shown, nil
}

// durationText formats a duration for people.
func durationText(d time.Duration) string {
	switch {
	case d <= 0:
		return "–"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}
