package chat

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"parley/core/answer/prompt"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/retrieval"
)

// run is one attempt at an answer, in this process. It is carried out on its
// caller's goroutine, or on one of its own where it may outlive its caller.
type run struct {
	service *Service
	bot     *chatbot.Chatbot
	began   time.Time

	// The database knows these; the answer's id is zero until it does.
	conversationID, answerID int64
	attempt                  int

	// keyed says that others may come to wait for it, and lasting that it goes
	// on when nobody listens, and is stored before it is read.
	keyed, lasting bool

	ticket *ticket
	leave  func()
	// admitted is called at the end, unless nil: see [Ask.Admit].
	admitted func()
	task     task

	mu     sync.Mutex
	cancel context.CancelCauseFunc
	ending error
	// text is what was generated, and shown how much of it may be read.
	text  strings.Builder
	shown int
	// notices are the messages for those who wait.
	notices []string
	readers int
	// more is closed when there is more to read; nil while nobody waits.
	more chan struct{}
	// unsaved is signalled when there is more to store, and closed at the end.
	unsaved chan struct{}

	// done is closed at the end. What follows is set then.
	done   chan struct{}
	answer Answer
	err    error
}

// task is what an answer is made from. It is dropped when the model has it.
type task struct {
	model    Model
	question string
	// query is the question made self-contained, by an earlier attempt or by
	// this one, and rewriting what that cost.
	query     string
	rewriting Usage
	passages  []retrieval.Result
	prompt    prompt.Prompt
	// cacheKey is empty for an answer that is not to be kept, and cached the
	// answer that is there already.
	cacheKey string
	cached   *CachedAnswer
}

func (s *Service) newRun(p *chatbot.Principal, question string, delivery Delivery, keyed bool) *run {
	return &run{
		service: s, bot: &p.Chatbot, began: s.now(), attempt: 1, keyed: keyed, lasting: delivery.IDs,
		leave: func() {}, task: task{question: question}, done: make(chan struct{}),
	}
}

// apart reports whether it is carried out on a goroutine of its own.
func (r *run) apart() bool { return r.keyed || r.lasting }

// begun reports whether it is in the database.
func (r *run) begun() bool { return r.answerID != 0 }

// under returns a context that ends with another, and when the run is to end.
func (r *run) under(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	before, ending := r.cancel, r.ending
	r.cancel = cancel
	r.mu.Unlock()
	if before != nil {
		before(nil)
	}
	if ending != nil {
		cancel(ending)
	}
	return ctx
}

// end has the run end with a cause. The first one counts.
func (r *run) end(cause error) {
	r.mu.Lock()
	if r.ending == nil {
		r.ending = cause
	}
	cancel, cause := r.cancel, r.ending
	r.mu.Unlock()
	if cancel != nil {
		cancel(cause)
	}
}

// setOut begins to carry the answer out on a goroutine of its own.
func (r *run) setOut(ctx context.Context, whole bool) {
	ctx = r.under(context.WithoutCancel(ctx))
	r.mu.Lock()
	r.readers++ // its caller, before another can be the last that leaves
	r.mu.Unlock()
	r.task.prompt.Whole = whole && !r.lasting
	if r.lasting {
		r.unsaved = make(chan struct{}, 1)
	}
	r.service.going.Add(1)
	go func() {
		defer r.service.going.Done()
		r.carryOut(ctx, func(Event) error { return nil })
	}()
}

// carryOut generates the answer and stores it. On the goroutine of its caller,
// give is called with each event.
//
// A stream stays here while its model thinks, with everything in its callers'
// frames and in those below: they are kept small, and what comes before and
// after has its own.
func (r *run) carryOut(ctx context.Context, give func(Event) error) {
	var saved chan struct{}
	if r.lasting {
		saved = make(chan struct{})
		go func() {
			defer close(saved)
			r.save(ctx)
		}()
	} else if !r.apart() {
		r.task.prompt.Whole = give == nil
	}
	g := r.newGeneration(give)
	err := g.generate(ctx)
	if saved != nil {
		close(r.unsaved)
		<-saved
	}
	r.conclude(ctx, g, err)
}

