package turn

import (
	"context"
	"unicode/utf8"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/fault"
)

var (
	errInterrupted   = fault.New(fault.Upstream, "The answer was interrupted before its end. Send the message again.").Named(fault.AnswerInterrupted)
	errHasFailed     = fault.New(fault.Upstream, "The answer failed. Send the message again.").Named(fault.ModelFailed)
	errRestarted     = fault.New(fault.Conflict, "The answer was restarted. Reconnect without Last-Event-ID to read it from its beginning.").Named(fault.AnswerRestarted)
	errOtherQuestion = fault.New(fault.Invalid, "Last-Event-ID is of the answer to another question. Send a new question without it.")
	errNoAnswer      = fault.New(fault.NotFound, "The conversation has no answer yet. Send a message first.")
)

// Resume returns the turn that a position is of, or the last of the
// conversation without one; [Turn.Run] gives what comes after the position,
// whether the turn is being generated, here or by another process, or has ended.
// Its failures are NotFound (the conversation, or it has no turn), Invalid (the
// position is not of this conversation) and Conflict (the answer was begun again
// since).
func (s *Service) Resume(ctx context.Context, p *chatbot.Principal, ref chat.Ref, from *Position) (*Turn, error) {
	turn, _, err := resumption{s, p}.begin(ctx, ref, from)
	return turn, err
}

// ResumeAsked is [Service.Resume] for a caller who sends the question of a stream with
// ids again, and may not know its conversation. A position of another question is
// Invalid, so that no question is lost.
func (s *Service) ResumeAsked(ctx context.Context, p *chatbot.Principal, ask Ask, from Position) (*Turn, error) {
	if err := ask.check(p); err != nil {
		return nil, err
	}
	ref, named := ask.Ref, ask.ConversationID != 0
	if !named {
		var err error
		if ref.ConversationID, err = s.Turns.ConversationOf(ctx, p.Chatbot.WorkspaceID, from.AnswerID); err != nil {
			return nil, noPosition(err)
		}
	}
	turn, stored, err := resumption{s, p}.begin(ctx, ref, &from)
	switch {
	case err != nil && !named:
		return nil, noPosition(err)
	case err != nil:
		return nil, err
	case stored.Delivery == nil:
		return nil, ErrNoPosition
	case stored.Question != ask.Message && stored.Question != "": // which is not kept of every chatbot
		return nil, errOtherQuestion
	}
	return turn, nil
}

// noPosition hides from a caller who named no conversation that there is one.
func noPosition(err error) error {
	if fault.Is(err, fault.NotFound) {
		return ErrNoPosition
	}
	return err
}

// resumption is a stream that a caller resumes.
type resumption struct {
	service   *Service
	principal *chatbot.Principal
}

func (r resumption) begin(ctx context.Context, ref chat.Ref, from *Position) (*Turn, Stored, error) {
	conversation, err := r.service.Chats.Conversation(ctx, r.principal, ref)
	if err != nil {
		return nil, Stored{}, err
	}
	var at Position
	if from != nil {
		at = *from
	}
	stored, err := r.service.Turns.Turn(ctx, r.principal.Chatbot.WorkspaceID, conversation.ID, at.AnswerID)
	if fault.Is(err, fault.NotFound) {
		if from != nil {
			return nil, stored, ErrNoPosition
		}
		return nil, stored, errNoAnswer
	}
	if err != nil {
		return nil, stored, err
	}
	if from == nil {
		at = Position{AnswerID: stored.Answer.MessageID, Attempt: stored.Answer.Attempt}
	}
	turn := &Turn{Conversation: conversation, AnswerID: at.AnswerID, From: at, service: r.service}
	if stored.Delivery != nil {
		turn.Delivery = *stored.Delivery
	}
	return turn, stored, r.check(at, stored)
}

// check refuses a position that is not in the answer: text is stored
// before its id is sent.
func (r resumption) check(at Position, stored Stored) error {
	if at.Attempt > stored.Answer.Attempt {
		return ErrNoPosition // there never was such an attempt
	}
	if at.Attempt != stored.Answer.Attempt {
		return errRestarted
	}
	text := stored.Answer.Text
	if a := r.service.running.of(at.AnswerID); a != nil && len(a.published.readable()) > len(text) {
		text = a.published.readable()
	}
	if at.Offset > len(text) || !startsRune(text, at.Offset) {
		return ErrNoPosition
	}
	return nil
}

func startsRune(text string, offset int) bool {
	return offset == len(text) || utf8.RuneStart(text[offset])
}
