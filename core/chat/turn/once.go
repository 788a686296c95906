package turn

import (
	"cmp"
	"context"
	"errors"

	"parley/core/answer/prompt"
	"parley/core/chat"
	"parley/core/fault"
)

// beginOnce begins the turn of a key, or joins the one that was begun with it.
// Requests with the same key go through one after the other; what takes long
// comes after that.
func (b *beginning) beginOnce(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, queueWait)
	defer cancel()
	leave, err := b.service.keys.enter(waiting, *b.ask.Key)
	if err != nil {
		return err
	}
	defer leave()
	for {
		claim, err := b.service.Keys.Claimed(ctx, b.principal.Chatbot.WorkspaceID, *b.ask.Key)
		if err == nil {
			return b.rejoin(ctx, claim)
		}
		if !fault.Is(err, fault.NotFound) {
			return err
		}
		if err = b.begin(ctx); !errors.Is(err, chat.ErrClaimed) {
			return err
		}
		b.giveUp(ctx) // another process was first: nothing was stored here
	}
}

// giveUp abandons an attempt that lost the race against another one.
func (b *beginning) giveUp(ctx context.Context) {
	b.turn.Abandon(ctx)
	b.turn.attempt = nil
}

// rejoin joins the turn of a claim, if the conversation still admits the
// caller: the chatbot's setting may have changed since.
func (b *beginning) rejoin(ctx context.Context, claim chat.Claim) error {
	if _, err := b.service.Chats.Conversation(ctx, b.principal, chat.Ref{ConversationID: claim.ConversationID, ExternalUserID: b.ask.ExternalUserID}); err != nil {
		return err
	}
	return b.join(ctx, claim)
}

// join makes the turn continue the stored turn of a claim. If its answer was interrupted
// or failed, join begins another attempt, unless the conversation has gone on.
func (b *beginning) join(ctx context.Context, claim chat.Claim) error {
	workspaceID, turn := b.principal.Chatbot.WorkspaceID, b.turn
	for {
		stored, err := b.service.Turns.Turn(ctx, workspaceID, claim.ConversationID, claim.AnswerID)
		if err != nil {
			return err
		}
		turn.Conversation = chat.Conversation{ID: stored.ConversationID, WorkspaceID: workspaceID, ChatbotID: b.principal.Chatbot.ID}
		turn.AnswerID = stored.Answer.MessageID
		turn.From = Position{AnswerID: stored.Answer.MessageID, Attempt: stored.Answer.Attempt}
		if turn.again = nil; stored.Last { // else the conversation went on, and it stays as it is
			turn.again = func(ctx context.Context) error { return b.join(ctx, claim) }
		}
		status := stored.Answer.Status
		if status != chat.Interrupted && status != chat.Failed || !stored.Last {
			return nil
		}
		err = b.beginAgain(ctx, stored)
		if !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) || turn.attempt.begun() {
			return err
		}
		b.giveUp(ctx) // another request has begun it again, or the conversation went on
	}
}

// attemptsPaid is how many attempts at an answer a message pays for, so that a caller who
// leaves and asks again with the same key does not ask for nothing.
const attemptsPaid = 3

// beginAgain begins another attempt at an answer.
func (b *beginning) beginAgain(ctx context.Context, stored Stored) (err error) {
	a := b.service.newAttempt(b.principal, b.ask.Transport, b.turn.Delivery, true)
	b.turn.attempt = a
	ctx = a.withCancel(ctx)
	// The message of one that failed was given back.
	counted := stored.Answer.Status == chat.Interrupted && stored.Answer.Attempt%attemptsPaid != 0
	if err := a.admit(ctx, b, cmp.Or(stored.Question, b.ask.Message), stored.Answer.Query, counted); err != nil {
		return err
	}
	defer func() { a.ticket.Drop(err) }()
	var history []prompt.Message
	err = b.inOrder(ctx, stored.ConversationID, a, func(ctx context.Context) error {
		history, err = b.retry(ctx, stored, a, !counted)
		return err
	})
	if err != nil {
		return err
	}
	a.conversationID, a.answerID = stored.ConversationID, stored.Answer.MessageID
	a.ticket.Keep()
	b.turn.From.Attempt = a.number
	b.service.running.add(a)
	return a.draft.Prepare(ctx, history)
}

// retry stores that another attempt begins, and returns what was said before the
// question.
func (b *beginning) retry(ctx context.Context, stored Stored, a *attempt, counts bool) (history []prompt.Message, err error) {
	ctx, cancel := chat.Storing(ctx)
	defer cancel()
	err = b.service.Turns.InTx(ctx, func(ctx context.Context) error {
		now := b.service.Now()
		month, reserved := a.ticket.Counts(now)
		a.number, err = b.service.Turns.BeginAgain(ctx, a.workspaceID, Retry{
			ConversationID: stored.ConversationID, AnswerID: stored.Answer.MessageID, LeaseUntil: now.Add(lease),
			Counts: counts, Month: month, Reserved: reserved,
		})
		if err != nil {
			return err
		}
		messages, err := b.service.Chats.LastMessages(ctx, a.workspaceID, stored.ConversationID, stored.QuestionID, historyWanted)
		if err != nil {
			return err
		}
		a.opens = len(messages) == 0
		history, err = b.ask.CallerContext.before(ctx, b.service.Chats, a.workspaceID, stored.ConversationID, messages)
		return err
	})
	return history, chat.TimedOut(err)
}