// conclude stores the answer, and tells its readers.
func (r *run) conclude(ctx context.Context, g *generation, err error) {
	answer := g.answer()
	answer.Status, err = r.ended(ctx, err)
	stored := r.finish(ctx, answer)
	if stored != nil {
		r.service.log.Error("answer not stored", "message_id", r.answerID, "error", stored)
	}
	r.settle(answer, errors.Join(err, stored))
	if stored == nil {
		r.remember(context.WithoutCancel(ctx), answer)
	}
}

// ended says how a generation ended, and what its readers are told.
func (r *run) ended(ctx context.Context, err error) (Status, error) {
	cause := context.Cause(ctx)
	switch {
	case err == nil:
		return Complete, nil
	case errors.Is(cause, errStopped):
		return Stopped, nil
	case cause != nil:
		return Interrupted, cause
	case errors.Is(err, ErrLeft):
		return Interrupted, err
	}
	return Failed, err
}

// settle ends the run: its readers get the answer.
func (r *run) settle(answer Answer, err error) {
	r.mu.Lock()
	r.answer, r.err = answer, err
	if err == nil { // it is stored
		r.shown = r.text.Len()
	}
	close(r.done)
	r.mu.Unlock()
	r.release()
}

// admit asks whether the attempt may begin.
func (r *run) admit(ctx context.Context, ask Ask, again bool) (err error) {
	if ask.Admit != nil {
		r.admitted, err = ask.Admit(ctx, again)
	}
	return err
}

// release gives back what the run was under.
func (r *run) release() {
	r.mu.Lock()
	cancel, admitted := r.cancel, r.admitted
	r.admitted = nil
	r.mu.Unlock()
	if cancel != nil {
		cancel(nil)
	}
	if admitted != nil {
		admitted()
	}
}

// causeOfEnd is why the run was to end, or nil.
func (r *run) causeOfEnd() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ending
}

// abandon ends a run that is not carried out.
func (r *run) abandon(ctx context.Context) {
	if !r.begun() {
		r.leave()
		r.release()
		return
	}
	answer := Answer{MessageID: r.answerID, Attempt: r.attempt, Status: Failed, Query: r.rewritten(), Receipt: r.receipt()}
	switch cause := r.causeOfEnd(); {
	case errors.Is(cause, errStopped):
		answer.Status = Stopped
	case cause != nil || ctx.Err() != nil:
		answer.Status = Interrupted
	}
	err := r.finish(ctx, answer)
	if err != nil {
		r.service.log.Error("turn not ended", "message_id", r.answerID, "error", err)
	}
	r.settle(answer, errAbandoned)
}

// errAbandoned is what those read who waited for an answer that could not begin,
// unless they can begin it again.
var errAbandoned = fault.New(fault.Upstream, "The answer could not be begun. Send the request again.")

// finish stores the answer. A database that is away for a moment does not
// lose it.
func (r *run) finish(ctx context.Context, answer Answer) error {
	defer r.leave()
	defer r.service.untrack(r.answerID)
	ctx, cancel := storing(ctx)
	defer cancel()
	for again := false; ; again = true {
		err := r.service.store.FinishTurn(ctx, r.bot.WorkspaceID, answer)
		if answer.Status == Failed {
			r.service.quota.recheck(r.bot.WorkspaceID)
		}
		if again && fault.Is(err, fault.NotFound) {
			return nil // stored at the first time, after all
		}
		if !fault.Is(err, fault.Unavailable) || !sleep(ctx, storeAgain) {
			return inTime(err)
		}
	}
}

// rewritten is the question made self-contained, empty where it is the one that
// was asked.
func (r *run) rewritten() string {
	if r.task.query == r.task.question {
		return ""
	}
	return r.task.query
}

func (r *run) receipt() Receipt {
	now := r.service.now()
	receipt := Receipt{ChatbotID: r.bot.ID, Usage: r.task.rewriting, Total: now.Sub(r.began), Passages: len(r.task.passages), At: now}
	if r.task.model != nil {
		receipt.Model = r.task.model.Name()
	}
	return receipt
}
