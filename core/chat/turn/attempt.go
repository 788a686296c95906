package turn

import (
	"cmp"
	"context"
	"errors"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/internal/trace"
)

// storeAgain is the pause after the database could not be used.
const storeAgain = 200 * time.Millisecond

// attempt is one attempt at an answer, in this process. It runs on its caller's
// goroutine, or on one of its own if it may outlive its caller.
type attempt struct {
	service     *Service
	workspaceID string
	origin      chat.Origin
	transport   Transport
	// draft is nil before a ticket is taken.
	draft *answer.Draft

	// The database knows these. The answer's id is zero until it does.
	conversationID, answerID int64
	number                   int
	// opens says that the question is the first of its conversation.
	opens bool

	// keyed says that others may join and wait for it. durable says that it
	// goes on when nobody listens, and that its text is stored before it is
	// read.
	keyed, durable bool
	// discards says that no text of the question and the answer is stored.
	discards bool

	ticket *quota.Ticket
	// token is nil unless it has a limit of its own, and counts the question in tokenMonth.
	token      *chatbot.Token
	tokenMonth string
	leaveQueue func()

	lifetime

	// published is what subscribers read.
	published publication
	// unsaved is signaled when there is more to store, and closed at the end. It
	// is nil unless the attempt is durable.
	unsaved chan struct{}
}

// detached reports whether the attempt runs on a goroutine of its own.
func (a *attempt) detached() bool { return a.keyed || a.durable }

// begun reports whether it is in the database.
func (a *attempt) begun() bool { return a.answerID != 0 }

// start begins to execute the attempt on a goroutine of its own.
func (a *attempt) start(ctx context.Context, whole bool) {
	ctx = a.withCancel(context.WithoutCancel(ctx))
	a.published.subscribe() // its caller, before another can be the last that leaves
	if a.durable {
		a.unsaved = make(chan struct{}, 1)
	}
	a.service.detached.Add(1)
	go func() {
		defer a.service.detached.Done()
		a.execute(ctx, nil, whole && !a.durable)
	}()
}

// execute generates the answer and stores it. On the goroutine of its caller,
// emit is called with each event; it is nil if nobody reads there. Whole says
// that nobody reads the answer before its end.
//
// A stream stays here while its model thinks, with everything in its callers'
// frames and in those below. The frames are small, and what comes before and
// after has its own: docs/adr/0009 has the measurement.
func (a *attempt) execute(ctx context.Context, emit func(Event) error, whole bool) {
	var saved chan struct{}
	if a.durable {
		saved = make(chan struct{})
		go func() {
			defer close(saved)
			a.save(ctx)
		}()
	}
	err := a.draft.Generate(ctx, &output{a, emit}, whole)
	if saved != nil {
		close(a.unsaved)
		<-saved
	}
	a.conclude(ctx, err)
}

// conclude stores the answer, and tells its subscribers.
func (a *attempt) conclude(ctx context.Context, err error) {
	status, err := ending(ctx, err)
	answer := a.ended(a.draft.Answer(a.published.all()), status)
	stored := a.finish(ctx, answer)
	if stored != nil {
		a.service.Log.Log(ctx, fault.Level(stored), "answer not stored", "message_id", a.answerID, "error", stored)
	}
	err = errors.Join(err, stored)
	a.tell(answer, err)
	a.settle(answer, err)
	if stored == nil && answer.Status == chat.Complete && !a.discards {
		a.draft.Remember(context.WithoutCancel(ctx), answer.Answer)
	}
}

// ended is the answer of an attempt that has ended.
func (a *attempt) ended(made answer.Answer, status chat.Status) Answer {
	return Answer{
		Answer: made, MessageID: a.answerID, Attempt: a.number, Status: status, Outcome: chat.OutcomeOf(status, made.Unknown),
		ConversationID: a.conversationID, Origin: a.origin, Opens: a.opens,
	}
}

// ending says how a generation ended, and what its subscribers read.
func ending(ctx context.Context, err error) (chat.Status, error) {
	cause := context.Cause(ctx)
	switch {
	case err == nil:
		return chat.Complete, nil
	case errors.Is(cause, errStopped):
		return chat.Stopped, nil
	case cause != nil:
		return chat.Interrupted, cause
	case errors.Is(err, ErrLeft):
		return chat.Interrupted, err
	}
	return chat.Failed, err
}

