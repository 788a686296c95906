package retrieval

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/core/fault"
)

func TestBacklog(t *testing.T) {
	one, two := Scope{"ws", "one"}, Scope{"ws", "two"}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	open := func(missing map[Scope]int, compared *int) *Backlog {
		b := NewBacklog(func() time.Time { return now })
		b.CompareWith(func(_ context.Context, scope Scope) (int, error) {
			*compared++
			if missing == nil {
				return 0, errors.New("away")
			}
			return missing[scope], nil
		}, true)
		return b
	}
	wantReady := func(t *testing.T, b *Backlog, scope Scope, want bool) {
		t.Helper()
		err := b.Check(t.Context(), scope)
		if ready := err == nil; ready != want {
			t.Errorf("%s is ready: %t, want %t", scope.ChatbotID, ready, want)
		}
		if err != nil && (fault.As(err).Code() != fault.IndexNotReady || !fault.Is(err, fault.Unavailable) || fault.As(err).RetryAfter <= 0) {
			t.Errorf("the error is %v", err)
		}
	}
	t.Run("before all are compared, each chatbot is compared once when it is asked", func(t *testing.T) {
		compared := 0
		b := open(map[Scope]int{one: 2}, &compared)
		for range 3 {
			wantReady(t, b, one, false)
			wantReady(t, b, two, true)
		}
		if compared != 2 {
			t.Errorf("they were compared %d times", compared)
		}
	})
	t.Run("a chatbot that cannot be compared is not ready", func(t *testing.T) {
		compared := 0
		wantReady(t, open(nil, &compared), one, false)
	})
	t.Run("only chatbots that lack something are refused, until they lack nothing", func(t *testing.T) {
		compared := 0
		b := open(map[Scope]int{}, &compared)
		b.Set(25_021, map[Scope]int{one: 12_621})
		wantReady(t, b, one, false)
		wantReady(t, b, two, true)
		b.Filled(one, 12_620)
		if lag := b.Lag(); lag.Behind != 1 || lag.Total != 25_021 || !lag.Since.Equal(now) || !lag.Known {
			t.Errorf("the lag is %+v", lag)
		}
		b.Filled(one, 1) // what was filled is looked at once more
		wantReady(t, b, one, false)
		b.Put(one, 0)
		wantReady(t, b, one, true)
		if lag := b.Lag(); lag.Behind != 0 || !lag.Since.IsZero() {
			t.Errorf("the lag is %+v", lag)
		}
		if compared != 0 {
			t.Errorf("they were compared %d times", compared)
		}
	})
	t.Run("the chatbot that was asked last is wanted first", func(t *testing.T) {
		compared := 0
		b := open(map[Scope]int{}, &compared)
		b.Set(2, map[Scope]int{one: 1, two: 1})
		wantReady(t, b, two, false)
		wantReady(t, b, one, false)
		b.Put(one, 0)
		for _, want := range []bool{true, false} {
			if scope, ok := b.Wanted(); ok != want || ok && scope != two {
				t.Errorf("wanted is %v, %t", scope, ok)
			}
		}
	})
	t.Run("a chatbot for which nothing is found is compared again, now and then", func(t *testing.T) {
		compared, missing := 0, map[Scope]int{}
		b := open(missing, &compared)
		b.Set(1, map[Scope]int{})
		for range 2 {
			if err := b.Doubt(t.Context(), one); err != nil {
				t.Error(err)
			}
		}
		missing[one] = 1
		now = now.Add(doubtEvery)
		if err := b.Doubt(t.Context(), one); err == nil || compared != 2 {
			t.Errorf("%v, compared %d times", err, compared)
		}
		wantReady(t, b, one, false)
	})
	t.Run("without a backlog every chatbot is ready", func(t *testing.T) {
		var none *Backlog
		if err := errors.Join(none.Check(t.Context(), one), none.Doubt(t.Context(), one)); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkBacklogOfNothing(b *testing.B) {
	backlog := NewBacklog(time.Now)
	backlog.Set(25_000, map[Scope]int{})
	for b.Loop() {
		if backlog.Check(b.Context(), Scope{"ws", "cb"}) != nil {
			b.Fatal("it is behind")
		}
	}
}
