package quota

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/system"
)

// ledger counts messages as a database does that has one process, and how often
// it is asked.
type ledger struct {
	now time.Time

	mu     sync.Mutex
	stored map[string]int // by workspace and month
	asked  int
	fail   error
}

func (l *ledger) clock() time.Time { return l.now }

func (l *ledger) ReserveMessages(_ context.Context, workspaceID string, asked Reservation) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	asked.Want = asked.Limit
	free, _ := asked.Grant(MonthUse{Messages: l.stored[workspaceID+" "+asked.Month], Mine: asked.Free + asked.Open, Held: true})
	return free, l.fail
}

func (*ledger) ReleaseMessages(context.Context, system.Access) error { return nil }

// store counts a message in the month of now.
func (l *ledger) store(workspaceID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stored[workspaceID+" "+nameOfMonth(chat.API, l.now)]++
}

func newLedger() (*ledger, *Quota) {
	l := &ledger{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), stored: map[string]int{}}
	return l, New(l, l.clock)
}

// messageStore is one whose reservations are a function.
type messageStore struct {
	ledger
	reserve func(context.Context) (int, error)
}

func (s *messageStore) ReserveMessages(ctx context.Context, _ string, _ Reservation) (int, error) {
	return s.reserve(ctx)
}

// including is a plan with a number of messages a month.
func including(messages int) plan.Plan {
	return plan.Plan{Title: "Small", Limits: plan.Limits{MessageChars: 100, MessagesPerMonth: messages}}
}

// use takes a message and stores it.
func (l *ledger) use(ctx context.Context, q *Quota, workspaceID string, p plan.Plan) error {
	claim, err := q.Take(ctx, workspaceID, "cb", chat.API, p, "Question?")
	if err != nil {
		return err
	}
	l.store(workspaceID)
	claim.Keep()
	return nil
}

func wantUse(t *testing.T, l *ledger, q *Quota, messages int, refused bool) {
	t.Helper()
	err := l.use(t.Context(), q, "ws", including(messages))
	if refused != fault.Is(err, fault.RateLimited) || !refused && err != nil {
		t.Errorf("with %d a month it gives %v", messages, err)
	}
}

func TestQuota(t *testing.T) {
	t.Run("a workspace has as many messages as its plan includes, and then none until the month ends", func(t *testing.T) {
		l, q := newLedger()
		l.now = time.Date(2026, 12, 31, 23, 59, 0, 0, time.UTC)
		for range 3 {
			wantUse(t, l, q, 3, false)
		}
		err := l.use(t.Context(), q, "ws", including(3))
		if !fault.Is(err, fault.RateLimited) || fault.As(err).RetryAfter != time.Minute {
			t.Errorf("the fourth gives %v, again in %v", err, fault.As(err).RetryAfter)
		}
		l.now = l.now.Add(time.Minute - time.Nanosecond)
		wantUse(t, l, q, 3, true)
		l.now = l.now.Add(time.Nanosecond)
		wantUse(t, l, q, 3, false)
	})

	t.Run("the month is that of UTC, wherever the clock stands", func(t *testing.T) {
		l, q := newLedger()
		l.now = time.Date(2026, 12, 1, 1, 0, 0, 0, time.FixedZone("", 2*3600)) // November still
		wantUse(t, l, q, 1, false)
		if l.stored["ws 2026-11"] != 1 {
			t.Errorf("stored are %v", l.stored)
		}
		err := l.use(t.Context(), q, "ws", including(1))
		if fault.As(err).RetryAfter != time.Hour {
			t.Errorf("it may ask again in %v", fault.As(err).RetryAfter)
		}
	})

	t.Run("a plan without a limit asks nobody", func(t *testing.T) {
		l, q := newLedger()
		wantUse(t, l, q, plan.Unlimited, false)
		if l.asked != 0 || q.months.Len() != 0 {
			t.Errorf("the database was asked %d times", l.asked)
		}
	})

	t.Run("a workspace does not use another's", func(t *testing.T) {
		l, q := newLedger()
		wantUse(t, l, q, 1, false)
		if err := l.use(t.Context(), q, "other", including(1)); err != nil {
			t.Error(err)
		}
	})

	t.Run("an upgrade counts from the next message on", func(t *testing.T) {
		l, q := newLedger()
		wantUse(t, l, q, 1, false)
		wantUse(t, l, q, 1, true)
		wantUse(t, l, q, 2, false)
	})

	t.Run("a process that is alone asks the database once in 30 seconds", func(t *testing.T) {
		l, q := newLedger()
		for range 1_000 {
			wantUse(t, l, q, 1_000_000, false)
		}
		l.now = l.now.Add(sliceFor - time.Nanosecond)
		wantUse(t, l, q, 1_000_000, false)
		if l.asked != 1 {
			t.Errorf("it was asked %d times", l.asked)
		}
		l.now = l.now.Add(time.Nanosecond)
		wantUse(t, l, q, 1_000_000, false)
		if l.asked != 2 {
			t.Errorf("it was asked %d times", l.asked)
		}
	})

	t.Run("a refusal is not asked about again for 5 seconds", func(t *testing.T) {
		l, q := newLedger()
		l.stored["ws 2026-11"] = 7
		for range 1_000 {
			wantUse(t, l, q, 7, true)
		}
		if l.asked != 1 {
			t.Errorf("it was asked %d times", l.asked)
		}
	})

	t.Run("a message that was given back is seen within 5 seconds, and at once by the process that gave it back", func(t *testing.T) {
		l, q := newLedger()
		wantUse(t, l, q, 1, false)
		wantUse(t, l, q, 1, true)
		l.stored["ws 2026-11"]--
		l.now = l.now.Add(refusedFor - time.Nanosecond)
		wantUse(t, l, q, 1, true)
		l.now = l.now.Add(time.Nanosecond)
		wantUse(t, l, q, 1, false)
		wantUse(t, l, q, 1, true)
		l.stored["ws 2026-11"]--
		q.Recheck("ws", chat.API)
		wantUse(t, l, q, 1, false)
	})

	t.Run("a message that may have been stored is not given to another question", func(t *testing.T) {
		l, q := newLedger()
		lost, err := q.Take(t.Context(), "ws", "cb", chat.API, including(1), "Question?")
		if err != nil {
			t.Fatal(err)
		}
		l.store("ws") // and the connection broke
		lost.Drop(fault.New(fault.Unavailable, "away"))
		wantUse(t, l, q, 1, true)
	})

	t.Run("a message that was not stored is given back, and one that was is not", func(t *testing.T) {
		_, q := newLedger()
		for _, kept := range []bool{false, false, true} {
			claim, err := q.Take(t.Context(), "ws", "cb", chat.API, including(1), "Question?")
			if err != nil {
				t.Fatal(err)
			}
			if kept {
				claim.Keep()
			}
			claim.Drop(nil)
			claim.Drop(nil)
		}
		if m, _ := q.months.Peek(counted{"ws", chat.API}); m.free != 0 || m.open != 0 {
			t.Errorf("%d are free and %d are open", m.free, m.open)
		}
	})

	t.Run("a message that is being stored while the database is asked is not forgotten", func(t *testing.T) {
		l, q := newLedger()
		claim, err := q.Take(t.Context(), "ws", "cb", chat.API, including(2), "Question?")
		if err != nil {
			t.Fatal(err)
		}
		l.now = l.now.Add(sliceFor)
		wantUse(t, l, q, 2, false)
		wantUse(t, l, q, 2, true)
		claim.Drop(nil)
		wantUse(t, l, q, 2, false)
	})

	t.Run("no more workspaces are remembered than there is room for", func(t *testing.T) {
		l, q := newLedger()
		for i := range quotaMax + 10 {
			if err := l.use(t.Context(), q, fmt.Sprint(i), including(5)); err != nil {
				t.Fatal(err)
			}
		}
		if q.months.Len() > quotaMax {
			t.Errorf("%d are remembered", q.months.Len())
		}
	})

	t.Run("a workspace whose message is being stored is remembered, however many others ask meanwhile", func(t *testing.T) {
		l, q := newLedger()
		storing, err := q.Take(t.Context(), "ws", "cb", chat.API, including(1), "Question?")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 * quotaMax {
			if err := l.use(t.Context(), q, fmt.Sprint(i), including(5)); err != nil {
				t.Fatal(err)
			}
		}
		wantUse(t, l, q, 1, true)
		l.store("ws")
		storing.Keep()
		wantUse(t, l, q, 1, true)
		if q.months.Len() > quotaMax {
			t.Errorf("%d are remembered", q.months.Len())
		}
	})
}

