package rate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"parley/core/fault"
	"parley/core/plan"
)

const (
	// reserveWithin bounds a reservation, which continues when its caller leaves.
	reserveWithin = plan.MaxSlice
	// shortSlice is the minimum time for which a reservation is valid.
	shortSlice = 400 * time.Millisecond
	// requestsKept is how long an idle workspace is remembered: longer than any
	// of its requests count.
	requestsKept = 2 * time.Minute
)

// RequestStore stores the minutes of requests that several processes share. A token
// with a limit of its own has a minute as a workspace has, under its own id.
type RequestStore interface {
	// RequestMinute returns a workspace's minute with its revision, which is 0
	// when there is none yet, and the time by the database's clock.
	RequestMinute(ctx context.Context, workspaceID string) (minute plan.Minute, revision int64, now time.Time, err error)
	// SetRequestMinute stores a minute that was read at a revision. It reports
	// false and stores nothing if the revision is no longer the latest.
	SetRequestMinute(ctx context.Context, workspaceID string, minute plan.Minute, revision int64) (bool, error)
}

// Requests admits the requests of workspaces: in any 60 seconds all processes
// together admit at most as many as the plan includes.
//
// Processes that share a database reserve requests there, by the database's clock, in
// slices of about one percent of the limit. A process uses a slice within 5 seconds
// by its own stopwatch, so that clocks need not agree. It remembers a refusal until
// the next request is due, so refused requests write nothing.
type Requests struct {
	// store is nil in a process that shares its database with no other.
	store RequestStore
	now   func() time.Time

	mu    sync.Mutex
	byID  map[string]*requests
	swept time.Time
}

// requests is the state of one workspace.
type requests struct {
	asked time.Time // guarded by Requests.mu

	mu sync.Mutex
	// minute holds the count of a process without a store.
	minute plan.Minute
	// free requests may be used before until. While the plan's limit is limit,
	// no more are admitted before refused.
	free    int
	until   time.Time
	limit   int
	refused time.Time
	// left is how many more the database admitted, to all processes, at leftAt: see
	// [Requests.Standing].
	left   int
	leftAt time.Time
	// waiting requests wait for a reservation; the last one took took.
	waiting   int
	reserving *reservation
	took      time.Duration
}

// reservation is in progress until done is closed. Then err is set.
type reservation struct {
	done chan struct{}
	err  error
}

// NewRequests returns the requests of a process that shares a database with others
// or, with a nil store, of one that does not. The clock should be monotonic.
func NewRequests(store RequestStore, now func() time.Time) *Requests {
	return &Requests{store: store, now: now, byID: map[string]*requests{}, swept: now()}
}

// Admit counts a request of a workspace. It is RateLimited, with the time to wait,
// if the plan includes no more at present, and it fails if the database fails.
func (r *Requests) Admit(ctx context.Context, workspaceID string, p plan.Plan) error {
	limit := p.Limits.RequestsPerMinute
	if limit == plan.Unlimited {
		return nil
	}
	wait, err := r.take(ctx, workspaceID, limit)
	if err != nil || wait == 0 {
		return err
	}
	wait = inSeconds(wait)
	limited := fault.New(fault.RateLimited, "The %s plan includes %d requests a minute. Wait %d s, or upgrade the plan.",
		p.Title, limit, wait/time.Second)
	limited.RetryAfter = wait
	return limited
}

// AdmitToken counts a request of a token that has a limit of its own, as [Requests.Admit]
// does for a workspace.
func (r *Requests) AdmitToken(ctx context.Context, tokenID string, limit int) error {
	wait, err := r.take(ctx, tokenID, limit)
	if err != nil || wait == 0 {
		return err
	}
	wait = inSeconds(wait)
	limited := fault.New(fault.RateLimited, "This token may send %d requests a minute. Wait %d s, raise its limit, or use another token.", limit, wait/time.Second)
	limited.RetryAfter = wait
	return limited
}

// inSeconds rounds up, because headers hold whole seconds.
func inSeconds(wait time.Duration) time.Duration {
	return max(time.Second, time.Duration(math.Ceil(wait.Seconds()))*time.Second)
}

