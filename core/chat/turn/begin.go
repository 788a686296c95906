package turn

import (
	"context"
	"errors"
	"time"

	"parley/core/answer/prompt"
	"parley/core/chat"
	"parley/core/chat/quota"
	"parley/core/chatbot"
	"parley/core/fault"
)

// historyWanted is how many earlier messages the pipeline gets.
const historyWanted = 20

// beginning is a turn that is about to begin.
type beginning struct {
	service   *Service
	principal *chatbot.Principal
	ask       Ask
	turn      *Turn
}

// begin stores the question and prepares its answer.
func (b *beginning) begin(ctx context.Context) (err error) {
	a := b.service.newAttempt(b.principal, b.ask.Transport, b.ask.Delivery, b.ask.Key != nil)
	b.turn.attempt = a
	ctx = a.withCancel(ctx)
	// Before the database is asked, and before the search, which costs something.
	if err := a.admit(ctx, b, b.ask.Message, "", false); err != nil {
		return err
	}
	defer func() { a.ticket.Drop(err) }() // what was stored is kept
	if b.ask.ConversationID == 0 {
		return b.first(ctx, a)
	}
	history, err := b.next(ctx, a)
	if err != nil {
		return err
	}
	b.service.running.add(a)
	return a.draft.Prepare(ctx, history)
}

// first begins the first turn of a new conversation. Nothing was stored before,
// so the search need not wait for the commit.
func (b *beginning) first(ctx context.Context, a *attempt) error {
	searching, cancel := context.WithCancel(ctx)
	defer cancel()
	searched := make(chan error, 1)
	go func() {
		searched <- protect(func() error { return a.draft.Prepare(searching, b.ask.CallerContext.history()) })
	}()
	err := b.create(ctx, a)
	if err != nil {
		cancel()
		<-searched //nolint:errcheck // why it could not begin is what the caller reads
		return err
	}
	b.service.running.add(a)
	return <-searched
}

// create stores the question in a new conversation.
func (b *beginning) create(ctx context.Context, a *attempt) error {
	ctx, cancel := chat.Storing(ctx)
	defer cancel()
	conversation := b.service.Chats.NewConversation(b.principal, b.ask.ExternalUserID, b.ask.Metadata)
	if !a.discards {
		conversation.Title = chat.TitleOf(b.ask.Message)
	}
	a.opens = true
	conversation, answerID, err := b.service.Turns.BeginConversation(ctx, a.workspaceID, conversation, b.opening(conversation, a))
	if err != nil {
		return chat.TimedOut(err)
	}
	b.begun(conversation, answerID)
	return nil
}

// begun notes what has been stored.
func (b *beginning) begun(conversation chat.Conversation, answerID int64) {
	a := b.turn.attempt
	b.turn.Conversation, b.turn.AnswerID = conversation, answerID
	b.turn.From = Position{AnswerID: answerID, Attempt: 1}
	a.conversationID, a.answerID = conversation.ID, answerID
	a.ticket.Keep()
	if conversation.Title == "" && !a.discards { // until now
		conversation.Title = chat.TitleOf(b.ask.Message)
	}
	b.service.remembered.put(conversation)
}

