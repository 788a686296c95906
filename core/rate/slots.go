package rate

import (
	"sync"
	"time"

	"parley/core/fault"
	"parley/core/plan"
)

// MaxAnswers is how many answers a process works on at once by default.
const MaxAnswers = 2_000

// slotWait is when to try again for a slot: nobody knows when an answer will end.
const slotWait = 2 * time.Second

// Slots limit what is in progress at once in this process: for one caller, which is
// a token or a member, for one workspace, and in total. A caller gets three quarters
// of its workspace's slots, so that another caller always finds some. Slots are safe
// for concurrent use.
type Slots struct {
	max int
	// what names the work in messages, such as "answers".
	what string

	mu      sync.Mutex
	taken   int
	byOwner map[string]int // by workspace and by caller, whose ids differ
}

// NewSlots returns at most most slots. What names the work in messages, such as
// "answers".
func NewSlots(what string, most int) *Slots {
	return &Slots{max: most, what: what, byOwner: map[string]int{}}
}

// Take takes a slot, which its holder must leave. It is RateLimited if the caller or
// the workspace has as many as the plan includes, and Unavailable if the process has
// no more.
func (s *Slots) Take(workspaceID, callerID string, p plan.Plan) (*Slot, error) {
	limit := p.Limits.ConcurrentAnswers
	s.mu.Lock()
	defer s.mu.Unlock()
	if limit != plan.Unlimited {
		if s.byOwner[workspaceID] >= limit {
			return nil, limited("The %s plan includes %d %s at once. Wait for one to end, or upgrade the plan.", p.Title, limit, s.what)
		}
		if each := callerShare(limit); s.byOwner[callerID] >= each {
			return nil, limited("On the %s plan one API token may have %d %s at once, and so may one member. Wait for one to end, or upgrade the plan.", p.Title, each, s.what)
		}
	}
	if s.taken >= s.max {
		return nil, errFull
	}
	s.taken++
	s.byOwner[workspaceID]++
	s.byOwner[callerID]++
	return &Slot{of: s, workspaceID: workspaceID, callerID: callerID, holders: 1}, nil
}

// Full refuses, as Unavailable, who would find no slot of this process, whatever the
// plan. It takes none.
func (s *Slots) Full() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken >= s.max {
		return errFull
	}
	return nil
}

var errFull = (&fault.Error{
	Kind: fault.Unavailable, RetryAfter: slotWait,
	Message: "The server is working on as many answers as it can. Try again in a few seconds.",
}).Named(fault.Overloaded)

// callerShare is how many slots of a workspace one caller may have.
func callerShare(limit int) int { return (3*limit + 3) / 4 }

func limited(message string, args ...any) error {
	refused := fault.New(fault.RateLimited, message, args...).Named(fault.TooManyAnswers)
	refused.RetryAfter = slotWait
	return refused
}

// Slot is free again when all its holders have left. The nil Slot has no owner.
type Slot struct {
	of                    *Slots
	workspaceID, callerID string
	holders               int // guarded by of.mu
}

// Share adds a holder, and returns how that holder leaves.
func (s *Slot) Share() (leave func()) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.holders++
	return s.Leave
}

// Leave must be called once by each holder.
func (s *Slot) Leave() {
	if s == nil {
		return
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.holders--; s.holders > 0 {
		return
	}
	s.of.taken--
	for _, owner := range []string{s.workspaceID, s.callerID} {
		if s.of.byOwner[owner]--; s.of.byOwner[owner] == 0 {
			delete(s.of.byOwner, owner)
		}
	}
}
