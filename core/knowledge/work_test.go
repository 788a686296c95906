package knowledge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
)

var errScan = fault.New(fault.Invalid, "This PDF is a scan without text.")

func TestTurns(t *testing.T) {
	t.Run("one slice is about five seconds, and says that there is more", func(t *testing.T) {
		l := newLibrary(t)
		for i := range 5 {
			l.addFile(fmt.Sprintf("%d.pdf", i), bread)
		}
		slow := func() { l.clock.advance(3 * time.Second) }
		for i, want := range []bool{true, true, false} {
			l.world.extracting = func() { slow(); l.world.extracting = slow }
			if more, _, err := l.Worker.Work(t.Context(), home, knowledge.ExtractWork); more != want || err != nil {
				t.Errorf("slice %d: more is %v, %v", i, more, err)
			}
		}
		l.wantStates(slices.Repeat([]knowledge.State{knowledge.Indexing}, 5)...)
		l.work()
		l.wantStates(slices.Repeat([]knowledge.State{knowledge.Ready}, 5)...)
	})

	t.Run("work that is broken off goes on where it was", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", bread)
		stop := errors.New("the server stops")
		ctx, cancel := context.WithCancelCause(t.Context())
		l.world.extracting = func() { cancel(stop) }
		if _, err := l.Worker.WorkOff(ctx, home); !errors.Is(err, stop) {
			t.Errorf("the error is %v", err)
		}
		l.wantState(d.ID, knowledge.Extracting, "")
		l.work()
		l.wantWhole(d.ID)
		if n := l.get(d.ID).Attempts; n != 0 {
			t.Errorf("that counts as %d attempts", n)
		}
	})

	t.Run("a sweep enqueues what has become due, and nobody else", func(t *testing.T) {
		l := newLibrary(t)
		l.index.away = true
		l.add("Bread", bread)
		l.queue.take()
		l.must(l.Worker.Sweep(t.Context()))
		if got := l.queue.take(); len(got) != 0 {
			t.Errorf("enqueued is %v", got)
		}
		l.clock.advance(time.Minute)
		l.must(l.Worker.Sweep(t.Context()))
		if got := l.queue.take(); fmt.Sprint(got) != "[ws_home]" {
			t.Errorf("enqueued is %v", got)
		}
	})

	t.Run("a document whose adder has died is found by a sweep", func(t *testing.T) {
		l := newLibrary(t)
		ctx, cancel := context.WithCancel(t.Context())
		l.index.before = cancel
		d, err := l.Documents.Add(ctx, home, bot, knowledge.NewDocument{Title: "Bread", Content: bread})
		l.must(err)
		l.work() // it is the adder's still
		if l.get(d.ID).State == knowledge.Ready {
			t.Error("it is ready")
		}
		l.clock.advance(30 * time.Second)
		l.must(l.Worker.Sweep(t.Context()))
		if got := l.queue.take(); fmt.Sprint(got) != "[ws_home]" {
			t.Errorf("enqueued is %v", got)
		}
		l.work()
		l.wantWhole(d.ID)
	})
}

func TestFinish(t *testing.T) {
	t.Run("work is not finished while something is due", func(t *testing.T) {
		l := newLibrary(t)
		completed := 0
		finish := func() bool {
			more, err := l.Worker.Finish(t.Context(), home, knowledge.ExtractWork, func(context.Context) error { completed++; return nil })
			l.must(err)
			return more
		}
		l.addFile("a.pdf", bread)
		if !finish() || completed != 0 {
			t.Errorf("it was completed %d times", completed)
		}
		l.work()
		if finish() || completed != 1 {
			t.Errorf("it was completed %d times", completed)
		}
	})

	t.Run("what completing fails with is handed on", func(t *testing.T) {
		l := newLibrary(t)
		if _, err := l.Worker.Finish(t.Context(), home, knowledge.IndexWork, func(context.Context) error { return errAway }); !errors.Is(err, errAway) {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("the work of a workspace that has gone can be completed", func(t *testing.T) {
		l := newLibrary(t)
		completed := false
		more, err := l.Worker.Finish(t.Context(), "ws_gone", knowledge.FetchWork, func(context.Context) error { completed = true; return nil })
		if more || err != nil || !completed {
			t.Errorf("more is %v, completed %v: %v", more, completed, err)
		}
	})

	t.Run("nothing that is added at the same time is lost", func(t *testing.T) {
		l := newLibrary(t)
		const adders, each = 4, 10
		var adding sync.WaitGroup
		for a := range adders {
			adding.Go(func() {
				for i := range each {
					l.addFile(fmt.Sprintf("%d-%d.pdf", a, i), bread)
				}
			})
		}
		added := make(chan struct{})
		go func() { adding.Wait(); close(added) }()
		for last := false; !last; {
			select {
			case <-added:
				last = true
			default:
			}
			// A job runs as long as there is more; the next one is enqueued.
			for len(l.queue.take()) > 0 {
				for more := true; more; {
					l.work()
					var err error
					more, err = l.Worker.Finish(t.Context(), home, knowledge.ExtractWork, func(context.Context) error { l.queue.take(); return nil })
					l.must(err)
				}
			}
		}
		l.wantStates(slices.Repeat([]knowledge.State{knowledge.Ready}, adders*each)...)
	})
}
