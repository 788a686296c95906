package rate

import (
	"testing"

	"parley/core/fault"
	"parley/core/plan"
)

// including returns a plan that includes a number of concurrent answers.
func including(answers int) plan.Plan {
	return plan.Plan{Title: "Small", Limits: plan.Limits{ConcurrentAnswers: answers}}
}

// fillSlots takes slots until one is refused, and returns them.
func fillSlots(t *testing.T, s *Slots, workspaceID, tokenID string, p plan.Plan, kind fault.Kind) []*Slot {
	t.Helper()
	var taken []*Slot
	for range 1_000 {
		got, err := s.Take(workspaceID, tokenID, p)
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

func TestSlots(t *testing.T) {
	t.Run("one token cannot take all slots of its workspace, and two together take no more than there are", func(t *testing.T) {
		s := NewSlots("answers", 1_000)
		if n := len(fillSlots(t, s, "ws", "tok_1", including(8), fault.RateLimited)); n != 6 {
			t.Errorf("one token has %d slots", n)
		}
		if n := len(fillSlots(t, s, "ws", "tok_2", including(8), fault.RateLimited)); n != 2 {
			t.Errorf("another has %d", n)
		}
		if n := len(fillSlots(t, s, "ws_2", "tok_3", including(8), fault.RateLimited)); n != 6 {
			t.Errorf("another workspace has %d", n)
		}
	})
	t.Run("with a plan of one slot a token gets one", func(t *testing.T) {
		if n := len(fillSlots(t, NewSlots("answers", 10), "ws", "tok", including(1), fault.RateLimited)); n != 1 {
			t.Errorf("it has %d", n)
		}
	})
	t.Run("no plan lifts the limit of the process", func(t *testing.T) {
		s := NewSlots("answers", 10)
		if n := len(fillSlots(t, s, "ws", "tok", including(plan.Unlimited), fault.Unavailable)); n != 10 {
			t.Errorf("there are %d", n)
		}
	})
	t.Run("a slot is free when its last holder has left", func(t *testing.T) {
		s := NewSlots("answers", 10)
		p := including(1)
		first, err := s.Take("ws", "tok", p)
		if err != nil {
			t.Fatal(err)
		}
		leave := first.Share()
		first.Leave()
		if _, err := s.Take("ws", "tok", p); err == nil {
			t.Error("the slot is free although somebody holds it")
		}
		leave()
		if s.taken != 0 || len(s.byOwner) != 0 {
			t.Errorf("%d are taken, by %v", s.taken, s.byOwner)
		}
		if _, err := s.Take("ws", "tok", p); err != nil {
			t.Error(err)
		}
		(*Slot)(nil).Leave()
	})
}
