package encoder

import (
	"context"
	"errors"
	"strconv"
	"testing"
)

func TestTurns(t *testing.T) {
	slotsOf := func(processors, share int) *slots {
		return &slots{all: make(chan struct{}, processors), of: map[string]*workspaceSlots{}, share: share}
	}
	take := func(t *testing.T, x *slots, workspace string) (leave func()) {
		t.Helper()
		leave, err := x.acquire(t.Context(), workspace)
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	t.Run("a workspace with many questions leaves slots to another, which waits for none of them", func(t *testing.T) {
		x := slotsOf(2, 1)
		leave := take(t, x, "busy")
		done := make(chan struct{})
		for range 100 {
			go func() {
				if leave, err := x.acquire(t.Context(), "busy"); err == nil {
					leave()
				}
				done <- struct{}{}
			}()
		}
		take(t, x, "other")()
		leave()
		for range 100 {
			<-done
		}
		if len(x.of) != 0 || len(x.all) != 0 {
			t.Errorf("kept are %v, and %d slots", x.of, len(x.all))
		}
	})
	t.Run("there are as many as processors, whoever asks", func(t *testing.T) {
		x := slotsOf(2, 1)
		leave := []func(){take(t, x, "a"), take(t, x, "b")}
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		cancel(stop)
		for _, workspace := range []string{"a", "c"} { // one waits for its own slot, one for all
			if _, err := x.acquire(ctx, workspace); !errors.Is(err, stop) {
				t.Errorf("%s got %v", workspace, err)
			}
		}
		for _, l := range leave {
			l()
		}
		take(t, x, "c")()
		if len(x.of) != 0 || len(x.all) != 0 {
			t.Errorf("kept are %v, and %d slots", x.of, len(x.all))
		}
	})
}

func TestRemembered(t *testing.T) {
	question := func(n int) hash { return hash{byte(n), byte(n >> 8)} }
	t.Run("a workspace that asks much forgets its own, and no other's", func(t *testing.T) {
		r := newRemembered(100)
		for n := range 10 {
			r.add("small", question(n), []float32{1})
		}
		for n := range 1000 {
			r.add("busy", question(n), []float32{2})
		}
		for n := range 10 {
			if v, ok := r.get("small", question(n)); !ok || v[0] != 1 {
				t.Errorf("question %d is forgotten", n)
			}
		}
		if _, ok := r.get("busy", question(0)); ok {
			t.Error("the oldest is remembered")
		}
		if v, ok := r.get("busy", question(999)); !ok || v[0] != 2 {
			t.Error("the latest is forgotten")
		}
	})
	t.Run("there are never more than the most, of however many workspaces", func(t *testing.T) {
		r := newRemembered(100)
		for n := range 1000 {
			r.add(strconv.Itoa(n%300), question(n), []float32{1})
			r.add(strconv.Itoa(n%300), question(n), []float32{1}) // again
			total := 0
			for _, own := range r.of {
				total += own.Len()
			}
			if total != r.count || total > 100 || len(r.of) > 100 || len(r.bySize) != len(r.of) {
				t.Fatalf("%d are remembered of %d workspaces, counted %d of %d", total, len(r.of), r.count, len(r.bySize))
			}
		}
	})
	t.Run("it is always the one with most that forgets", func(t *testing.T) {
		r := newRemembered(90)
		for n := range 900 {
			r.add([]string{"a", "b", "c", "c", "c", "c"}[n%6], question(n), []float32{1})
		}
		for _, workspace := range []string{"a", "b", "c"} {
			if n := r.of[workspace].Len(); n != 30 {
				t.Errorf("%s has %d", workspace, n)
			}
		}
	})
}
