package answer

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"parley/core/answer/prompt"
	"parley/core/chatbot"
	"parley/core/retrieval"
	"parley/text/clean"
)

const (
	// maxRounds is how often a model may call tools before it has to answer.
	maxRounds = 3
	// maxCalls is how many of a model's calls are executed in a round.
	maxCalls = 4
	// maxToolPassages bounds the passages that tools give in all.
	maxToolPassages = 15
)

// listener hears what a model does. The first error ends the rounds.
type listener interface {
	// text takes each piece of the answer.
	text(piece string) error
	// waiting takes a message for a person before something takes longer.
	waiting(message string) error
	// addPassages adds passages that the model is given. They continue the
	// numbers of the earlier ones.
	addPassages(more []retrieval.Result)
}

// rounds are the calls of a model for one answer. In each round the model either
// calls tools or answers.
type rounds struct {
	pipeline *Pipeline
	model    Model
	bot      *chatbot.Chatbot
	listener listener
	// prompt grows by the calls and their results.
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
	// ids are the IDs of all tool calls so far.
	ids map[string]bool
	// added counts the passages that tools gave.
	added int
}

func newRounds(p *Pipeline, model Model, bot *chatbot.Chatbot, asked prompt.Prompt, to listener) *rounds {
	asked.Messages = slices.Clip(asked.Messages)
	asked.Passages = slices.Clip(asked.Passages)
	return &rounds{pipeline: p, model: model, bot: bot, listener: to, prompt: asked, ids: map[string]bool{}}
}

// run asks the model and executes the tools that it calls, at most maxRounds
// times. After that it offers no tools, so that the model has to answer.
func (r *rounds) run(ctx context.Context) error {
	for round := 0; ; round++ {
		if round == maxRounds {
			r.prompt.Tools = nil
		}
		calls, err := r.ask(ctx)
		if err != nil || len(calls) == 0 {
			return err
		}
		if r.left == nil {
			r.left = r.budget()
		}
		if err := r.execute(ctx, calls); err != nil {
			return err
		}
		if r.left.Full() {
			r.prompt.Tools = nil
		}
	}
}

// ask has the model say what it says next, and returns what it calls for.
func (r *rounds) ask(ctx context.Context) ([]prompt.Call, error) {
	r.said.Reset()
	last := len(r.prompt.Tools) == 0
	generated, err := r.model.Generate(ctx, r.takePrompt(last), r.emit)
	r.used.Usage = r.used.Usage.Plus(generated.Usage)
	r.used.Model = cmp.Or(generated.Model, r.used.Model)
	r.used.Finish = generated.Finish
	if last {
		return nil, err
	}
	return generated.Calls, err
}

// takePrompt returns the prompt, and drops it before the last round: a stream that
// stays open need not keep it.
func (r *rounds) takePrompt(last bool) prompt.Prompt {
	taken := r.prompt
	if taken.Once = last; last {
		r.prompt = prompt.Prompt{}
	}
	return taken
}

func (r *rounds) budget() *prompt.Budget {
	left := prompt.NewBudget(windowOf(r.model), r.bot)
	for _, message := range r.prompt.Messages {
		left.Spend(message.Text)
	}
	for _, tool := range r.prompt.Tools {
		left.Spend(tool.Name, tool.Description, tool.Parameters)
	}
	return left
}

// emit hands a piece of the answer on.
func (r *rounds) emit(piece string) error {
	if len(r.prompt.Tools) > 0 {
		r.said.WriteString(piece)
	}
	if r.parted && r.tail != "" {
		if piece = strings.TrimLeft(piece, "\r\n"); piece == "" {
			return nil
		}
		piece = blankLine(r.tail) + piece
	}
	r.parted = false
	r.tail = lastTwo(r.tail, piece)
	return r.listener.text(piece)
}

// lastTwo is the last two bytes of two texts.
func lastTwo(before, text string) string {
	if len(text) < 2 {
		text = before + text
	}
	return text[max(0, len(text)-2):]
}

// blankLine is what a text lacks to end with a blank line.
func blankLine(tail string) string {
	switch {
	case strings.HasSuffix(tail, "\n\n"):
		return ""
	case strings.HasSuffix(tail, "\n"):
		return "\n"
	}
	return "\n\n"
}

// execute does what a round called for, and adds it to the prompt.
func (r *rounds) execute(ctx context.Context, calls []prompt.Call) error {
	r.parted = true
	calls, queries := r.read(calls)
	r.addMessage(prompt.Message{Role: prompt.AssistantRole, Text: r.said.String(), Calls: calls})
	if !slices.ContainsFunc(queries, func(q searchCall) bool { return q.wrong == "" }) {
		if err := r.listener.waiting("Going on with the answer."); err != nil {
			return err
		}
	}
	for i, query := range queries {
		result := query.wrong
		if result == "" {
			if err := r.listener.waiting("Searching the knowledge for “" + clean.Line(query.text, maxShownQuery) + "”."); err != nil {
				return err
			}
			var err error
			if result, err = r.search(ctx, query.text); err != nil {
				return err
			}
		}
		r.addMessage(prompt.Message{Role: prompt.ToolRole, Text: result, CallID: calls[i].ID})
	}
	return nil
}

