package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/core/fault"
	"parley/core/plan"
)

// hands is a clock that a test moves.
type hands struct{ at time.Time }

func (h *hands) now() time.Time { return h.at }

func (h *hands) move(d time.Duration) { h.at = h.at.Add(d) }

func minute(requests int) plan.Plan {
	return plan.Plan{Title: "Small", Limits: plan.Limits{RequestsPerMinute: requests}}
}

func newClock() *hands { return &hands{time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)} }

// admitted is how many of a number of requests are.
func admitted(r *rates, workspace string, p plan.Plan, requests int) int {
	n := 0
	for range requests {
		if r.admit(workspace, p) == nil {
			n++
		}
	}
	return n
}

func TestRates(t *testing.T) {
	t.Run("as many requests as the plan includes pass at once, and no more", func(t *testing.T) {
		r := newRates(newClock().now, 10)
		if got := admitted(r, "ws_1", minute(20), 50); got != 20 {
			t.Errorf("%d passed", got)
		}
	})
	t.Run("who has to wait is told how long, in whole seconds of at least one, and who waits so long passes", func(t *testing.T) {
		for _, perMinute := range []int{1, 7, 20, 300, 1_200} {
			clock := newClock()
			r := newRates(clock.now, 10)
			admitted(r, "ws_1", minute(perMinute), perMinute)
			err := r.admit("ws_1", minute(perMinute))
			failure := fault.As(err)
			if failure.Kind != fault.RateLimited || failure.RetryAfter < time.Second || failure.RetryAfter%time.Second != 0 {
				t.Fatalf("%d a minute give %v after %v", perMinute, err, failure.RetryAfter)
			}
			if want := fmt.Sprintf("The Small plan includes %d requests a minute. Wait %d s", perMinute, failure.RetryAfter/time.Second); !strings.HasPrefix(failure.Message, want) {
				t.Errorf("the message is %q", failure.Message)
			}
			clock.move(failure.RetryAfter)
			if err := r.admit("ws_1", minute(perMinute)); err != nil {
				t.Errorf("%d a minute refuse after the wait: %v", perMinute, err)
			}
		}
	})
	t.Run("what is refused is not counted", func(t *testing.T) {
		clock := newClock()
		r := newRates(clock.now, 10)
		admitted(r, "ws_1", minute(60), 1_000)
		clock.move(10 * time.Second)
		if got := admitted(r, "ws_1", minute(60), 100); got != 10 {
			t.Errorf("%d passed after 10 s", got)
		}
	})
	t.Run("workspaces are counted apart", func(t *testing.T) {
		r := newRates(newClock().now, 10)
		admitted(r, "ws_1", minute(2), 10)
		if err := r.admit("ws_2", minute(2)); err != nil {
			t.Errorf("another is refused: %v", err)
		}
	})
	t.Run("a plan without a limit is not counted", func(t *testing.T) {
		r := newRates(newClock().now, 10)
		if got := admitted(r, "ws_1", minute(plan.Unlimited), 10_000); got != 10_000 || r.recent.Len() != 0 {
			t.Errorf("%d passed, %d workspaces are kept", got, r.recent.Len())
		}
	})
	t.Run("a plan with none refuses all", func(t *testing.T) {
		r := newRates(newClock().now, 10)
		if err := r.admit("ws_1", minute(0)); fault.As(err).RetryAfter != time.Minute {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("an upgrade acts at once, and a downgrade too", func(t *testing.T) {
		clock := newClock()
		r := newRates(clock.now, 10)
		admitted(r, "ws_1", minute(20), 20)
		clock.move(time.Second)
		if got := admitted(r, "ws_1", minute(300), 100); got != 0 {
			t.Errorf("%d passed: what was used is forgotten", got)
		}
		clock.move(time.Second)
		if got := admitted(r, "ws_1", minute(300), 100); got != 5 {
			t.Errorf("%d passed after a second of 300 a minute", got)
		}
		clock.move(time.Hour)
		if got := admitted(r, "ws_1", minute(20), 100); got != 20 {
			t.Errorf("%d passed after the downgrade", got)
		}
	})
	t.Run("only so many workspaces are kept, those that asked last", func(t *testing.T) {
		r := newRates(newClock().now, 2)
		for _, workspace := range []string{"ws_1", "ws_2", "ws_1", "ws_3"} {
			admitted(r, workspace, minute(1), 1)
		}
		if len(r.byID) != 2 || r.recent.Len() != 2 || r.byID["ws_1"] == nil || r.byID["ws_3"] == nil {
			t.Errorf("kept are %v", r.byID)
		}
	})
}

func TestRatesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perMinute := rapid.IntRange(1, 100).Draw(t, "requests a minute")
		clock := newClock()
		r := newRates(clock.now, 10)
		began, passed := clock.at, 0
		for _, ms := range rapid.SliceOfN(rapid.IntRange(0, 5_000), 1, 300).Draw(t, "pauses in ms") {
			clock.move(time.Duration(ms) * time.Millisecond)
			passed += admitted(r, "ws_1", minute(perMinute), 1)
		}
		most := float64(perMinute) * (1 + clock.at.Sub(began).Minutes())
		if float64(passed) > most+1e-6 {
			t.Fatalf("%d passed in %v, at most %.2f may", passed, clock.at.Sub(began), most)
		}
	})
}

func BenchmarkRates(b *testing.B) {
	r := newRates(time.Now, ratesKept)
	p := minute(1 << 30)
	b.ReportAllocs()
	for b.Loop() {
		if err := r.admit("ws_1", p); err != nil {
			b.Fatal(err)
		}
	}
}
