package health

import (
	"sync"
	"time"
)

// Tally counts how the latest calls of something ended: a check that makes no call of its own
// asks it whether real ones fail.
type Tally struct {
	window time.Duration
	enough int
	now    func() time.Time

	mu      sync.Mutex
	buckets [buckets]bucket
	// streak is how many calls in a row have succeeded or, below zero, have failed.
	streak int
	last   error
}

// buckets is into how many parts a window is cut.
const buckets = 12

type bucket struct {
	began         time.Time
	calls, failed int
}

// NewTally returns a tally of the calls within a window that moves. After so many
// successes in a row, earlier failures no longer count.
func NewTally(window time.Duration, enough int, now func() time.Time) *Tally {
	return &Tally{window: window, enough: enough, now: now}
}

// Succeeded counts a call that worked.
func (t *Tally) Succeeded() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streak = max(t.streak, 0) + 1
	if t.streak >= t.enough && t.last != nil {
		t.buckets, t.last = [buckets]bucket{}, nil
	}
	t.current().calls++
}

// Failed counts a call that failed, with its error.
func (t *Tally) Failed(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streak, t.last = min(t.streak, 0)-1, err
	b := t.current()
	b.calls++
	b.failed++
}

// current is the bucket of this moment.
func (t *Tally) current() *bucket {
	each := t.window / buckets
	began := t.now().Truncate(each)
	b := &t.buckets[int(began.UnixNano()/int64(each))%buckets]
	if !b.began.Equal(began) {
		*b = bucket{began: began}
	}
	return b
}

// Counts returns how many calls there were within the window, how many of them failed, and the
// last failure.
func (t *Tally) Counts() (calls, failed int, last error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	since := t.now().Add(-t.window)
	for _, b := range t.buckets {
		if b.began.After(since) {
			calls, failed = calls+b.calls, failed+b.failed
		}
	}
	return calls, failed, t.last
}

// Failing reports whether half of the calls within the window failed, or the last ones did, as many
// in a row as would show that all is well.
func (t *Tally) Failing() bool {
	calls, failed, _ := t.Counts()
	t.mu.Lock()
	defer t.mu.Unlock()
	return failed > 0 && (2*failed >= calls || -t.streak >= t.enough)
}