func (r *rounds) addMessage(message prompt.Message) {
	r.prompt.Messages = append(r.prompt.Messages, message)
	r.left.Spend(message.Text)
	for _, call := range message.Calls {
		r.left.Spend(call.Name + call.Arguments)
	}
}

// Output receives an answer as it is made. An error that it returns ends the
// answer.
type Output interface {
	// Delta takes the next piece of the text.
	Delta(piece string) error
	// Waiting takes a message for a person before something takes longer.
	Waiting(message string) error
}

// Generate has the model answer, and checks what it says on the way to out.
// Whole says that nobody reads the answer before its end.
//
// An open stream stays in this frame while its model thinks. What comes before
// and after has frames of its own: docs/adr/0009 has the measurement.
func (d *Draft) Generate(ctx context.Context, out Output, whole bool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while generating: %v\n%s", p, debug.Stack())
		}
	}()
	d.out = out
	if d.cached != nil {
		return d.say(d.cached.Text)
	}
	left := false
	d.gone = func() bool {
		left = left || ctx.Err() != nil
		return left
	}
	if err := d.ask(whole); err != nil {
		return err
	}
	if err = d.conclude(d.rounds.run(ctx)); err == nil && left {
		err = ctx.Err() // not all was checked
	}
	return err
}

// ask sets the checks up and hands the prompt over: an open stream need not keep
// it.
func (d *Draft) ask(whole bool) error {
	d.checks = newChecks(d)
	if err := d.waiting(reading(len(d.passages))); err != nil {
		return err
	}
	d.prompt.Whole = whole
	d.rounds = newRounds(d.pipeline, d.model, d.bot, d.prompt, d)
	d.prompt = prompt.Prompt{}
	return nil
}

// conclude says what the checks hold back, when the model has ended with an
// error or without.
func (d *Draft) conclude(err error) error {
	if err != nil {
		_ = d.say(d.checks.cut()) // a reader who has gone does not read it
		return err
	}
	return d.say(d.checks.end())
}

// text takes a piece of what the model says.
func (d *Draft) text(piece string) error {
	if d.firstToken == 0 {
		d.firstToken = max(1, d.pipeline.now().Sub(d.began))
	}
	return d.say(d.checks.write(storable(piece)))
}

func (d *Draft) waiting(message string) error { return d.out.Waiting(message) }

// addPassages adds passages that the model has searched for.
func (d *Draft) addPassages(more []retrieval.Result) {
	d.passages = append(d.passages[:len(d.passages):len(d.passages)], more...)
	d.checks.add(more)
}

func (d *Draft) say(text string) error {
	if text == "" {
		return nil
	}
	return d.out.Delta(text)
}

// Answer is all that the model gave, also when it failed. The text is what
// [Output] was given.
func (d *Draft) Answer(text string) Answer {
	answer := d.made()
	answer.Text = text
	answer.Unknown = unknown(answer, d.question, d.noAnswer)
	return answer
}

func (d *Draft) made() Answer {
	answer := d.Unanswered()
	answer.Citations, answer.Passages = citationsOf(d.passages), d.passages
	answer.Record.FirstToken = d.firstToken
	if d.rounds != nil {
		answer.Record.Usage = answer.Record.Usage.Plus(d.rounds.used.Usage)
		answer.Record.Model = cmp.Or(d.rounds.used.Model, answer.Record.Model)
		answer.Finish = d.rounds.used.Finish
	}
	if d.cached != nil {
		answer.Citations, answer.Finish = d.cached.Citations, FinishStop
		answer.Record.Passages = len(answer.Citations)
		return answer
	}
	answer.Record.Refuted, answer.Checked = d.checks.refuted(), d.checks.outcome()
	for i := range answer.Citations {
		answer.Citations[i].Cited = len(d.checks) > 0 && d.checks.cites(i+1)
	}
	return answer
}

// Unanswered is the answer before the model was asked.
func (d *Draft) Unanswered() Answer {
	now := d.pipeline.now()
	answer := Answer{Record: UsageRecord{
		ChatbotID: d.bot.ID, Usage: d.rewriting.Plus(d.reranking), RerankTokens: d.reranking.TotalTokens(),
		Total: now.Sub(d.began), Passages: len(d.passages), At: now,
	}}
	if d.query != d.question {
		answer.Query = d.query
	}
	if d.model != nil {
		answer.Record.Model = d.model.Name()
	}
	return answer
}

func reading(passages int) string {
	switch passages {
	case 0:
		return "No passage matches. Answering…"
	case 1:
		return "Reading 1 passage…"
	}
	return "Reading " + strconv.Itoa(passages) + " passages…"
}
