package plan

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// passed returns how many of a number of requests at one time are admitted.
func passed(m *Minute, at time.Time, requests, limit int) int {
	n := 0
	for range requests {
		taken, _ := m.Take(at, 1, limit, 0)
		n += taken
	}
	return n
}

func TestMinute(t *testing.T) {
	t.Run("the whole limit passes at once, and no more", func(t *testing.T) {
		var m Minute
		if got := passed(&m, noon, 50, 20); got != 20 {
			t.Errorf("%d passed", got)
		}
	})
	t.Run("a refused request says when to try again, and then exactly one passes", func(t *testing.T) {
		for _, limit := range []int{1, 7, 300} {
			var m Minute
			passed(&m, noon, 1, limit)
			passed(&m, noon.Add(3*time.Second), limit, limit)
			at := noon.Add(10 * time.Second)
			taken, wait := m.Take(at, 1, limit, 0)
			if taken != 0 || wait != 50*time.Second {
				t.Fatalf("with %d a minute %d pass, and the wait is %v", limit, taken, wait)
			}
			if got := passed(&m, at.Add(wait-time.Microsecond), 5, limit); got != 0 {
				t.Errorf("with %d a minute %d pass too early", limit, got)
			}
			if got := passed(&m, at.Add(wait), 5, limit); got != 1 {
				t.Errorf("with %d a minute %d pass after the wait", limit, got)
			}
		}
	})
	t.Run("a steady client at 99 percent of the limit is never refused", func(t *testing.T) {
		var m Minute
		for i := range 3_000 {
			if taken, _ := m.Take(noon.Add(time.Duration(i)*time.Minute/297), 1, 300, 0); taken != 1 {
				t.Fatalf("request %d is refused", i)
			}
		}
	})
	t.Run("a higher limit takes effect at once, and a lower one forgets nothing", func(t *testing.T) {
		var m Minute
		passed(&m, noon, 20, 20)
		if got := passed(&m, noon, 100, 50); got != 30 {
			t.Errorf("%d passed after the upgrade", got)
		}
		_, wait := m.Take(noon, 1, 20, 0)
		if wait != time.Minute {
			t.Errorf("after the downgrade the wait is %v", wait)
		}
	})
	t.Run("a limit of zero refuses all", func(t *testing.T) {
		var m Minute
		if taken, wait := m.Take(noon, 1, 0, 0); taken != 0 || wait != time.Minute {
			t.Errorf("%d pass, and the wait is %v", taken, wait)
		}
	})
	t.Run("after a clock is set back nobody is refused for longer than a minute and a slice", func(t *testing.T) {
		var m Minute
		passed(&m, noon, 20, 20)
		back := noon.Add(-time.Hour)
		_, wait := m.Take(back, 1, 20, 0)
		if wait > time.Minute+MaxSlice || wait <= 0 {
			t.Fatalf("the wait is %v", wait)
		}
		if got := passed(&m, back.Add(wait), 1, 20); got != 1 {
			t.Error("refused after the wait")
		}
	})
	t.Run("malformed bytes are refused", func(t *testing.T) {
		var m Minute
		if err := m.UnmarshalBinary([]byte{0x80}); err == nil {
			t.Error("they were accepted")
		}
	})
}

// TestMinuteHoldsInAnyMinute checks that no 60 seconds have more requests than the
// limit, however requests arrive and slices are used, and that encoding is lossless.
func TestMinuteHoldsInAnyMinute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 50).Draw(t, "limit")
		var m Minute
		var uses []time.Time // each request at the latest time at which it is used
		at := noon
		for range rapid.IntRange(1, 200).Draw(t, "slices") {
			at = at.Add(time.Duration(rapid.IntRange(0, 4_000_000).Draw(t, "pause in µs")) * time.Microsecond)
			use := time.Duration(rapid.IntRange(0, int(MaxSlice.Microseconds())).Draw(t, "use in µs")) * time.Microsecond
			want := rapid.IntRange(1, 10).Draw(t, "want")
			taken, wait := m.Take(at, want, limit, use)
			if taken == 0 && (wait <= 0 || wait > time.Minute+MaxSlice+minuteSlot) {
				t.Fatalf("the wait is %v", wait)
			}
			for range taken {
				// The worst case: some are used immediately, and some at the end.
				used := at
				if rapid.Bool().Draw(t, "late") {
					used = at.Add(use)
				}
				uses = append(uses, used)
			}
			b, _ := m.MarshalBinary()
			var again Minute
			if err := again.UnmarshalBinary(b); err != nil || again.Used(at) != m.Used(at) {
				t.Fatalf("decoded, it counts %d instead of %d: %v", again.Used(at), m.Used(at), err)
			}
			m = again
		}
		for _, end := range uses {
			n := 0
			for _, use := range uses {
				if use.After(end.Add(-time.Minute)) && !use.After(end) {
					n++
				}
			}
			if n > limit {
				t.Fatalf("%d requests in the minute before %v, of %d", n, end, limit)
			}
		}
	})
}
