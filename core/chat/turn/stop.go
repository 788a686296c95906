package turn

import (
	"context"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/fault"
)

// stopWait bounds the wait for a turn to end after a request to stop it. It is
// longer than a lease: the turn of a process that has died ends within one.
const stopWait = 30 * time.Second

// StopsEvery is how often [Service.StopAsked] should be called.
const StopsEvery = 200 * time.Millisecond

var (
	errStopped    = fault.New(fault.Conflict, "The answer was stopped.").Named(fault.AnswerStopped)
	errNotStopped = &fault.Error{
		Kind: fault.Unavailable, RetryAfter: time.Second,
		Message: "The answer has been told to stop and has not said that it did. Ask again.",
	}
)

// Ending says how a turn ended that was to be stopped.
type Ending struct {
	ConversationID int64
	// AnswerID and Status belong to the conversation's last turn, which has
	// ended, as Finish does; they are zero if there never was one.
	AnswerID int64
	Status   chat.Status
	Finish   answer.FinishReason
}

// Stop ends the turn that is being generated in a conversation, if there is
// one, and returns when that has been stored. With a key it is the turn that was
// the last when the key was used first. Its failures are NotFound and, when the
// process that generates it does not say that it has ended, Unavailable.
func (s *Service) Stop(ctx context.Context, p *chatbot.Principal, ref chat.Ref, key *chat.Key) (Ending, error) {
	conversation, err := s.Chats.Conversation(ctx, p, ref)
	if err != nil {
		return Ending{}, err
	}
	workspaceID := p.Chatbot.WorkspaceID
	ending := Ending{ConversationID: conversation.ID}
	answerID, err := s.toStop(ctx, workspaceID, conversation.ID, key)
	if err != nil || answerID == 0 {
		return ending, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, stopWait, errNotStopped)
	defer cancel()
	ending.AnswerID = answerID
	ended, err := s.stop(ctx, workspaceID, conversation.ID, answerID)
	ending.Status, ending.Finish = ended.Status, ended.Finish
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return ending, err
}

// toStop returns the answer to stop: the last one, or the key's.
func (s *Service) toStop(ctx context.Context, workspaceID string, conversationID int64, key *chat.Key) (answerID int64, err error) {
	stored, err := s.Turns.Turn(ctx, workspaceID, conversationID, 0)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return 0, err
	}
	answerID = stored.Answer.MessageID
	if key == nil {
		return answerID, nil
	}
	err = s.Turns.InTx(ctx, func(ctx context.Context) error {
		return s.Keys.Claim(ctx, workspaceID, *key, conversationID, answerID)
	})
	if err == nil {
		return answerID, nil
	}
	before, claimed := s.Keys.Claimed(ctx, workspaceID, *key)
	if claimed != nil {
		if fault.Is(claimed, fault.NotFound) {
			return 0, err
		}
		return 0, claimed
	}
	return before.AnswerID, nil
}

// stop ends a turn wherever it is generated, and waits for that.
func (s *Service) stop(ctx context.Context, workspaceID string, conversationID, answerID int64) (Answer, error) {
	asked := false
	for {
		if a := s.running.of(answerID); a != nil {
			a.end(errStopped)
			select {
			case <-a.published.done:
			case <-ctx.Done():
				return Answer{}, context.Cause(ctx)
			}
		}
		stored, err := s.Turns.Turn(ctx, workspaceID, conversationID, answerID)
		if err != nil || stored.Answer.Status != chat.Generating {
			return stored.Answer, err
		}
		if !asked {
			if err := s.Turns.AskToStop(ctx, workspaceID, answerID); err != nil && !fault.Is(err, fault.NotFound) {
				return Answer{}, err
			}
			asked = true
		}
		if !sleep(ctx, followPoll) {
			return Answer{}, context.Cause(ctx)
		}
	}
}

// StopAsked ends the turns of this process that another process was asked to
// stop.
func (s *Service) StopAsked(ctx context.Context) error {
	if len(s.running.ids()) == 0 {
		return nil
	}
	ids, err := s.Leases.StopsAsked(ctx, s.System)
	for _, id := range ids {
		if a := s.running.of(id); a != nil {
			a.end(errStopped)
		}
	}
	return err
}
