package api

import (
	"container/list"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"parley/core/fault"
	"parley/core/plan"
)

// ratesKept is for how many workspaces requests are counted at a time. One that
// is forgotten begins with a full minute.
const ratesKept = 10_000

// rates counts the requests of workspaces. Each has a bucket of as many as its
// plan includes in a minute, which fills evenly.
type rates struct {
	now  func() time.Time
	kept int

	mu sync.Mutex
	// recent has the workspaces, the one that asked last in front.
	recent *list.List
	byID   map[string]*list.Element
}

// workspaceRate is what recent holds.
type workspaceRate struct {
	id        string
	perMinute int
	bucket    *rate.Limiter
}

func newRates(now func() time.Time, kept int) *rates {
	return &rates{now: now, kept: kept, recent: list.New(), byID: map[string]*list.Element{}}
}

// admit counts a request of a workspace. It is RateLimited, with the time to
// wait, when the plan includes no more at present.
func (r *rates) admit(workspaceID string, p plan.Plan) error {
	perMinute := p.Limits.RequestsPerMinute
	if perMinute == plan.Unlimited {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	turn := r.bucketOf(workspaceID, perMinute, now).ReserveN(now, 1)
	wait := time.Minute // if the plan includes none at all
	if turn.OK() {
		if wait = turn.DelayFrom(now); wait == 0 {
			return nil
		}
		turn.CancelAt(now)
	}
	// Headers hold whole seconds.
	wait = max(time.Second, time.Duration(math.Ceil(wait.Seconds()))*time.Second)
	limited := fault.New(fault.RateLimited, "The %s plan includes %d requests a minute. Wait %d s, or upgrade the plan.",
		p.Title, perMinute, wait/time.Second)
	limited.RetryAfter = wait
	return limited
}

// bucketOf returns the bucket of a workspace, which becomes the latest. A
// changed plan changes it as it is: what was used stays used.
func (r *rates) bucketOf(workspaceID string, perMinute int, now time.Time) *rate.Limiter {
	if element, known := r.byID[workspaceID]; known {
		r.recent.MoveToFront(element)
		w := element.Value.(*workspaceRate)
		if w.perMinute != perMinute {
			w.perMinute = perMinute
			w.bucket.SetLimitAt(now, perSecond(perMinute))
			w.bucket.SetBurstAt(now, perMinute)
		}
		return w.bucket
	}
	w := &workspaceRate{workspaceID, perMinute, rate.NewLimiter(perSecond(perMinute), perMinute)}
	r.byID[workspaceID] = r.recent.PushFront(w)
	if r.recent.Len() > r.kept {
		oldest := r.recent.Remove(r.recent.Back()).(*workspaceRate)
		delete(r.byID, oldest.id)
	}
	return w.bucket
}

func perSecond(perMinute int) rate.Limit { return rate.Limit(float64(perMinute) / 60) }
