package chat

import (
	"context"
	"errors"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
)

const (
	// storeWithin bounds the storing of a question or an answer, which goes on
	// when the caller leaves.
	storeWithin = 10 * time.Second
	// storeAgain is the pause after the database could not be used.
	storeAgain = 200 * time.Millisecond
	// historyWanted is how many earlier messages are looked at.
	historyWanted = 20
)

// begin stores the question and prepares its answer.
func (s *Service) begin(ctx context.Context, p *chatbot.Principal, ask Ask, turn *Turn) (err error) {
	r := s.newRun(p, ask.Message, ask.Delivery, ask.Key != nil)
	turn.run = r
	ctx = r.under(ctx)
	// Before the database is asked, and before the search, which costs something.
	if err := r.admit(ctx, ask, false); err != nil {
		return err
	}
	if r.ticket, err = s.quota.take(ctx, p.Chatbot.WorkspaceID, p.Plan); err != nil {
		return err
	}
	defer func() { r.ticket.drop(err) }() // what was stored is kept
	if ask.ConversationID == 0 {
		return s.beginFirst(ctx, p, ask, turn)
	}
	history, err := s.beginNext(ctx, p, ask, turn)
	if err != nil {
		return err
	}
	s.track(r)
	return r.prepare(ctx, history)
}

// beginFirst begins the first turn of a new conversation. Nothing was said
// before, so the search need not wait for the commit.
func (s *Service) beginFirst(ctx context.Context, p *chatbot.Principal, ask Ask, turn *Turn) error {
	searching, cancel := context.WithCancel(ctx)
	defer cancel()
	r := turn.run
	searched := make(chan error, 1)
	go func() {
		searched <- protect(func() error { return r.prepare(searching, nil) })
	}()
	err := s.beginNew(ctx, p, ask, turn)
	if err != nil {
		cancel()
		<-searched //nolint:errcheck // why it could not begin is what the caller reads
		return err
	}
	s.track(r)
	return <-searched
}

// beginNew stores the question in a new conversation.
func (s *Service) beginNew(ctx context.Context, p *chatbot.Principal, ask Ask, turn *Turn) error {
	ctx, cancel := storing(ctx)
	defer cancel()
	workspaceID, conversation := p.Chatbot.WorkspaceID, s.newConversation(p, ask.ExternalUserID)
	var answerID int64
	create := func(ctx context.Context) (err error) {
		conversation, answerID, err = s.store.BeginConversation(ctx, workspaceID, conversation, s.newTurn(0, ask, turn.run))
		return err
	}
	if ask.Key == nil {
		if err := create(ctx); err != nil {
			return inTime(err)
		}
		turn.begun(conversation, answerID)
		return nil
	}
	err := s.store.InTx(ctx, func(ctx context.Context) error {
		if err := create(ctx); err != nil {
			return err
		}
		return s.claim(ctx, workspaceID, *ask.Key, conversation.ID, answerID)
	})
	if err != nil {
		return inTime(err)
	}
	turn.begun(conversation, answerID)
	return nil
}

// begun notes what was stored.
func (t *Turn) begun(conversation Conversation, answerID int64) {
	t.Conversation, t.AnswerID = conversation, answerID
	t.From = Position{AnswerID: answerID, Attempt: 1}
	t.run.conversationID, t.run.answerID = conversation.ID, answerID
	t.run.ticket.keep()
}

// beginNext waits for the conversation, stores the question in it and returns
// what was said before.
func (s *Service) beginNext(ctx context.Context, p *chatbot.Principal, ask Ask, turn *Turn) ([]Message, error) {
	conversation, err := s.conversation(ctx, p, ask.Ref)
	if err != nil {
		return nil, err
	}
	var history []Message
	err = s.inTurn(ctx, conversation.ID, turn.run, func(ctx context.Context) error {
		history, err = s.append(ctx, p.Chatbot.WorkspaceID, ask, conversation, turn)
		if fault.Is(err, fault.Conflict) && ask.Key != nil && s.isClaimed(ctx, p.Chatbot.WorkspaceID, *ask.Key) {
			return errClaimed
		}
		return err
	})
	return history, err
}

// inTurn waits until a conversation is free and begins an answer in it. While
// another process answers there, begin gives a Conflict.
func (s *Service) inTurn(ctx context.Context, conversationID int64, r *run, begin func(context.Context) error) error {
	waiting, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	leave, err := s.queue.enter(waiting, conversationID)
	if err != nil {
		return err
	}
	r.leave = leave
	for {
		err := begin(ctx)
		if errors.Is(err, errClaimed) || !fault.Is(err, fault.Conflict) {
			return err
		}
		if !sleep(waiting, turnPoll) {
			return gaveUp(waiting)
		}
	}
}

// append stores the question and returns what was said before it.
func (s *Service) append(ctx context.Context, workspaceID string, ask Ask, conversation Conversation, turn *Turn) (history []Message, err error) {
	ctx, cancel := storing(ctx)
	defer cancel()
	var answerID int64
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		if ask.ExternalUserID != "" && conversation.ExternalUserID == "" {
			err := s.store.SetExternalUser(ctx, workspaceID, conversation.ID, ask.ExternalUserID)
			if fault.Is(err, fault.NotFound) { // another end user was first
				return ErrNoConversation
			}
			if err != nil {
				return err
			}
		}
		if answerID, err = s.store.BeginTurn(ctx, workspaceID, s.newTurn(conversation.ID, ask, turn.run)); err != nil {
			return err
		}
		if ask.Key != nil {
			if err := s.claim(ctx, workspaceID, *ask.Key, conversation.ID, answerID); err != nil {
				return err
			}
		}
		// Read before, the history could lack an answer that another process
		// stored in between. The last message is the question itself.
		history, err = s.store.LastMessages(ctx, workspaceID, conversation.ID, 0, historyWanted+1)
		return err
	})
	if err != nil {
		return nil, inTime(err)
	}
	turn.begun(conversation, answerID)
	return history[:len(history)-1], nil
}

// storing returns a context that does not end with the caller's: of a commit
// that is broken off nobody learns whether it happened, and the conversation
// would be busy until the lease ends.
func storing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeWithin)
}

// inTime gives what was not stored in time its kind.
func inTime(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.Unavailable, err, "The database cannot be used just now. Try again.")
	}
	return err
}

func (s *Service) newTurn(conversationID int64, ask Ask, r *run) NewTurn {
	now := s.now()
	turn := NewTurn{ConversationID: conversationID, Question: ask.Message, At: now, LeaseUntil: now.Add(lease)}
	turn.Month, turn.Reserved = r.ticket.counts(now)
	if ask.Delivery.IDs {
		turn.Delivery = &ask.Delivery
	}
	return turn
}

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
