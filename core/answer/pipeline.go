package answer

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"time"

	"parley/core/answer/prompt"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/retrieval"
)

// passagesWanted is how many passages an answer is made from.
const passagesWanted = 5

// Searcher is the port to retrieval: it finds the passages for a query.
type Searcher interface {
	Search(ctx context.Context, scope retrieval.Scope, query retrieval.Query) ([]retrieval.Result, error)
}

// Output receives an answer as it is made. An error that it returns ends the
// answer.
type Output interface {
	// Delta takes the next piece of the text.
	Delta(piece string) error
	// Waiting takes a message for a person before something takes longer.
	Waiting(message string) error
}

// Pipeline makes answers. It is safe for concurrent use.
type Pipeline struct {
	searcher Searcher
	models   Models
	cache    Cache
	now      func() time.Time
	log      *slog.Logger
}

// New returns a pipeline over its ports.
func New(searcher Searcher, models Models, cache Cache, now func() time.Time, log *slog.Logger) *Pipeline {
	return &Pipeline{searcher: searcher, models: models, cache: cache, now: now, log: log}
}

// Draft is one answer that is being made, and the one way to a model. Only a
// [quota.Ticket] begins one: first [Draft.Prepare], which may fail
// before anything is shown, then [Draft.Generate], then [Draft.Answer].
type Draft struct {
	pipeline *Pipeline
	bot      *chatbot.Chatbot
	began    time.Time
	question string
	// context is what the asking program says about the question.
	context string
	model   Model
	// query is the question made self-contained, and rewriting what that cost.
	query     string
	rewriting Usage
	// reranking is what the order of the passages cost.
	reranking Usage
	passages  []retrieval.Result
	// noAnswer is the text for questions that the knowledge does not answer.
	noAnswer string
	// prompt is dropped once the model has it.
	prompt prompt.Prompt
	// cacheKey is empty for an answer that is not to be cached, and cached is the
	// answer that was found.
	cacheKey string
	cached   *CachedAnswer

	out    Output
	checks checks
	// rounds is nil before the model is asked.
	rounds     *rounds
	firstToken time.Duration
}

// Draft begins an answer to the question of a ticket, which it spends. The query is the
// question made self-contained, if an earlier attempt has done that, and empty otherwise.
func (p *Pipeline) Draft(bot *chatbot.Chatbot, ticket *quota.Ticket, query string) (*Draft, error) {
	return p.DraftWithin(bot, ticket, query, "")
}

// DraftWithin is Draft for a question about which the asking program says something:
// data, which changes none of the owner's rules.
func (p *Pipeline) DraftWithin(bot *chatbot.Chatbot, ticket *quota.Ticket, query, context string) (*Draft, error) {
	question, err := ticket.Spend(bot.WorkspaceID)
	if err != nil {
		return nil, err
	}
	return &Draft{pipeline: p, bot: bot, began: p.now(), question: question, query: query, context: context, noAnswer: noAnswer(bot, question, nil)}, nil
}

// noAnswer is what a chatbot says to a question that its knowledge does not answer.
func noAnswer(bot *chatbot.Chatbot, question string, history []prompt.Message) string {
	return prompt.NoAnswer(bot, question, prompt.LanguageOf(question, history))
}

// Prepare gathers what the answer is made from: the model, the query, the
// passages, and the prompt. The history is the earlier messages, oldest first.
// A search that fails is an Upstream fault, or Unavailable if that will pass.
func (d *Draft) Prepare(ctx context.Context, history []prompt.Message) (err error) {
	if d.model, err = d.pipeline.models.For(ctx, d.bot); err != nil {
		return err
	}
	d.noAnswer = noAnswer(d.bot, d.question, history)
	if d.bot.CacheAnswers && !d.bot.DiscardMessages && len(history) == 0 && d.context == "" {
		if err := d.lookUp(ctx); err != nil || d.cached != nil {
			return err
		}
	}
	history = withoutMarkers(history)
	if d.query == "" {
		d.query, d.rewriting = d.pipeline.selfContained(ctx, d.model, history, d.question)
	}
	found, err := d.retrieve(ctx, history)
	if err == nil {
		err = ctx.Err() // a prompt for nobody is not composed
	}
	if err != nil {
		return err
	}
	d.prompt, d.passages = d.compose(found, history)
	return nil
}

// retrieve finds passages for the question.
func (d *Draft) retrieve(ctx context.Context, history []prompt.Message) ([]retrieval.Result, error) {
	query := retrieval.Query{Text: d.question, Limit: passagesWanted}
	addEarlier(&query, history, d.noAnswer)
	if d.query != d.question {
		// Together they find more than either: see docs/retrieval.md.
		query.Text += "\n" + d.query
	}
	if d.reranks() {
		query.Judge = judge{d}
	}
	scope := retrieval.Scope{WorkspaceID: d.bot.WorkspaceID, ChatbotID: d.bot.ID}
	found, err := d.pipeline.searcher.Search(ctx, scope, query)
	if words := prompt.PlaceWords(d.question, history); err == nil && len(found) == 0 && words != "" {
		query.Text += "\n" + words // "Where are you?" has no word that a document has.
		found, err = d.pipeline.searcher.Search(ctx, scope, query)
	}
	if err != nil && ctx.Err() == nil && d.bot.AnswerWithoutKnowledge {
		d.pipeline.log.Warn("answering without knowledge", "chatbot_id", d.bot.ID, "error", err)
		return found, nil
	}
	if fault.Is(err, fault.Unavailable) {
		return nil, err
	}
	if err != nil {
		return nil, fault.Wrap(fault.Upstream, err, "The knowledge could not be searched. Try again.").Named(fault.RetrievalFailed)
	}
	return found, nil
}

// compose makes the prompt, and returns the passages that fit into it.
func (d *Draft) compose(found []retrieval.Result, history []prompt.Message) (prompt.Prompt, []retrieval.Result) {
	asked := prompt.Question{Text: d.question, Query: d.query, Bot: d.bot, Passages: found, History: history, Context: d.context, Date: d.began}
	if d.model.Traits().Tools {
		asked.Tools = []prompt.Tool{searchTool}
	}
	return prompt.Compose(asked, windowOf(d.model))
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
	if err := d.ask(whole); err != nil {
		return err
	}
	return d.conclude(d.rounds.run(ctx))
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
