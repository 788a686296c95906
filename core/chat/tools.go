package chat

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"parley/core/answer/prompt"
	"parley/core/chatbot"
	"parley/core/retrieval"
)

const (
	// maxRounds is how often a model may call tools before it has to answer.
	maxRounds = 3
	// maxCalls is how many of its calls are carried out in a round.
	maxCalls = 4
	// maxToolPassages bounds the passages that tools give in all.
	maxToolPassages = 15
)

// talk is who hears what a model does. The first error ends the conversation.
type talk struct {
	// text is given each piece of the answer.
	text func(piece string) error
	// waiting is given a message for a person before it takes longer.
	waiting func(message string) error
	// found is given passages that the model is given in addition, which are
	// counted on from those before.
	found func(more []retrieval.Result)
}

// conversing is one answer with its calls of tools.
type conversing struct {
	service *Service
	model   Model
	bot     *chatbot.Chatbot
	talk    talk
	// prompt grows by what was called and what came of it.
	prompt prompt.Prompt
	// used is the sum of all rounds, without their calls.
	used Generated
	// left is nil before the first call.
	left *prompt.Budget
	// said is the text of this round, and tail the last bytes of all.
	said strings.Builder
	tail string
	// parted says that calls came after the text: what follows begins a
	// paragraph.
	parted bool
	// ids are those of all calls.
	ids map[string]bool
	// added counts the passages that tools gave.
	added int
}

func newConversing(s *Service, model Model, bot *chatbot.Chatbot, prompt prompt.Prompt, talk talk) *conversing {
	prompt.Messages = slices.Clip(prompt.Messages)
	prompt.Passages = slices.Clip(prompt.Passages)
	return &conversing{service: s, model: model, bot: bot, talk: talk, prompt: prompt, ids: map[string]bool{}}
}

// run asks the model and carries out what tools it calls, at most maxRounds
// times. Then the tools are left out, so that it has to answer.
func (c *conversing) run(ctx context.Context) error {
	for round := 0; ; round++ {
		if round == maxRounds {
			c.prompt.Tools = nil
		}
		calls, err := c.ask(ctx)
		if err != nil || len(calls) == 0 {
			return err
		}
		if c.left == nil {
			c.left = c.budget()
		}
		if err := c.carryOut(ctx, calls); err != nil {
			return err
		}
		if c.left.Full() {
			c.prompt.Tools = nil
		}
	}
}

// ask has the model say what it says next, and returns what it calls for.
func (c *conversing) ask(ctx context.Context) ([]prompt.Call, error) {
	c.said.Reset()
	last := len(c.prompt.Tools) == 0
	generated, err := c.model.Generate(ctx, c.take(last), c.emit)
	c.used.Usage = c.used.Usage.Plus(generated.Usage)
	c.used.Model = cmp.Or(generated.Model, c.used.Model)
	if last {
		return nil, err
	}
	return generated.Calls, err
}

// take returns the prompt, and lets go of it for the last round: a stream that
// stays open need not keep it.
func (c *conversing) take(last bool) prompt.Prompt {
	taken := c.prompt
	if last {
		c.prompt = prompt.Prompt{}
	}
	return taken
}

func (c *conversing) budget() *prompt.Budget {
	left := prompt.NewBudget(windowOf(c.model), c.bot)
	for _, message := range c.prompt.Messages {
		left.Spend(message.Text)
	}
	for _, tool := range c.prompt.Tools {
		left.Spend(tool.Name, tool.Description, tool.Parameters)
	}
	return left
}

// emit hands a piece of the answer on.
func (c *conversing) emit(piece string) error {
	if len(c.prompt.Tools) > 0 {
		c.said.WriteString(piece)
	}
	if c.parted && c.tail != "" {
		if piece = strings.TrimLeft(piece, "\r\n"); piece == "" {
			return nil
		}
		piece = blankLine(c.tail) + piece
	}
	c.parted = false
	c.tail = lastTwo(c.tail, piece)
	return c.talk.text(piece)
}

// lastTwo is the last two bytes of two texts.
func lastTwo(before, text string) string {
	if len(text) < 2 {
		text = before + text
	}
	return text[max(0, len(text)-2):]
}

// blankLine is what is missing to a blank line behind a text.
func blankLine(tail string) string {
	switch {
	case strings.HasSuffix(tail, "\n\n"):
		return ""
	case strings.HasSuffix(tail, "\n"):
		return "\n"
	}
	return "\n\n"
}

// carryOut does what a round called for, and adds it to the prompt.
func (c *conversing) carryOut(ctx context.Context, calls []prompt.Call) error {
	c.parted = true
	calls, queries := c.read(calls)
	c.say(prompt.Message{Role: prompt.AssistantRole, Text: c.said.String(), Calls: calls})
	if !slices.ContainsFunc(queries, func(q searchCall) bool { return q.wrong == "" }) {
		if err := c.talk.waiting("Going on with the answer."); err != nil {
			return err
		}
	}
	for i, query := range queries {
		result := query.wrong
		if result == "" {
			if err := c.talk.waiting("Searching the knowledge for “" + prompt.CleanLine(query.text, maxShownQuery) + "”."); err != nil {
				return err
			}
			var err error
			if result, err = c.search(ctx, query.text); err != nil {
				return err
			}
		}
		c.say(prompt.Message{Role: prompt.ToolRole, Text: result, CallID: calls[i].ID})
	}
	return nil
}

func (c *conversing) say(message prompt.Message) {
	c.prompt.Messages = append(c.prompt.Messages, message)
	c.left.Spend(message.Text)
	for _, call := range message.Calls {
		c.left.Spend(call.Name + call.Arguments)
	}
}
