package testrun

import (
	"errors"
	"testing"
	"time"

	"parley/core/fault"
)

func TestARemovalIsUndone(t *testing.T) {
	// begin has two questions, of which the first has been answered and then removed.
	begin := func(t *testing.T) (*shelf, *Service, func() error) {
		t.Helper()
		s, service := newShelf()
		s.add(t, service, Wanted{Question: "When?", Expects: AnAnswer})
		s.add(t, service, Wanted{Question: "Who?", Expects: NoAnswer})
		_, err := service.Start(t.Context(), "ws", "cb", "")
		first := s.questions[0].ID
		if err := errors.Join(err, service.Work(t.Context()), service.Withdraw(t.Context(), "ws", "cb", first)); err != nil {
			t.Fatal(err)
		}
		return s, service, func() error { return service.Undo(t.Context(), "ws", "cb", first) }
	}
	t.Run("until then it is neither listed nor asked, nor removed twice", func(t *testing.T) {
		s, service, _ := begin(t)
		s.asked = 0
		if _, err := service.Start(t.Context(), "ws", "cb", ""); err != nil {
			t.Fatal(err)
		}
		if err := service.Work(t.Context()); err != nil || s.asked != 1 || s.runs[1].Total != 1 {
			t.Errorf("%d were asked in %+v, %v", s.asked, s.runs[1], err)
		}
		if err := service.Withdraw(t.Context(), "ws", "cb", s.questions[0].ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("removed twice: %v", err)
		}
	})
	t.Run("within ten seconds it is back, with its results", func(t *testing.T) {
		s, service, undo := begin(t)
		s.now = s.now.Add(undoFor - time.Second)
		if err := errors.Join(service.Work(t.Context()), undo()); err != nil {
			t.Fatal(err)
		}
		o, err := service.Overview(t.Context(), "ws", "cb")
		if err != nil || len(o.Questions) != 2 || o.Questions[0].After == nil || o.Questions[0].After.Outcome != "answered" {
			t.Errorf("there are %+v, %v", o.Questions, err)
		}
	})
	t.Run("later it is too late, and it is deleted", func(t *testing.T) {
		s, service, undo := begin(t)
		s.now = s.now.Add(undoFor)
		if err := undo(); !errors.Is(err, errTooLate) {
			t.Errorf("undone: %v", err)
		}
		if err := service.Work(t.Context()); err != nil || len(s.questions) != 1 {
			t.Errorf("there are %+v, %v", s.questions, err)
		}
		if err := undo(); !errors.Is(err, errTooLate) {
			t.Errorf("what is deleted is undone: %v", err)
		}
	})
	t.Run("it does not come back beside one that was added again, but beside an older twin", func(t *testing.T) {
		s, service, undo := begin(t)
		s.now = s.now.Add(time.Second)
		s.add(t, service, Wanted{Question: " when? ", Expects: NoAnswer})
		if err := undo(); !errors.Is(err, errAddedAgain) {
			t.Errorf("undone: %v", err)
		}
		s.questions[2].CreatedAt = s.questions[0].CreatedAt
		if err := undo(); err != nil {
			t.Error(err)
		}
	})
	t.Run("it takes no more room than there is", func(t *testing.T) {
		s, service, undo := begin(t)
		for range MaxQuestions - 1 {
			s.add(t, service, Wanted{Question: "Why?", Expects: AnAnswer})
		}
		if err := undo(); !fault.Is(err, fault.Conflict) || errors.Is(err, errTooLate) {
			t.Errorf("undone: %v", err)
		}
	})
}