// next waits for the conversation, stores the question in it and returns the
// earlier messages.
func (b *beginning) next(ctx context.Context, a *attempt) ([]prompt.Message, error) {
	conversation, isRemembered, err := b.conversation(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.ask.CallerContext.follows(ctx, b.service.Turns, conversation); err != nil {
		return nil, err
	}
	var history []prompt.Message
	err = b.inOrder(ctx, conversation.ID, a, func(ctx context.Context) error {
		if isRemembered {
			history, err = b.append(ctx, conversation, &conversation.ExternalUserID, a)
			if !errors.Is(err, ErrNotAsSeen) {
				return err
			}
			isRemembered = false
			b.service.remembered.forget(conversation.ID)
			if conversation, err = b.service.Chats.Conversation(ctx, b.principal, b.ask.Ref); err != nil {
				return err
			}
		}
		history, err = b.append(ctx, conversation, nil, a)
		if fault.Is(err, fault.Conflict) && b.ask.Key != nil && b.service.Keys.IsClaimed(ctx, a.workspaceID, *b.ask.Key) {
			return chat.ErrClaimed
		}
		return err
	})
	return history, err
}

// conversation returns the conversation that the caller means: from memory if this
// process began a turn in it, and the next one begins in a single statement, which
// compares what may have changed.
func (b *beginning) conversation(ctx context.Context) (conversation chat.Conversation, isRemembered bool, err error) {
	bot := &b.principal.Chatbot
	conversation, isRemembered = b.service.remembered.of(bot.WorkspaceID, bot.ID, b.ask.ConversationID)
	if isRemembered && !b.ask.ties(conversation) && !b.ask.CallerContext.isElsewhere() && conversation.Admits(b.principal, b.ask.ExternalUserID) {
		return conversation, true, nil
	}
	conversation, err = b.service.Chats.Conversation(ctx, b.principal, b.ask.Ref)
	return conversation, false, err
}

// inOrder waits until a conversation is free and begins an answer in it. While
// another process answers there, begin gives a Conflict.
func (b *beginning) inOrder(ctx context.Context, conversationID int64, a *attempt, begin func(context.Context) error) error {
	waiting, cancel := context.WithTimeout(ctx, queueWait)
	defer cancel()
	leave, err := b.service.conversations.enter(waiting, conversationID)
	if err != nil {
		return err
	}
	a.leaveQueue = leave
	for {
		err := begin(ctx)
		if errors.Is(err, chat.ErrClaimed) || !fault.Is(err, fault.Conflict) {
			return err
		}
		if !sleep(waiting, queuePoll) {
			return gaveUp(waiting)
		}
	}
}

// append stores the question and returns the messages before it. Of a remembered
// conversation it takes the end user whom it had.
func (b *beginning) append(ctx context.Context, conversation chat.Conversation, seen *string, a *attempt) (history []prompt.Message, err error) {
	ctx, cancel := chat.Storing(ctx)
	defer cancel()
	var answerID int64
	store := func(ctx context.Context) error {
		var earlier []chat.Message
		opening := b.opening(conversation, a)
		opening.Seen = seen
		if answerID, earlier, err = b.service.Turns.BeginTurn(ctx, a.workspaceID, opening); err != nil {
			return err
		}
		a.opens = len(earlier) == 0
		if a.discards { // nothing was kept of what was said before
			history = b.ask.CallerContext.history()
			return nil
		}
		history, err = b.ask.CallerContext.before(ctx, b.service.Chats, a.workspaceID, conversation.ID, earlier)
		return err
	}
	if b.ask.CallerContext.isElsewhere() {
		err = b.service.Turns.InTx(ctx, store)
	} else {
		err = store(ctx)
	}
	if err != nil {
		return nil, chat.TimedOut(err)
	}
	b.begun(conversation, answerID)
	return history, nil
}

// ties reports whether the question ties a conversation to its end user.
func (a Ask) ties(conversation chat.Conversation) bool {
	return a.ExternalUserID != "" && conversation.ExternalUserID == ""
}

func (b *beginning) opening(conversation chat.Conversation, a *attempt) Opening {
	now := b.service.Now()
	opening := Opening{ConversationID: conversation.ID, Question: b.ask.Message, At: now, LeaseUntil: now.Add(lease), Earlier: historyWanted}
	switch {
	case a.discards:
		opening.Question = ""
	case conversation.Title == "":
		opening.Title = chat.TitleOf(b.ask.Message)
	}
	if b.ask.ties(conversation) {
		opening.EndUser = b.ask.ExternalUserID
	}
	opening.Key = b.service.Keys.Claiming(b.ask.Key)
	opening.Month, opening.Reserved = a.ticket.Counts(now)
	if b.ask.Delivery.IDs {
		opening.Delivery = &b.ask.Delivery
	}
	return opening
}

// said are stored messages as a prompt has them.
func said(messages []chat.Message) []prompt.Message {
	history := make([]prompt.Message, len(messages))
	for i, m := range messages {
		history[i] = prompt.Message{Role: prompt.UserRole, Text: m.Content}
		if m.Role == chat.Assistant {
			history[i].Role = prompt.AssistantRole
		}
	}
	return history
}

// sleep waits, and reports whether ctx has not ended meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Ask is a question of a caller.
type Ask struct {
	// Ref's ConversationID of 0 starts a new conversation.
	chat.Ref
	Transport Transport
	Message   string
	Delivery  Delivery
	// Metadata is what a new conversation gets. [chat.NewMetadata] makes it.
	Metadata map[string]string
	// CallerContext, unless nil, is what the caller says besides the question.
	CallerContext *CallerContext
	// Key makes Parley answer the question once, however often it is asked.
	// Without a key each question is one of its own.
	Key *chat.Key
	// Admit, unless nil, is called before an attempt at an answer begins, and
	// refuses it with an error. A question that is joined, or answered already, is not
	// admitted anew. Ended is called when the attempt has ended.
	Admit func(ctx context.Context) (ended func(), err error)
}

func (a Ask) check(p *chatbot.Principal) error {
	if a.Metadata != nil && a.ConversationID != 0 {
		return fault.InField("metadata", "metadata is for a new conversation. Send it without conversation_id, or change that of the conversation with PATCH.")
	}
	if err := a.CallerContext.check(p); err != nil {
		return err
	}
	return a.Ref.Check()
}

// Begin stores the question and retrieves what answers it. With a key that was
// used before it returns the turn which that began, unless it was interrupted
// or failed: then Begin starts another attempt at its answer.
//
// Its failures are Invalid, NotFound (the conversation), Conflict (the
// conversation is busy, or the key was used for another request), RateLimited
// (the messages of the month are used up) and Upstream (retrieval). A ctx that
// ends fails it with the cause of ctx.
func (s *Service) Begin(ctx context.Context, p *chatbot.Principal, ask Ask) (*Turn, error) {
	if err := ask.check(p); err != nil {
		return nil, s.Refuse(ask.Transport, err)
	}
	turn := &Turn{service: s, Delivery: ask.Delivery}
	b := &beginning{service: s, principal: p, ask: ask, turn: turn}
	// Not on the caller's goroutine: a stream's lives on, and would keep the
	// stack that this needs. docs/adr/0009 has the measurement.
	begun := make(chan error, 1)
	go func() {
		begun <- protect(func() error {
			if ask.Key != nil {
				return b.beginOnce(ctx)
			}
			return b.begin(ctx)
		})
	}()
	err := <-begun
	if turn.attempt != nil && turn.attempt.causeOfEnd() != nil {
		err = turn.attempt.causeOfEnd()
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil { // after a panic, too: the conversation must not stay busy
		return nil, turn.refuse(ctx, ask.Transport, err)
	}
	return turn, nil
}

func (s *Service) newAttempt(p *chatbot.Principal, by Transport, delivery Delivery, keyed bool) *attempt {
	return &attempt{
		service: s, transport: by, workspaceID: p.Chatbot.WorkspaceID, origin: chat.OriginOf(p), number: 1, keyed: keyed, durable: delivery.IDs, discards: p.Chatbot.DiscardMessages,
		leaveQueue: func() {}, published: publication{done: make(chan struct{})},
	}
}

// admit asks whether the attempt may begin, and takes the ticket of its question. The
// query is that of an earlier attempt, and counted says that its message pays for this one.
func (a *attempt) admit(ctx context.Context, b *beginning, question, query string, counted bool) (err error) {
	if b.ask.Admit != nil {
		if a.left, err = b.ask.Admit(ctx); err != nil {
			return err
		}
	}
	if counted {
		a.ticket, err = a.service.Quota.Again(ctx, a.workspaceID, b.principal.Chatbot.ID, a.origin, b.principal.Plan, question)
	} else {
		a.ticket, err = a.take(ctx, b.principal, question)
	}
	if err != nil {
		return err
	}
	a.draft, err = a.service.Answers.DraftWithin(&b.principal.Chatbot, a.ticket, query, b.ask.CallerContext.context())
	return err
}

// take takes the ticket of a question, which counts in the month of its token, if that has
// a limit of its own, and in the workspace's.
func (a *attempt) take(ctx context.Context, p *chatbot.Principal, question string) (ticket *quota.Ticket, err error) {
	if p.Token.MessagesPerMonth > 0 {
		// Before it counts there.
		if err := a.service.Quota.CheckReady(ctx, a.workspaceID, p.Chatbot.ID); err != nil {
			return nil, err
		}
		a.token = &p.Token
		if a.tokenMonth, err = a.service.Tokens.TakeMessage(ctx, a.token); err != nil {
			return nil, err
		}
	}
	return a.service.Quota.Take(ctx, a.workspaceID, p.Chatbot.ID, a.origin, p.Plan, question)
}
