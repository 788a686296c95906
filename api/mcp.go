package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/api/mcp"
	"parley/api/route"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/internal/plain"
	"parley/internal/requestid"
	"parley/internal/requestline"
	"parley/text/markdown"
)

const (
	toolsPath = route.V1 + mcp.Path
	// maxRefusal is how much is shown of why a message was refused, in characters.
	maxRefusal = 300
)

var errForeignOrigin = fault.New(fault.Forbidden, "This request came from the page of another site. Connect from a program, not from a page.").Named("foreign_origin")

// tools is the handler of programs that use the chatbot as a server of the Model Context
// Protocol.
type tools struct {
	*API
	server    *mcp.Server
	knowledge *mcp.Knowledge
}

func newTools(a *API) tools {
	return tools{a, mcp.New(), mcp.NewKnowledge(a.Searcher, a.Browser, a.BaseURL)}
}

// answer answers one message. Each counts as a request, and one that asks the chatbot as
// a question does in POST /chat.
func (h tools) answer(c *fiber.Ctx, by caller) error {
	if !h.isOwnOrigin(c.Get(fiber.HeaderOrigin)) {
		return errForeignOrigin
	}
	var message mcp.Message
	err := decodeUpTo(c, maxMessageValues, &message)
	if err == nil {
		err = message.Check()
	}
	if err != nil || !message.Asks() {
		if limited := h.count(c.UserContext(), by.Principal); limited != nil {
			return limited
		}
	}
	if err != nil {
		return err
	}
	visit := &toolCaller{tools: h, by: by, requestID: requestid.Of(c), line: requestline.Of(c)}
	if message.Asks() {
		if visit.admitted, err = h.admitQuestion(c, by.Principal); err != nil {
			return h.Turns.Refuse(turn.MCP, err)
		}
		defer visit.admitted.slot.Leave()
		bodies.Owe(c)
	}
	if visit.key, err = keyOf(c, by.Principal, ""); err != nil {
		return err
	}
	reader := h.newReader(c)
	defer reader.leave()
	visit.ctx = reader.ctx
	return h.send(c, h.server.Answer(reader.ctx, mcp.Request{
		Message: &message, Body: c.Request().Body(), Headers: protocolHeaders(c),
		ReadsKnowledge: by.Needs(chatbot.ScopeReadKnowledge) == nil, Caller: visit,
	}))
}

// send sends the answer to a message. What the protocol's library refuses in a sentence
// of its own becomes an envelope.
func (h tools) send(c *fiber.Ctx, r mcp.Response) error {
	if len(r.Body) > 0 && strings.HasPrefix(r.ContentType, fiber.MIMEApplicationJSON) && r.Status < http.StatusInternalServerError {
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Status(r.Status).Send(r.Body)
	}
	switch {
	case r.Status >= http.StatusInternalServerError:
		return fault.Wrap(fault.Internal, errors.New(string(r.Body)), "internal error")
	case r.Status >= http.StatusBadRequest:
		return fault.New(fault.Invalid, "This is no message that the server takes: %s", plain.Shorten(string(r.Body), maxRefusal))
	case len(r.Body) == 0 && r.Status == http.StatusOK: // the caller went away
		return errClientGone
	}
	c.Status(r.Status)
	return nil
}

// isOwnOrigin reports whether a request comes from a page of this server, or from no
// page. The Host says nothing: a name that was made to lead here is in both.
func (h tools) isOwnOrigin(origin string) bool {
	own, err := url.Parse(h.BaseURL)
	return origin == "" || err == nil && own.Host != "" && strings.EqualFold(origin, own.Scheme+"://"+own.Host)
}

func protocolHeaders(c *fiber.Ctx) http.Header {
	headers := http.Header{}
	for name, value := range c.Request().Header.All() {
		if mcp.IsHeader(string(name)) {
			headers.Add(string(name), string(value))
		}
	}
	return headers
}

// toolCaller is a program that uses the tools.
type toolCaller struct {
	tools
	by caller
	// ctx ends when the program goes away.
	ctx       context.Context
	requestID string
	line      *requestline.Line
	// admitted is what a question has been admitted to, and nil for other messages.
	admitted *admission
	key      *chat.Key
}

// Search returns documents with passages that match a query.
func (t *toolCaller) Search(_ context.Context, query string) (mcp.Results, error) {
	results, err := t.knowledge.Search(t.ctx, &t.by.Chatbot, query)
	return results, t.explained(err)
}

// Fetch returns a document.
func (t *toolCaller) Fetch(_ context.Context, documentID string) (mcp.Document, error) {
	var document mcp.Document
	err := bodies.Heavily(t.ctx, route.Network(t.ctx), func() (err error) {
		document, err = t.knowledge.Fetch(t.ctx, &t.by.Chatbot, documentID)
		return err
	})
	return document, t.explained(err)
}

// Ask asks the chatbot.
func (t *toolCaller) Ask(_ context.Context, question, conversationID string) (mcp.Answer, error) {
	answered, err := t.ask(question, conversationID)
	return answered, t.explained(err)
}

func (t *toolCaller) ask(question, conversationID string) (answered mcp.Answer, err error) {
	ask := turn.Ask{Transport: turn.MCP, Message: question, Delivery: turn.Delivery{Format: markdown.Markdown}, Key: t.key, Admit: t.admitted.begin}
	if conversationID != "" {
		if ask.ConversationID, err = t.ids.conversationID(conversationID); err != nil {
			return answered, t.Turns.Refuse(turn.MCP, err)
		}
	}
	begun, err := t.Turns.Begin(t.ctx, t.by.Principal, ask)
	if err != nil {
		return answered, err
	}
	answer, err := begun.Run(t.ctx, nil)
	if err != nil {
		return answered, err
	}
	bot := &t.by.Chatbot
	answered = mcp.Answer{
		Answer:         markdown.Render(answer.Text, markdown.Markdown, bot.ImageHosts),
		ConversationID: strconv.FormatInt(t.IDs.Conversation(begun.Conversation.ID), 10), MessageID: strconv.FormatInt(t.IDs.Message(answer.MessageID), 10),
		Outcome: string(answer.Outcome), Sources: []mcp.Citation{},
	}
	for _, citation := range answer.Citations {
		answered.Sources = append(answered.Sources, mcp.Citation{
			Number: citation.Number, Cited: citation.Cited, ID: citation.DocumentID, Title: citation.Title, URL: t.knowledge.URL(bot, citation.DocumentID, citation.URL),
		})
	}
	return answered, nil
}

// Panicked returns the error of a tool that panicked.
func (t *toolCaller) Panicked(cause error) error {
	return t.explained(fault.Wrap(fault.Internal, cause, "internal error"))
}

// explained returns an error as the caller reads it: its sentence with its code.
func (t *toolCaller) explained(err error) error {
	if err == nil {
		return nil
	}
	f := failureOf(err)
	logFailure(t.Log, f, t.requestID, err)
	if errors.Is(err, turn.ErrLeft) {
		t.line.Fail(requestline.ClientGone, "")
	} else {
		t.line.Fail(f.status, string(f.name))
	}
	return errors.New(f.message + " (" + string(f.name) + ")") //nolint:err113 // a model reads it
}
