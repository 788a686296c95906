package chat

import (
	"context"
	"sync"
	"time"

	"parley/core/fault"
	"parley/core/plan"
)

// What the database counts of a workspace's messages is believed for quotaFor,
// with those that began in this process on top. So several processes together
// may admit a few too many.
const (
	quotaFor = 5 * time.Second
	quotaMax = 20_000
)

// quota knows how many messages of the month each workspace has used.
type quota struct {
	count func(ctx context.Context, workspaceID, month string) (int, error)
	now   func() time.Time

	mu     sync.Mutex
	months map[string]*monthOf
}

// monthOf is what is known of a workspace.
type monthOf struct {
	month string
	// stored is what the database said, and is believed until a time.
	stored int
	until  time.Time
	// begun messages began here and may be lacking in stored. Of these, open
	// ones are being stored just now.
	begun, open int
	// reading is closed when the database has answered. It is nil while nobody
	// asks it.
	reading chan struct{}
}

func newQuota(count func(ctx context.Context, workspaceID, month string) (int, error), now func() time.Time) *quota {
	return &quota{count: count, now: now, months: map[string]*monthOf{}}
}

// take admits a message of the month. It is RateLimited when the plan admits no
// more of them. A plan without a limit costs nothing, and its ticket is nil.
func (q *quota) take(ctx context.Context, workspaceID string, p plan.Plan) (*ticket, error) {
	limit := p.Limits.MessagesPerMonth
	if limit == plan.Unlimited {
		return nil, nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	m := q.of(workspaceID)
	// Nobody is refused for messages that may be in both numbers.
	unsure := m.stored < limit && m.stored+m.begun >= limit
	if unsure || !m.knows(now) {
		if err := q.read(ctx, m, workspaceID, now); err != nil {
			return nil, err
		}
	}
	if err := p.Admit(plan.Messages, m.stored+m.begun+1); err != nil {
		refused := *fault.As(err)
		refused.RetryAfter = nextMonth(now).Sub(now)
		return nil, &refused
	}
	m.begun++
	m.open++
	return &ticket{quota: q, of: m}, nil
}

func (q *quota) of(workspaceID string) *monthOf {
	m, ok := q.months[workspaceID]
	if ok {
		return m
	}
	if len(q.months) >= quotaMax {
		clear(q.months)
	}
	m = &monthOf{}
	q.months[workspaceID] = m
	return m
}

func (m *monthOf) knows(now time.Time) bool {
	return now.Before(m.until) && m.month == monthName(now)
}

// read asks the database, or waits for the answer that somebody else awaits.
func (q *quota) read(ctx context.Context, m *monthOf, workspaceID string, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	for m.reading != nil {
		reading := m.reading
		q.unlocked(func() {
			select {
			case <-reading:
			case <-ctx.Done():
			}
		})
		if err := ctx.Err(); err != nil {
			return inTime(err)
		}
		if m.knows(now) {
			return nil
		}
	}
	reading := make(chan struct{})
	m.reading = reading
	defer func() {
		m.reading = nil
		close(reading)
	}()
	known := m.begun - m.open // these are stored, and so in the answer
	month, stored, err := monthName(now), 0, error(nil)
	q.unlocked(func() { stored, err = q.count(ctx, workspaceID, month) })
	if err != nil {
		return inTime(err)
	}
	m.month, m.stored, m.until = month, stored, now.Add(quotaFor)
	m.begun -= known
	return nil
}

// unlocked runs do while others may go on, and holds the lock again after it
// even if it panics.
func (q *quota) unlocked(do func()) {
	q.mu.Unlock()
	defer q.mu.Lock()
	do()
}

// ticket is a message that is admitted and about to be stored. The nil ticket is
// that of a plan without a limit.
type ticket struct {
	quota *quota
	of    *monthOf
	ended bool
}

// keep says that the message is stored.
func (t *ticket) keep() { t.end(0) }

// drop gives the message back, unless it was kept.
func (t *ticket) drop() { t.end(1) }

func (t *ticket) end(given int) {
	if t == nil {
		return
	}
	t.quota.mu.Lock()
	defer t.quota.mu.Unlock()
	if t.ended {
		return
	}
	t.ended = true
	t.of.open--
	t.of.begun -= given
}

// monthName is as in [NewTurn].
func monthName(at time.Time) string { return at.UTC().Format("2006-01") }

// nextMonth is the first instant of the month after the one of a time, UTC.
func nextMonth(at time.Time) time.Time {
	year, month, _ := at.UTC().Date()
	return time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
}