func TestQuotaAtOnce(t *testing.T) {
	t.Run("of many messages at once as many are admitted as are left", func(t *testing.T) {
		l, q := newLedger()
		l.stored["ws 2026-11"] = 90
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if err := l.use(t.Context(), q, "ws", including(100)); err != nil && !fault.Is(err, fault.RateLimited) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if l.stored["ws 2026-11"] != 100 {
			t.Errorf("%d are stored", l.stored["ws 2026-11"])
		}
	})

	t.Run("requests that arrive while the database is asked wait for its answer, and one that leaves returns at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			asked, answer := 0, make(chan struct{})
			q := New(&messageStore{reserve: func(context.Context) (int, error) {
				asked++
				<-answer
				return 100, nil
			}}, time.Now)
			ctx, leave := context.WithCancel(t.Context())
			results := make(chan error, 11)
			for range 10 {
				go func() {
					_, err := q.Take(t.Context(), "ws", "cb", chat.API, including(100), "Question?")
					results <- err
				}()
			}
			synctest.Wait()
			go func() {
				_, err := q.Take(ctx, "ws", "cb", chat.API, including(100), "Question?")
				results <- err
			}()
			leave()
			if err := <-results; !errors.Is(err, context.Canceled) {
				t.Errorf("who left got %v", err)
			}
			close(answer)
			for range 10 {
				if err := <-results; err != nil {
					t.Error(err)
				}
			}
			if m, _ := q.months.Peek(counted{"ws", chat.API}); asked != 1 || m.open != 10 {
				t.Errorf("it was asked %d times, and %d began", asked, m.open)
			}
		})
	})

	t.Run("a request that gets no number within 10 seconds is told to try again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			q := New(&messageStore{reserve: func(ctx context.Context) (int, error) {
				<-ctx.Done()
				return 0, ctx.Err()
			}}, time.Now)
			var all sync.WaitGroup
			for range 5 {
				all.Go(func() {
					if _, err := q.Take(t.Context(), "ws", "cb", chat.API, including(100), "Question?"); !fault.Is(err, fault.Unavailable) {
						t.Errorf("got %v", err)
					}
				})
			}
			all.Wait()
			if took := time.Since(start); took != chat.StoreWithin {
				t.Errorf("it took %v", took)
			}
		})
	})

	t.Run("a database that fails, or panics, is asked again by the next", func(t *testing.T) {
		l, q := newLedger()
		l.fail = errors.New("away")
		if err := l.use(t.Context(), q, "ws", including(1)); !errors.Is(err, l.fail) {
			t.Errorf("got %v", err)
		}
		l.fail = nil
		q.store = &messageStore{reserve: func(context.Context) (int, error) { panic("broken") }}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was lost")
				}
			}()
			_ = l.use(t.Context(), q, "ws", including(1))
		}()
		q.store = l
		wantUse(t, l, q, 1, false)
	})
}