// errAbandoned is what subscribers get when the answer that they waited for
// could not begin, unless they can begin it again.
var errAbandoned = fault.New(fault.Upstream, "The answer could not be begun. Send the request again.").Named(fault.AnswerInterrupted)

// abandon ends an attempt that is not executed. Reason is why, or nil.
func (a *attempt) abandon(ctx context.Context, reason error) {
	if !a.begun() {
		a.leaveQueue()
		a.release(false)
		return
	}
	status := chat.Failed
	switch cause := a.causeOfEnd(); {
	case errors.Is(cause, errStopped):
		status = chat.Stopped
	case cause != nil || ctx.Err() != nil:
		status = chat.Interrupted
	}
	answer := a.ended(a.draft.Unanswered(), status)
	err := a.finish(ctx, answer)
	if err != nil {
		a.service.Log.Log(ctx, fault.Level(err), "turn not ended", "message_id", a.answerID, "error", err)
	}
	a.tell(answer, cmp.Or(reason, error(errAbandoned)))
	a.settle(answer, errAbandoned)
}

// finish stores the answer. A database that is away for a moment does not
// lose it, and behind many others it waits for longer.
func (a *attempt) finish(ctx context.Context, answer Answer) error {
	ctx, span := trace.Start(ctx, "commit")
	defer span.End()
	defer a.leaveQueue()
	defer a.service.running.remove(a.answerID)
	if a.discards {
		answer.Text, answer.Query, answer.Citations = "", "", nil
	}
	trying, stop := chat.Storing(ctx)
	defer stop()
	ctx, cancel := chat.StoringEnd(ctx)
	defer cancel()
	for again := false; ; again = true {
		err := a.service.Turns.FinishTurn(ctx, a.workspaceID, answer)
		if answer.Status == chat.Failed {
			a.service.Quota.Recheck(a.workspaceID, a.origin)
		}
		if again && fault.Is(err, fault.NotFound) {
			return nil // stored at the first time, after all
		}
		if !fault.Is(err, fault.Unavailable) || !sleep(trying, storeAgain) {
			if err != nil {
				span.Fail(string(fault.As(err).Code()))
			}
			return chat.TimedOut(err)
		}
	}
}

// settle ends the attempt: its subscribers get the answer.
func (a *attempt) settle(answer Answer, err error) {
	a.published.settle(answer, err)
	a.release(answer.Status != chat.Failed)
}

// result is the answer of an attempt that has ended.
func (a *attempt) result() (Answer, error) { return a.published.answer, a.published.err }

// release gives back what the attempt held, once. Counts says whether it was a message.
func (a *attempt) release(counts bool) {
	if !a.over() {
		return
	}
	if a.left != nil {
		a.left()
	}
	if !counts && a.tokenMonth != "" {
		a.giveMessageBack()
	}
}

// giveBackWithin bounds how long a failed answer waits for the database.
const giveBackWithin = 5 * time.Second

// giveMessageBack takes a question without an answer back from the month of its token.
func (a *attempt) giveMessageBack() {
	ctx, cancel := context.WithTimeout(context.Background(), giveBackWithin)
	defer cancel()
	if err := a.service.Tokens.GiveMessageBack(ctx, a.token, a.tokenMonth); err != nil {
		a.service.Log.Log(ctx, fault.Level(err), "could not take back a message of a token", "token_id", a.token.ID, "error", err)
	}
}

// output publishes what a pipeline makes, and gives it to the caller of an
// attempt that runs on its goroutine.
type output struct {
	attempt *attempt
	emit    func(Event) error
}

// Delta takes the next piece of the text.
func (o *output) Delta(piece string) error {
	a := o.attempt
	length := a.published.add(piece, !a.durable)
	if a.durable {
		signal(a.unsaved)
	}
	if o.emit == nil {
		return nil
	}
	return o.emit(Event{Delta, piece, Position{AnswerID: a.answerID, Attempt: a.number, Offset: length}})
}

// Waiting takes a message for a person. Only the caller reads an attempt that
// is not detached, so it keeps none.
func (o *output) Waiting(message string) error {
	a := o.attempt
	if a.detached() {
		a.published.note(message)
	}
	if o.emit == nil {
		return nil
	}
	return o.emit(Event{Waiting, message, Position{AnswerID: a.answerID, Attempt: a.number, Offset: a.published.length()}})
}
