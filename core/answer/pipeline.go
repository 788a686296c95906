package answer

import (
	"context"
	"log/slog"
	"time"

	"parley/core/answer/prompt"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/retrieval"
	"parley/internal/trace"
	"parley/text/writing"
)

// passagesWanted is how many passages an answer is made from.
const passagesWanted = 5

// Searcher is the port to retrieval: it finds the passages for a query.
type Searcher interface {
	Search(ctx context.Context, scope retrieval.Scope, query retrieval.Query) ([]retrieval.Result, error)
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
	// gone reports whether nobody waits for the answer any more.
	gone func() bool
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
	question = writing.Plain(question) // as documents are read
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
	d.prompt, d.passages = d.compose(ctx, found, history)
	return ctx.Err()
}

// retrieve finds passages for the question.
func (d *Draft) retrieve(ctx context.Context, history []prompt.Message) (found []retrieval.Result, err error) {
	ctx, span := trace.Start(ctx, "retrieve")
	defer func() {
		span.Number(trace.Passages, len(found))
		if err != nil {
			span.Fail(string(fault.As(err).Code()))
		}
		span.End()
	}()
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
	found, err = d.pipeline.searcher.Search(ctx, scope, query)
	if words := prompt.PlaceWords(d.question, history); err == nil && len(found) == 0 && words != "" {
		query.Text += "\n" + words // "Where are you?" has no word that a document has.
		found, err = d.pipeline.searcher.Search(ctx, scope, query)
	}
	if err != nil && ctx.Err() == nil && d.bot.AnswerWithoutKnowledge {
		d.pipeline.log.Log(ctx, fault.Level(err), "answering without knowledge", "chatbot_id", d.bot.ID, "error", err)
		return found, nil
	}
	if fault.Is(err, fault.Unavailable) {
		return nil, err
	}
	if err != nil {
		return nil, fault.Wrap(fault.Upstream, err, "The chatbot's knowledge could not be searched, and the operator of this server has been told. Try again.").Named(fault.RetrievalFailed).ForOperator()
	}
	return found, nil
}

// compose makes the prompt, and returns the passages that fit into it.
func (d *Draft) compose(ctx context.Context, found []retrieval.Result, history []prompt.Message) (prompt.Prompt, []retrieval.Result) {
	asked := prompt.Question{Text: d.question, Query: d.query, Bot: d.bot, Passages: found, History: history, Context: d.context, Date: d.began, Gone: func() bool { return ctx.Err() != nil }}
	if d.model.Traits().Tools {
		asked.Tools = []prompt.Tool{searchTool}
	}
	return prompt.Compose(asked, windowOf(d.model))
}
