package testrun

import (
	"context"
	"testing"
)

func TestSlicesThatEndTheProcess(t *testing.T) {
	t.Run("a run whose slices ended the process three times is failed", func(t *testing.T) {
		s, service := newShelf()
		due := s.now
		s.add(t, service, Wanted{Question: "When?", Expects: AnAnswer})
		s.runs = []Run{{ID: "tr", State: Waiting, DueAt: &due, Begun: mostBegun}}
		if err := service.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := s.runs[0]; r.State != Failed || r.DueAt != nil || r.Reason == "" || s.asked != 0 {
			t.Errorf("it is %+v, after %d questions", r, s.asked)
		}
	})
	t.Run("a server that stops uses up no slice", func(t *testing.T) {
		s, service := newShelf()
		due := s.now
		s.add(t, service, Wanted{Question: "When?", Expects: AnAnswer})
		ctx, stop := context.WithCancel(t.Context())
		s.runs = []Run{{ID: "tr", State: Waiting, DueAt: &due}}
		s.instead = stop
		_ = service.Work(ctx)
		if s.asked == 0 || s.runs[0].Begun != 0 {
			t.Errorf("%d slices are counted after %d questions", s.runs[0].Begun, s.asked)
		}
	})
}
