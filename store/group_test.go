package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"parley/core/fault"
)

// ledger is what a group of numbers stores: what was stored alone, and what in each
// statement of several.
type ledger struct {
	mu       sync.Mutex
	alone    []int
	together [][]int

	// slow holds every statement back until it is closed.
	slow chan struct{}
	// fails is the error of statements of several rows, and skips are the rows that
	// they leave out.
	fails error
	skips []int
}

func (l *ledger) storeAlone(ctx context.Context, n int) (string, error) {
	select {
	case <-l.slow:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alone = append(l.alone, n)
	if n < 0 {
		return "", fault.New(fault.Conflict, "A negative number.")
	}
	return fmt.Sprint(n), nil
}

func (l *ledger) storeTogether(_ context.Context, rows []int, tell func(int, string)) error {
	<-l.slow
	l.mu.Lock()
	defer l.mu.Unlock()
	l.together = append(l.together, slices.Clone(rows))
	for i, n := range rows {
		if !slices.Contains(l.skips, n) {
			tell(i, fmt.Sprint(n))
		}
	}
	return l.fails
}

// outcome is what a caller got.
type outcome struct {
	text string
	err  error
}

// storeAll stores numbers: the first one is on its way, and waits for open, before the
// others come at the same time.
func storeAll(l *ledger, g *Group[int, string], numbers ...int) []outcome {
	outcomes := make([]outcome, len(numbers))
	var wg sync.WaitGroup
	for i, n := range numbers {
		wg.Go(func() { outcomes[i].text, outcomes[i].err = g.Do(context.Background(), n) })
		if i == 0 {
			synctest.Wait()
		}
	}
	synctest.Wait()
	close(l.slow)
	wg.Wait()
	return outcomes
}

func TestGroup(t *testing.T) {
	run := func(t *testing.T, name string, test func(t *testing.T, l *ledger, g *Group[int, string])) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &ledger{slow: make(chan struct{})}
				g := newGroup(l.storeAlone, l.storeTogether)
				test(t, l, g)
				g.stop()
			})
		})
	}
	all := func(t *testing.T, outcomes []outcome, numbers ...int) {
		t.Helper()
		for i, n := range numbers {
			if o := outcomes[i]; o.err != nil || o.text != fmt.Sprint(n) {
				t.Errorf("the caller with %d got %q, %v", n, o.text, o.err)
			}
		}
	}

	run(t, "the first row goes at once and alone, and those that arrive meanwhile share a statement", func(t *testing.T, l *ledger, g *Group[int, string]) {
		all(t, storeAll(l, g, 1, 2, 3, 4), 1, 2, 3, 4)
		if !slices.Equal(l.alone, []int{1}) || len(l.together) != 1 || len(l.together[0]) != 3 {
			t.Errorf("alone went %v, together %v", l.alone, l.together)
		}
	})
	run(t, "a row that a statement leaves out goes alone, and gets its own error", func(t *testing.T, l *ledger, g *Group[int, string]) {
		l.skips = []int{-3}
		outcomes := storeAll(l, g, 1, 2, -3, 4)
		if !fault.Is(outcomes[2].err, fault.Conflict) {
			t.Errorf("the bad row got %v", outcomes[2].err)
		}
		all(t, slices.Delete(outcomes, 2, 3), 1, 2, 4)
		if len(l.alone) != 2 {
			t.Errorf("alone went %v", l.alone)
		}
	})
	run(t, "after a statement that the server has undone, each row goes alone", func(t *testing.T, l *ledger, g *Group[int, string]) {
		l.fails = &pgconn.PgError{Code: "40P01", SeverityUnlocalized: "ERROR"}
		all(t, storeAll(l, g, 1, 2, 3), 1, 2, 3)
		if slices.Sort(l.alone); !slices.Equal(l.alone, []int{1, 2, 3}) {
			t.Errorf("alone went %v", l.alone)
		}
	})
	for name, lost := range map[string]error{
		"a lost connection":                errors.New("unexpected EOF"),
		"a server that is being shut down": &pgconn.PgError{Code: "57P01", SeverityUnlocalized: "FATAL"},
	} {
		run(t, "after "+name+" no row is stored again: nobody knows what was stored", func(t *testing.T, l *ledger, g *Group[int, string]) {
			l.fails = lost
			outcomes := storeAll(l, g, 1, 2, 3)
			if !errors.Is(outcomes[1].err, lost) || !errors.Is(outcomes[2].err, lost) {
				t.Errorf("the callers got %v", outcomes)
			}
			if !slices.Equal(l.alone, []int{1}) {
				t.Errorf("alone went %v", l.alone)
			}
		})
	}
	run(t, "a caller that leaves takes back a row that waits, and one in a statement stays", func(t *testing.T, l *ledger, g *Group[int, string]) {
		ctx, leave := context.WithCancel(context.Background())
		var first, second error
		var wg sync.WaitGroup
		wg.Go(func() { _, first = g.Do(context.Background(), 1) })
		synctest.Wait()
		wg.Go(func() { _, second = g.Do(ctx, 2) })
		synctest.Wait()
		leave()
		synctest.Wait()
		close(l.slow)
		wg.Wait()
		if first != nil || !errors.Is(second, context.Canceled) {
			t.Errorf("the callers got %v and %v", first, second)
		}
		if !slices.Equal(l.alone, []int{1}) || len(l.together) != 0 {
			t.Errorf("alone went %v, together %v", l.alone, l.together)
		}
	})
	run(t, "when too many rows wait, another is refused as Unavailable", func(t *testing.T, l *ledger, g *Group[int, string]) {
		numbers := make([]int, maxWaiting+maxStatementsOfGroup*maxGroup)
		for i := range numbers {
			numbers[i] = i
		}
		var wg sync.WaitGroup
		for i := range numbers {
			wg.Go(func() { _, _ = g.Do(context.Background(), numbers[i]) })
		}
		synctest.Wait()
		_, err := g.Do(context.Background(), -1)
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("the row too many got %v", err)
		}
		close(l.slow)
		wg.Wait()
	})
	run(t, "a row that waits for too long is refused as Unavailable, and not stored later", func(t *testing.T, l *ledger, g *Group[int, string]) {
		var first, second error
		var wg sync.WaitGroup
		wg.Go(func() { _, first = g.Do(context.Background(), 1) })
		synctest.Wait()
		wg.Go(func() { _, second = g.Do(context.Background(), 2) })
		time.Sleep(groupWithin) // of the bubble's clock
		synctest.Wait()
		close(l.slow)
		wg.Wait()
		if first != nil || !fault.Is(second, fault.Unavailable) || !slices.Equal(l.alone, []int{1}) {
			t.Errorf("the callers got %v and %v; stored were %v", first, second, l.alone)
		}
	})
	run(t, "ends wait, however many there are, and however long it takes to store those before them", func(t *testing.T, l *ledger, g *Group[int, string]) {
		g.Ends = true
		close(l.slow)
		alone, together := g.Alone, g.Together
		statement := func() { time.Sleep(groupWithin / 2) } // of the bubble's clock
		g.Alone = func(ctx context.Context, n int) (string, error) {
			statement()
			return alone(ctx, n)
		}
		g.Together = func(ctx context.Context, rows []int, tell func(int, string)) error {
			statement()
			return together(ctx, rows, tell)
		}
		const ends = maxWaiting + 5*maxStatementsOfGroup*maxGroup
		errs := make([]error, ends)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() { _, errs[i] = g.Do(context.Background(), i) })
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Errorf("some were refused: %v", errs[slices.IndexFunc(errs, func(err error) bool { return err != nil })])
		}
		stored := len(l.alone)
		for _, rows := range l.together {
			stored += len(rows)
		}
		if stored != ends {
			t.Errorf("%d of %d were stored", stored, ends)
		}
	})
	run(t, "an end that waits behind a database that does not answer is refused", func(t *testing.T, l *ledger, g *Group[int, string]) {
		g.Ends = true
		var second error
		began := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = g.Do(context.Background(), 1) })
		synctest.Wait()
		wg.Go(func() {
			_, second = g.Do(context.Background(), 2)
			if waited := time.Since(began); waited != groupWithin {
				t.Errorf("it waited %v", waited)
			}
			close(l.slow)
		})
		wg.Wait()
		if !fault.Is(second, fault.Unavailable) {
			t.Errorf("it got %v", second)
		}
	})
	run(t, "a group that stops refuses new rows and stores those that came", func(t *testing.T, l *ledger, g *Group[int, string]) {
		var wg sync.WaitGroup
		errs := make([]error, 3)
		for i := range errs {
			wg.Go(func() { _, errs[i] = g.Do(context.Background(), i) })
		}
		synctest.Wait()
		stopped := make(chan struct{})
		go func() { g.stop(); close(stopped) }()
		synctest.Wait()
		if _, err := g.Do(context.Background(), 9); !fault.Is(err, fault.Unavailable) {
			t.Errorf("a row after the end got %v", err)
		}
		select {
		case <-stopped:
			t.Error("stop returned before the rows were stored")
		default:
		}
		close(l.slow)
		wg.Wait()
		<-stopped
		if err := errors.Join(errs...); err != nil || len(l.alone)+len(slices.Concat(l.together...)) != 3 {
			t.Errorf("stored were %v and %v: %v", l.alone, l.together, err)
		}
	})
	run(t, "many callers get each their own result", func(t *testing.T, l *ledger, g *Group[int, string]) {
		numbers := make([]int, 500)
		for i := range numbers {
			numbers[i] = i
		}
		all(t, storeAll(l, g, numbers...), numbers...)
		for _, rows := range l.together {
			if len(rows) > maxGroup {
				t.Errorf("a statement had %d rows", len(rows))
			}
		}
	})
}

func newGroup[Row, Result any](
	alone func(context.Context, Row) (Result, error), together func(context.Context, []Row, func(int, Result)) error,
) *Group[Row, Result] {
	return &Group[Row, Result]{Alone: alone, Together: together}
}