// take counts a request, or returns how long to wait.
func (r *Requests) take(ctx context.Context, workspaceID string, limit int) (wait time.Duration, err error) {
	of := r.of(workspaceID)
	of.mu.Lock()
	defer of.mu.Unlock()
	if r.store != nil {
		return of.takeShared(ctx, r, workspaceID, limit)
	}
	_, wait = of.minute.Take(r.now(), 1, limit, 0)
	return wait, nil
}

// of returns the requests of a workspace. It occasionally forgets idle workspaces.
func (r *Requests) of(workspaceID string) *requests {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if now.Sub(r.swept) > requestsKept {
		r.swept = now
		for id, of := range r.byID {
			if now.Sub(of.asked) > requestsKept {
				delete(r.byID, id)
			}
		}
	}
	of, known := r.byID[workspaceID]
	if !known {
		of = &requests{}
		r.byID[workspaceID] = of
	}
	of.asked = now
	return of
}

// takeShared uses a reserved request, or first reserves some. The caller holds the
// lock, as for reserve.
func (q *requests) takeShared(ctx context.Context, r *Requests, workspaceID string, limit int) (wait time.Duration, err error) {
	q.waiting++
	defer func() { q.waiting-- }()
	for {
		now := r.now()
		if q.limit != limit { // the plan has changed
			q.limit, q.refused = limit, time.Time{}
		}
		if q.free > 0 && now.Before(q.until) {
			q.free--
			return 0, nil
		}
		if wait := q.refused.Sub(now); wait > 0 {
			return wait, nil
		}
		err := q.reserve(ctx, r, workspaceID, limit)
		if fault.IsOutOfStorage(err) { // nothing can be counted, and requests only read
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// reserve waits for a reservation, and starts one if there is none.
func (q *requests) reserve(ctx context.Context, r *Requests, workspaceID string, limit int) error {
	if q.reserving == nil {
		under := &reservation{done: make(chan struct{})}
		q.reserving = under
		go q.execute(context.WithoutCancel(ctx), under, r, workspaceID, limit)
	}
	under := q.reserving
	q.mu.Unlock()
	defer q.mu.Lock()
	select {
	case <-under.done:
		return under.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// execute reserves requests in the database.
func (q *requests) execute(ctx context.Context, under *reservation, r *Requests, workspaceID string, limit int) {
	ctx, cancel := context.WithTimeout(ctx, reserveWithin)
	defer cancel()
	began := r.now()
	defer func() {
		if p := recover(); p != nil { // a panic here would end the process
			under.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		q.took = r.now().Sub(began)
		q.reserving = nil
		close(under.done)
	}()
	under.err = q.swap(ctx, r, workspaceID, limit)
	if errors.Is(under.err, context.DeadlineExceeded) {
		under.err = fault.Wrap(fault.Unavailable, under.err, "The database is not available right now, and the operator of this server has been told. Try again.").ForOperator()
	}
}

// swap takes requests from the minute in the database, and retries until no other
// process has changed it meanwhile.
func (q *requests) swap(ctx context.Context, r *Requests, workspaceID string, limit int) error {
	for {
		began := r.now()
		minute, revision, now, err := r.store.RequestMinute(ctx, workspaceID)
		if err != nil {
			return err
		}
		want, use := q.slice(minute.Used(now), limit)
		taken, wait := minute.Take(now, want, limit, use)
		if taken == 0 {
			q.mu.Lock()
			q.free, q.refused = 0, r.now().Add(wait)
			q.left, q.leftAt = 0, began
			q.mu.Unlock()
			return nil
		}
		stored, err := r.store.SetRequestMinute(ctx, workspaceID, minute, revision)
		if err != nil {
			return err
		}
		if stored {
			q.mu.Lock()
			q.free, q.until = taken, began.Add(use)
			q.left, q.leftAt = max(0, limit-minute.Used(now)), began
			q.mu.Unlock()
			return nil
		}
	}
}

// slice returns how many requests to reserve, and for how long. Far from the limit
// it is about one percent of the limit, for seconds, so that few requests wait for
// the database. Near the limit it is only what callers wait for, so that no process
// keeps requests that another refuses.
func (q *requests) slice(used, limit int) (want int, use time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	// The reservation must still be valid when it arrives.
	want, use = max(1, q.waiting), min(max(shortSlice, 4*q.took), plan.MaxSlice)
	if used < limit*9/10 {
		want = max(want, limit/100)
	}
	if used < limit/2 {
		use = plan.MaxSlice
	}
	return want, use
}
