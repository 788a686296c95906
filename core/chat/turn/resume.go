package turn

import (
	"context"
	"unicode/utf8"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/fault"
)

var (
	errInterrupted = fault.New(fault.Upstream, "The answer was interrupted before its end. Send the message again.").Named(fault.AnswerInterrupted)
	errHasFailed   = fault.New(fault.Upstream, "The answer failed. Send the message again.").Named(fault.ModelFailed)
	errRestarted   = fault.New(fault.Conflict, "The answer was restarted. Reconnect without Last-Event-ID to read it from its beginning.").Named(fault.AnswerRestarted)
	errNoAnswer    = fault.New(fault.NotFound, "The conversation has no answer yet. Send a message first.")
)

// Resume returns the turn that a position is of, or the last of the
// conversation without one; [Turn.Run] gives what comes after the position,
// whether the turn is being generated, here or by another process, or has ended.
// Its failures are NotFound (the conversation, or it has no turn), Invalid (the
// position is not of this conversation) and Conflict (the answer was begun again
// since).
func (s *Service) Resume(ctx context.Context, p *chatbot.Principal, ref chat.Ref, from *Position) (*Turn, error) {
	conversation, err := s.Chats.Conversation(ctx, p, ref)
	if err != nil {
		return nil, err
	}
	var at Position
	if from != nil {
		at = *from
	}
	stored, err := s.Turns.Turn(ctx, p.Chatbot.WorkspaceID, conversation.ID, at.AnswerID)
	if fault.Is(err, fault.NotFound) {
		if from != nil {
			return nil, ErrNoPosition
		}
		return nil, errNoAnswer
	}
	if err != nil {
		return nil, err
	}
	if from == nil {
		at = Position{AnswerID: stored.Answer.MessageID, Attempt: stored.Answer.Attempt}
	}
	turn := &Turn{Conversation: conversation, AnswerID: at.AnswerID, From: at, service: s}
	if stored.Delivery != nil {
		turn.Delivery = *stored.Delivery
	}
	return turn, s.checkPosition(at, stored)
}

// checkPosition refuses a position that is not in the answer: text is stored
// before its id is sent.
func (s *Service) checkPosition(at Position, stored Stored) error {
	if at.Attempt > stored.Answer.Attempt {
		return ErrNoPosition // there never was such an attempt
	}
	if at.Attempt != stored.Answer.Attempt {
		return errRestarted
	}
	text := stored.Answer.Text
	if a := s.running.of(at.AnswerID); a != nil && len(a.published.readable()) > len(text) {
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
