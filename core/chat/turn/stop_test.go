package turn_test

import (
	"context"
	"testing"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/core/plan"
)

func TestStop(t *testing.T) {
	for name, elsewhere := range map[string]bool{"in the same process": false, "in another process": true} {
		t.Run("a turn is stopped "+name+", and keeps what was generated", func(t *testing.T) {
			s := newSpeaking(t, "Öne", " two", " three", " four.")
			s.lets()
			asked, err := s.Begin(t.Context(), s.caller, turn.Ask{Message: "Question?"})
			s.must(err)
			answered := make(chan turn.Answer, 1)
			go func() {
				answer, err := asked.Run(t.Context(), func(turn.Event) error { return nil })
				if err != nil {
					t.Error(err)
				}
				answered <- answer
			}()
			<-s.speaker.said
			from := s.Service
			if elsewhere {
				from = s.other
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go s.lookForStops(ctx)
			}
			conversation := chat.Ref{ConversationID: asked.Conversation.ID}
			ending, err := from.Stop(t.Context(), s.caller, conversation, key("stop", ""))
			if want := (turn.Ending{ConversationID: asked.Conversation.ID, AnswerID: asked.AnswerID, Status: chat.Stopped}); err != nil || ending != want {
				t.Errorf("got %+v, %v", ending, err)
			}
			s.wantCalls(1)
			if answer := <-answered; answer.Text != "Öne" || answer.Status != chat.Stopped {
				t.Errorf("the caller gets %+v", answer)
			}
			s.wantKept(asked.Conversation.ID, 1, 1, 1, "Öne")

			// The same request again does not stop what was begun since.
			s.speaker.let = nil
			next, _, err := s.run(s.Service, turn.Ask{Message: "Next?", Ref: conversation})
			s.must(err)
			again, err := from.Stop(t.Context(), s.caller, conversation, key("stop", ""))
			if err != nil || again != ending {
				t.Errorf("the key again gives %+v, %v", again, err)
			}
			last, err := from.Stop(t.Context(), s.caller, conversation, nil)
			if err != nil || last.AnswerID != next.MessageID || last.Status != chat.Complete {
				t.Errorf("a turn that has ended gives %+v, %v", last, err)
			}
		})
	}

	t.Run("a turn that is stopped while it begins is a conflict for its caller", func(t *testing.T) {
		s := newSpeaking(t, "Öne.")
		searching := make(chan struct{})
		s.searches.hold = func(ctx context.Context) {
			close(searching)
			<-ctx.Done()
		}
		made, err := s.Chats.CreateConversation(t.Context(), s.caller, chat.Start{})
		s.must(err)
		conversation := chat.Ref{ConversationID: made.ID}
		begun := make(chan error, 1)
		go func() {
			_, err := s.Begin(t.Context(), s.caller, turn.Ask{Message: "Question?", Ref: conversation})
			begun <- err
		}()
		<-searching
		ending, err := s.Stop(t.Context(), s.caller, conversation, nil)
		if err != nil || ending.Status != chat.Stopped {
			t.Errorf("got %+v, %v", ending, err)
		}
		if err := <-begun; !fault.Is(err, fault.Conflict) {
			t.Errorf("its caller gets %v", err)
		}
		s.wantCalls(0)
	})

	t.Run("where nothing was asked there is nothing to stop", func(t *testing.T) {
		s := newSpeaking(t)
		made, err := s.Chats.CreateConversation(t.Context(), s.caller, chat.Start{})
		s.must(err)
		ending, err := s.Stop(t.Context(), s.caller, chat.Ref{ConversationID: made.ID}, nil)
		if err != nil || ending != (turn.Ending{ConversationID: made.ID}) {
			t.Errorf("got %+v, %v", ending, err)
		}
		if _, err := s.Stop(t.Context(), callerOf(foreign, plan.Unlimited), chat.Ref{ConversationID: made.ID}, nil); !fault.Is(err, fault.NotFound) {
			t.Errorf("another workspace gets %v", err)
		}
	})
}
