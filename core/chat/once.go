package chat

import (
	"context"
	"errors"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
)

// keysKept is how long an idempotency key stands for what it began.
const keysKept = 24 * time.Hour

var (
	// errClaimed says that somebody else claimed the key meanwhile. No caller
	// reads it.
	errClaimed   = fault.New(fault.Conflict, "This Idempotency-Key is in use.")
	errOtherBody = fault.New(fault.Conflict, "This Idempotency-Key was sent before with another request. Use a new key for a new request.")
)

// beginOnce begins the turn of a key, or joins the one that was begun with it.
// Requests with the same key go through one after the other; what takes long
// comes after that.
func (s *Service) beginOnce(ctx context.Context, p *chatbot.Principal, ask Ask, turn *Turn) error {
	waiting, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	leave, err := s.keys.enter(waiting, *ask.Key)
	if err != nil {
		return err
	}
	defer leave()
	for {
		claim, err := s.claimed(ctx, p.Chatbot.WorkspaceID, *ask.Key)
		if err == nil {
			return s.rejoin(ctx, p, ask, claim, turn)
		}
		if !fault.Is(err, fault.NotFound) {
			return err
		}
		if err = s.begin(ctx, p, ask, turn); !errors.Is(err, errClaimed) {
			return err
		}
		turn.Abandon(ctx) // another process was first: nothing was stored here
		turn.run = nil
	}
}

// rejoin joins the turn of a claim, if the conversation still admits who asks:
// the chatbot's setting may have changed since.
func (s *Service) rejoin(ctx context.Context, p *chatbot.Principal, ask Ask, claim Claim, turn *Turn) error {
	if _, err := s.conversation(ctx, p, Ref{claim.ConversationID, ask.ExternalUserID}); err != nil {
		return err
	}
	return s.join(ctx, p, ask, claim, turn)
}

// claim ties a key to what the transaction of ctx has made.
func (s *Service) claim(ctx context.Context, workspaceID string, key Key, conversationID, answerID int64) error {
	now := s.now()
	claim := Claim{BodyHash: key.BodyHash, ConversationID: conversationID, AnswerID: answerID, At: now}
	err := s.store.Claim(ctx, workspaceID, key, claim, now.Add(-keysKept))
	if fault.Is(err, fault.Conflict) {
		return errClaimed
	}
	return err
}

// claimed returns what a key stands for. It is NotFound for a new one, and a
// Conflict for one that came with another body.
func (s *Service) claimed(ctx context.Context, workspaceID string, key Key) (Claim, error) {
	claim, err := s.store.Claimed(ctx, workspaceID, key, s.now().Add(-keysKept))
	if err == nil && claim.BodyHash != key.BodyHash {
		return claim, errOtherBody
	}
	return claim, err
}

func (s *Service) isClaimed(ctx context.Context, workspaceID string, key Key) bool {
	_, err := s.claimed(ctx, workspaceID, key)
	return err == nil || errors.Is(err, errOtherBody)
}

// join makes the turn that of a claim. An answer that was interrupted or failed
// is begun again, unless the conversation has gone on.
func (s *Service) join(ctx context.Context, p *chatbot.Principal, ask Ask, claim Claim, turn *Turn) error {
	for {
		stored, err := s.store.Turn(ctx, p.Chatbot.WorkspaceID, claim.ConversationID, claim.AnswerID)
		if err != nil {
			return err
		}
		turn.Conversation = Conversation{ID: stored.ConversationID, WorkspaceID: p.Chatbot.WorkspaceID, ChatbotID: p.Chatbot.ID}
		turn.AnswerID = stored.Answer.MessageID
		turn.From = Position{AnswerID: stored.Answer.MessageID, Attempt: stored.Answer.Attempt}
		if turn.again = nil; stored.Last { // else the conversation went on, and it stays as it is
			turn.again = func(ctx context.Context, turn *Turn) error { return s.join(ctx, p, ask, claim, turn) }
		}
		status := stored.Answer.Status
		if status != Interrupted && status != Failed || !stored.Last {
			return nil
		}
		err = s.beginAgain(ctx, p, ask, stored, turn)
		if !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) || turn.run.begun() {
			return err
		}
		// Somebody else has begun it again, or the conversation went on.
		turn.Abandon(ctx)
		turn.run = nil
	}
}

// beginAgain begins another attempt at an answer.
func (s *Service) beginAgain(ctx context.Context, p *chatbot.Principal, ask Ask, stored StoredTurn, turn *Turn) (err error) {
	r := s.newRun(p, stored.Question, turn.Delivery, true)
	turn.run = r
	r.task.query = stored.Answer.Query
	ctx = r.under(ctx)
	if err := r.admit(ctx, ask, true); err != nil {
		return err
	}
	if stored.Answer.Status == Failed { // it was given back
		if r.ticket, err = s.quota.take(ctx, p.Chatbot.WorkspaceID, p.Plan); err != nil {
			return err
		}
		defer func() { r.ticket.drop(err) }()
	}
	workspaceID := p.Chatbot.WorkspaceID
	var history []Message
	err = s.inTurn(ctx, stored.ConversationID, r, func(ctx context.Context) error {
		ctx, cancel := storing(ctx)
		defer cancel()
		return inTime(s.store.InTx(ctx, func(ctx context.Context) error {
			now, attempt := s.now(), 0
			month, reserved := r.ticket.counts(now)
			attempt, err = s.store.BeginAgain(ctx, workspaceID, AgainTurn{
				ConversationID: stored.ConversationID, AnswerID: stored.Answer.MessageID, LeaseUntil: now.Add(lease),
				Month: month, Reserved: reserved,
			})
			if err != nil {
				return err
			}
			r.attempt = attempt
			history, err = s.store.LastMessages(ctx, workspaceID, stored.ConversationID, stored.QuestionID, historyWanted)
			return err
		}))
	})
	if err != nil {
		return err
	}
	r.conversationID, r.answerID = stored.ConversationID, stored.Answer.MessageID
	r.ticket.keep()
	turn.From.Attempt = r.attempt
	s.track(r)
	return r.prepare(ctx, history)
}
