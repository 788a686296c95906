package api

import (
	"testing"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
)

// callerWith is a caller with a token, whose plan includes so many answers at
// once.
func callerWith(workspace, token string, answers int) *chatbot.Principal {
	return &chatbot.Principal{
		Token:   chatbot.Token{ID: token},
		Chatbot: chatbot.Chatbot{WorkspaceID: workspace},
		Plan:    plan.Plan{Title: "Small", Limits: plan.Limits{ConcurrentAnswers: answers}},
	}
}

// fillPlaces takes places until one is refused, and returns them.
func fillPlaces(t *testing.T, s *places, p *chatbot.Principal, kind fault.Kind) []*place {
	t.Helper()
	var taken []*place
	for range 1_000 {
		got, err := s.take(p)
		if err != nil {
			if failure := fault.As(err); failure.Kind != kind || failure.RetryAfter <= 0 {
				t.Errorf("it is refused with %v, again in %v", err, failure.RetryAfter)
			}
			return taken
		}
		taken = append(taken, got)
	}
	t.Fatal("a thousand are taken")
	return nil
}

func TestPlaces(t *testing.T) {
	t.Run("one token does not get all places of its workspace, and two get no more than there are", func(t *testing.T) {
		s := newPlaces("answers", 1_000)
		if n := len(fillPlaces(t, s, callerWith("ws", "tok_1", 8), fault.RateLimited)); n != 6 {
			t.Errorf("one token has %d places", n)
		}
		if n := len(fillPlaces(t, s, callerWith("ws", "tok_2", 8), fault.RateLimited)); n != 2 {
			t.Errorf("another has %d", n)
		}
		if n := len(fillPlaces(t, s, callerWith("ws_2", "tok_3", 8), fault.RateLimited)); n != 6 {
			t.Errorf("another workspace has %d", n)
		}
	})
	t.Run("a plan of one place has one for a token", func(t *testing.T) {
		if n := len(fillPlaces(t, newPlaces("answers", 10), callerWith("ws", "tok", 1), fault.RateLimited)); n != 1 {
			t.Errorf("it has %d", n)
		}
	})
	t.Run("no plan lifts the bound of the process", func(t *testing.T) {
		s := newPlaces("answers", 10)
		if n := len(fillPlaces(t, s, callerWith("ws", "tok", plan.Unlimited), fault.Unavailable)); n != 10 {
			t.Errorf("there are %d", n)
		}
	})
	t.Run("a place is free when the last of its holders has left", func(t *testing.T) {
		s := newPlaces("answers", 10)
		p := callerWith("ws", "tok", 1)
		first, err := s.take(p)
		if err != nil {
			t.Fatal(err)
		}
		leave := first.share()
		first.leave()
		if _, err := s.take(p); err == nil {
			t.Error("it is free while somebody holds it")
		}
		leave()
		if s.taken != 0 || len(s.byOwner) != 0 {
			t.Errorf("%d are taken, by %v", s.taken, s.byOwner)
		}
		if _, err := s.take(p); err != nil {
			t.Error(err)
		}
		(*place)(nil).leave()
	})
}
