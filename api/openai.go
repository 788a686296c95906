package api

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/api/openai"
	"parley/api/route"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/internal/requestid"
	"parley/text/markdown"
)

// openAIPrefix is where OpenAI's clients find what they look for below a base URL.
const openAIPrefix = route.V1 + "/openai"

// openAIClients are the handlers for OpenAI's clients.
type openAIClients struct{ *API }

// openAIForm reports whether a path is one of OpenAI's clients, and what it asks for.
func openAIForm(path string) (openai.Form, bool) {
	below, ok := strings.CutPrefix(path, openAIPrefix)
	if !ok || below != "" && below[0] != '/' {
		return 0, false
	}
	if below == "/responses" {
		return openai.Responses, true
	}
	return openai.Completions, true
}

// failOpenAI answers with OpenAI's error object.
func failOpenAI(c *fiber.Ctx, f failure, form openai.Form) error {
	if openai.Stays(f.name) {
		c.Set("X-Should-Retry", "false")
	}
	return respondAs(c, openAIFailure(f, form))
}

func openAIFailure(f failure, form openai.Form) openai.Failure {
	return openai.FailureOf(form, f.status, f.name, f.message, f.field)
}

// respondAs writes a body as it is.
func respondAs(c *fiber.Ctx, value any) error {
	body, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Send(body)
}

// complete answers POST /chat/completions.
func (h openAIClients) complete(c *fiber.Ctx, by caller) error {
	return h.answer(c, by, func() (*openai.Question, error) {
		var request openai.CompletionRequest
		if err := decode(c, &request); err != nil {
			return nil, err
		}
		return request.Question()
	})
}

// respond answers POST /responses.
func (h openAIClients) respond(c *fiber.Ctx, by caller) error {
	return h.answer(c, by, func() (*openai.Question, error) {
		var request openai.ResponseRequest
		if err := decode(c, &request); err != nil {
			return nil, err
		}
		return request.Question()
	})
}

// models lists the one model that a token can ask.
func (h openAIClients) models(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	return respondAs(c, openai.ModelsOf(openai.ModelOf(by.Chatbot.Name, by.Chatbot.CreatedAt)))
}

// model shows it by its id, or by the chatbot's name.
func (h openAIClients) model(c *fiber.Ctx, by caller) error {
	if err := h.count(c.UserContext(), by.Principal); err != nil {
		return err
	}
	if err := openai.CheckModel(pathID(c, "model"), by.Chatbot.Name); err != nil {
		return err
	}
	return respondAs(c, openai.ModelOf(by.Chatbot.Name, by.Chatbot.CreatedAt))
}

// answer admits a question, and answers it whole or as a stream.
func (h openAIClients) answer(c *fiber.Ctx, by caller, read func() (*openai.Question, error)) (err error) {
	transport, asked := turn.OpenAI, false
	defer func() {
		if err != nil && !asked {
			err = h.Turns.Refuse(transport, err)
		}
	}()
	admitted, err := h.admitQuestion(c, by.Principal)
	if err != nil {
		return err
	}
	streams := false
	defer func() {
		if !streams { // else the stream leaves it
			admitted.slot.Leave()
		}
	}()
	question, err := read()
	if err != nil {
		return err
	}
	if question.Stream {
		transport = turn.OpenAIStream
	}
	if err := openai.CheckModel(question.Model, by.Chatbot.Name); err != nil {
		return err
	}
	ask, err := h.ask(c, admitted, question)
	if err != nil {
		return err
	}
	if ended, is := question.Task(); is {
		if admitted.keyed { // else it is counted
			if err := h.count(c.UserContext(), by.Principal); err != nil {
				return err
			}
		}
		return h.task(c, question, ended)
	}
	ask.Transport, asked = transport, true
	if question.Stream {
		streams = true
		return h.stream(c, by, admitted, question, ask)
	}
	return h.whole(c, by, question, ask)
}

// ask is the question as every other is asked.
func (h openAIClients) ask(c *fiber.Ctx, admitted *admission, question *openai.Question) (ask turn.Ask, err error) {
	ask = turn.Ask{Message: question.Text, CallerContext: &question.CallerContext, Admit: admitted.begin, Delivery: turn.Delivery{Format: markdown.Markdown}}
	if ask.ExternalUserID, err = externalUserOf(c, question.User); err != nil {
		return ask, err
	}
	if ask.Key, err = keyOf(c, admitted.principal, ask.ExternalUserID); err != nil {
		return ask, err
	}
	if written := writtenID(jsontext.Value(question.Conversation)); written != nil {
		if ask.ConversationID, err = h.ids.conversationID(*written); err != nil {
			return ask, err
		}
	}
	if question.Previous == "" {
		return ask, nil
	}
	conversationID, answerID, err := h.ids.responseID(question.Previous)
	if err != nil || ask.ConversationID != 0 && ask.ConversationID != conversationID {
		return ask, turn.ErrNoPrevious
	}
	ask.ConversationID, ask.CallerContext.Follows = conversationID, answerID
	return ask, nil
}

// task answers what is no question for the chatbot. Nothing of it is stored.
func (h openAIClients) task(c *fiber.Ctx, question *openai.Question, ended openai.Ended) error {
	reply := openai.Reply{ID: requestid.Of(c), Created: time.Now()}
	if !question.Stream {
		return respondAs(c, openai.Whole(question, reply, ended))
	}
	encoder := openai.NewEncoder(question, reply)
	setEvents(c)
	return c.Send(encoder.End(encoder.Delta(encoder.Begin(nil), ended.Text), ended))
}

// whole answers with the whole answer at once.
func (h openAIClients) whole(c *fiber.Ctx, by caller, question *openai.Question, ask turn.Ask) error {
	reader := h.newReader(c)
	defer reader.leave()
	begun, err := h.Turns.Begin(reader.ctx, by.Principal, ask)
	if err != nil {
		return notPrevious(question, err)
	}
	bodies.Owe(c)
	answer, err := begun.Run(reader.ctx, nil)
	if err != nil {
		return err
	}
	return respondAs(c, openai.Whole(question, h.ids.reply(begun), openai.EndedOf(answer)))
}

// notPrevious says of a conversation that a response names, and that does not exist for the
// caller, what is said of a response that does not.
func notPrevious(question *openai.Question, err error) error {
	if question.Previous != "" && fault.Is(err, fault.NotFound) {
		return turn.ErrNoPrevious
	}
	return err
}

// reply is what is known of the answer of a turn that has begun.
func (i identifiers) reply(begun *turn.Turn) openai.Reply {
	conversation := strconv.FormatInt(i.Conversation(begun.Conversation.ID), 10)
	return openai.Reply{
		ID: conversation + "_" + strconv.FormatInt(i.Message(begun.AnswerID), 10), Conversation: conversation, Created: time.Now(),
	}
}

// responseID reads the id of a response, which joins the ids of its conversation
// and its answer.
func (i identifiers) responseID(written string) (conversationID, answerID int64, err error) {
	ids, _ := strings.CutPrefix(written, "resp_")
	first, second, _ := strings.Cut(ids, "_")
	conversationID, err = i.conversationID(first)
	answerID, notAnswer := i.messageID(second)
	if len(ids) == len(written) || answerID == 0 {
		return 0, 0, turn.ErrNoPrevious
	}
	return conversationID, answerID, cmp.Or(err, notAnswer)
}
