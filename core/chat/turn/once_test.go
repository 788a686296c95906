package turn_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
)

func TestOnceForAKey(t *testing.T) {
	t.Run("twenty equal questions at once, on two processes, are one: one call, one question, one answer, counted once", func(t *testing.T) {
		s := newSpeaking(t, "Yes", ", ", "indeed", ".")
		first, conversation, err := s.run(s.Service, turn.Ask{Message: "Before?"})
		s.must(err)
		for name, ask := range map[string]turn.Ask{
			"in a new conversation": keyed("new"),
			"in an old one":         {Message: "Question?", Ref: chat.Ref{ConversationID: conversation}, Key: key("old", "body")},
		} {
			before, _ := s.speaker.counts()
			var all sync.WaitGroup
			answers, conversations := make([]turn.Answer, 20), make([]int64, 20)
			for i := range answers {
				all.Go(func() {
					on := s.Service
					if i%2 == 1 {
						on = s.other
					}
					var err error
					answers[i], conversations[i], err = s.run(on, ask)
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			all.Wait()
			for i, a := range answers {
				if a.Text != "Yes, indeed." || a.MessageID != answers[0].MessageID || a.MessageID == first.MessageID ||
					a.Usage() != answers[0].Usage() || conversations[i] != conversations[0] {
					t.Errorf("%s: one gets %+v, another %+v", name, answers[0], a)
				}
			}
			if calls, _ := s.speaker.counts(); calls != before+1 {
				t.Errorf("%s: the model was called %d times", name, calls-before)
			}
		}
		s.wantKept(conversation, 2, 3, 3, "Yes, indeed.", "Yes, indeed.")
	})

	t.Run("the same key with another body is a conflict", func(t *testing.T) {
		s := newSpeaking(t, "Yes.")
		_, conversation, err := s.run(s.Service, keyed("k"))
		s.must(err)
		_, _, err = s.run(s.Service, turn.Ask{Message: "Another?", Key: key("k", "other")})
		if !fault.Is(err, fault.Conflict) {
			t.Errorf("got %v", err)
		}
		s.wantKept(conversation, 1, 1, 1, "Yes.")
	})

	t.Run("after a day the key is new", func(t *testing.T) {
		s := newSpeaking(t, "Yes.")
		_, first, err := s.run(s.Service, keyed("k"))
		s.must(err)
		s.now = s.now.Add(24*time.Hour - time.Second)
		if _, again, err := s.run(s.Service, keyed("k")); err != nil || again != first {
			t.Errorf("before it is over: %v, %v", again, err)
		}
		s.now = s.now.Add(2 * time.Second)
		if _, again, err := s.run(s.Service, keyed("k")); err != nil || again == first {
			t.Errorf("when it is over: %v, %v", again, err)
		}
		s.wantCalls(2)
	})

	t.Run("a question that failed is not asked twice, and its answer is begun again", func(t *testing.T) {
		s := newSpeaking(t, "Yes.")
		s.speaker.fail = fault.New(fault.Upstream, "The model is away.")
		if _, _, err := s.run(s.Service, keyed("k")); !fault.Is(err, fault.Upstream) {
			t.Fatalf("got %v", err)
		}
		s.wantUsed("2026-11", 0)
		s.speaker.fail = nil
		answer, conversation, err := s.run(s.other, keyed("k"))
		if err != nil || answer.Text != "Yes." || answer.Attempt != 2 {
			t.Errorf("got %+v, %v", answer, err)
		}
		s.wantKept(conversation, 1, 2, 1, "Yes.")
		s.wantCalls(2)
	})

	t.Run("what a process that died left running is begun again, and what it still says changes nothing", func(t *testing.T) {
		s := newSpeaking(t, "At last", ".")
		s.lets()
		dead, err := s.Begin(t.Context(), s.caller, keyed("k"))
		s.must(err)
		ended := make(chan error)
		go func() {
			_, err := dead.Run(t.Context(), func(turn.Event) error { return nil })
			ended <- err
		}()
		<-s.speaker.said
		late := s.process()
		s.must(late.InterruptAll(t.Context()))
		s.speaker.mu.Lock()
		s.speaker.pieces, s.speaker.let = []string{"Yes."}, nil
		s.speaker.mu.Unlock()
		answer, conversation, err := s.run(late, keyed("k"))
		if err != nil || answer.Text != "Yes." || answer.Attempt != 2 {
			t.Errorf("got %+v, %v", answer, err)
		}
		s.EndAll(errors.New("over"))
		if err := <-ended; err == nil {
			t.Error("the late process believes to have answered")
		}
		s.wantKept(conversation, 1, 2, 1, "Yes.")
	})

	t.Run("a conversation is created once for a key", func(t *testing.T) {
		s := newSpeaking(t)
		var all sync.WaitGroup
		ids := make([]int64, 20)
		for i := range ids {
			all.Go(func() {
				made, err := s.Chats.CreateConversation(t.Context(), s.caller, chat.Start{ExternalUserID: "u", Key: key("c", "body")})
				if err != nil {
					t.Error(err)
				}
				ids[i] = made.ID
			})
		}
		all.Wait()
		for _, id := range ids {
			if id != ids[0] || id == 0 {
				t.Errorf("the conversations are %v", ids)
				break
			}
		}
		if _, err := s.Chats.CreateConversation(t.Context(), s.caller, chat.Start{ExternalUserID: "v", Key: key("c", "other")}); !fault.Is(err, fault.Conflict) {
			t.Errorf("another body gets %v", err)
		}
	})
}
