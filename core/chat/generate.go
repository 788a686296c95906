package chat

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"parley/core/answer/citation"
	"parley/core/answer/prompt"
	"parley/core/fault"
	"parley/core/retrieval"
)

// passagesWanted is how many passages a question is answered from.
const passagesWanted = 5

// prepare gathers what the answer is made from: the model, the question as it
// is searched for, the passages, and the prompt.
func (r *run) prepare(ctx context.Context, history []Message) (err error) {
	t, s := &r.task, r.service
	if t.model, err = s.models.For(ctx, r.bot); err != nil {
		return err
	}
	if r.bot.CacheAnswers && len(history) == 0 {
		if err := r.lookUp(ctx); err != nil || t.cached != nil {
			return err
		}
	}
	said := saidIn(history)
	if t.query == "" {
		t.query, t.rewriting = s.selfContained(ctx, t.model, said, t.question)
	}
	query := retrieval.Query{Text: t.question, Context: questions(said), Limit: passagesWanted}
	if t.query != t.question {
		// Together they find more than either: see docs/retrieval.md.
		query.Text += "\n" + t.query
	}
	scope := retrieval.Scope{WorkspaceID: r.bot.WorkspaceID, ChatbotID: r.bot.ID}
	found, err := s.searcher.Search(ctx, scope, query)
	if err != nil && ctx.Err() == nil && r.bot.AnswerWithoutKnowledge {
		s.log.Warn("answering without knowledge", "chatbot_id", r.bot.ID, "error", err)
		err = nil
	}
	if err != nil {
		return fault.Wrap(fault.Upstream, err, "The knowledge could not be searched. Try again.")
	}
	asked := prompt.Question{Text: t.question, Query: t.query, Bot: r.bot, Passages: found, History: said}
	if t.model.Traits().Tools {
		asked.Tools = []prompt.Tool{searchTool}
	}
	t.prompt, t.passages = prompt.Compose(asked, windowOf(t.model))
	return nil
}

// saidIn is a history as a prompt has it. Earlier answers lose their markers:
// their numbers are those of other passages.
func saidIn(history []Message) []prompt.Message {
	said := make([]prompt.Message, len(history))
	for i, m := range history {
		said[i] = prompt.Message{Role: prompt.UserRole, Text: m.Content}
		if m.Role == Assistant {
			said[i] = prompt.Message{Role: prompt.AssistantRole, Text: citation.Strip(m.Content)}
		}
	}
	return said
}

func questions(history []prompt.Message) []string {
	var asked []string
	for _, m := range history {
		if m.Role == prompt.UserRole {
			asked = append(asked, m.Text)
		}
	}
	return asked
}

func windowOf(model Model) prompt.Window {
	return prompt.Window{Tokens: model.Traits().Context, Count: model.Count}
}

// generation is what a run says, and what of it there is so far.
type generation struct {
	run      *run
	give     func(Event) error
	passages []retrieval.Result
	checks   checks
	// conversing is nil before the model is asked.
	conversing *conversing
	receipt    Receipt
}

func (r *run) newGeneration(give func(Event) error) *generation {
	return &generation{run: r, give: give, passages: r.task.passages}
}

// generate has the model answer.
func (g *generation) generate(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while generating: %v\n%s", p, debug.Stack())
		}
	}()
	if cached := g.run.task.cached; cached != nil {
		return g.emit(Delta, cached.Text)
	}
	g.checks = g.run.newChecks(g.passages)
	if err := g.emit(Waiting, reading(len(g.passages))); err != nil {
		return err
	}
	g.begin()
	if err := g.conversing.run(ctx); err != nil {
		_ = g.emit(Delta, g.checks.cut()) // whoever is gone does not read it
		return err
	}
	return g.emit(Delta, g.checks.end())
}

// begin hands the prompt over: a stream that stays open need not keep it.
func (g *generation) begin() {
	r := g.run
	g.conversing = newConversing(r.service, r.task.model, r.bot, r.task.prompt, talk{text: g.text, waiting: g.waiting, found: g.found})
	r.task.prompt = prompt.Prompt{}
}

func (g *generation) text(piece string) error {
	if g.receipt.FirstToken == 0 {
		g.receipt.FirstToken = max(1, g.run.service.now().Sub(g.run.began))
	}
	return g.emit(Delta, g.checks.write(clean(piece)))
}

func (g *generation) waiting(message string) error { return g.emit(Waiting, message) }

func (g *generation) found(more []retrieval.Result) {
	g.passages = append(g.passages[:len(g.passages):len(g.passages)], more...)
	g.checks.add(more)
}

// emit gives an event to who reads on this goroutine, and notes it for the
// others.
func (g *generation) emit(kind EventKind, text string) error {
	if text == "" {
		return nil
	}
	offset := g.run.grow(kind, text)
	if g.give == nil {
		return nil
	}
	return g.give(Event{kind, text, Position{AnswerID: g.run.answerID, Attempt: g.run.attempt, Offset: offset}})
}

// answer is all that the model gave, also when it failed. Its status is for the
// caller to say.
func (g *generation) answer() Answer {
	r := g.run
	receipt := r.receipt()
	receipt.FirstToken = g.receipt.FirstToken
	if c := g.conversing; c != nil {
		receipt.Usage = receipt.Usage.Plus(c.used.Usage)
		receipt.Model = cmp.Or(c.used.Model, receipt.Model)
	}
	receipt.Passages = len(g.passages)
	answer := Answer{
		MessageID: r.answerID, Attempt: r.attempt, Text: r.soFar(), Query: r.rewritten(), Sources: sourcesOf(g.passages), Receipt: receipt,
	}
	switch {
	case r.task.cached != nil:
		answer.Sources = r.task.cached.Sources
		answer.Receipt.Passages = len(answer.Sources)
	case len(g.checks) > 0:
		answer.Receipt.Refuted = g.checks.refuted()
		for i := range answer.Sources {
			answer.Sources[i].Cited = g.checks.cites(i + 1)
		}
	}
	return answer
}

func reading(passages int) string {
	switch passages {
	case 0:
		return "Nothing in the knowledge matches; answering."
	case 1:
		return "Reading 1 passage of the knowledge."
	}
	return "Reading " + strconv.Itoa(passages) + " passages of the knowledge."
}

// clean drops what no database and no reader takes.
func clean(piece string) string {
	if storable(piece) {
		return piece
	}
	return strings.ReplaceAll(strings.ToValidUTF8(piece, "\uFFFD"), "\x00", "")
}
