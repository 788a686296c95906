package api

import (
	"sync"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
)

// MaxAnswers is how many answers a process works on at once, unless
// [Deps.MaxAnswers] says otherwise.
const MaxAnswers = 2_000

// placeWait is when to ask again for a place: nobody knows when an answer ends.
const placeWait = 2 * time.Second

// places bounds what is under way at once in this process: of one token, of one
// workspace, and in all. A token has three quarters of its workspace's places,
// so that another token always finds some.
type places struct {
	max int
	// what is under way, for a message: such as "answers".
	what string

	mu      sync.Mutex
	taken   int
	byOwner map[string]int // by workspace and by token, whose ids differ
}

func newPlaces(what string, most int) *places {
	return &places{max: most, what: what, byOwner: map[string]int{}}
}

// take takes a place, which somebody must leave. It is RateLimited when the
// token or the workspace has as many as its plan includes, and Unavailable when
// the process has no more.
func (s *places) take(p *chatbot.Principal) (*place, error) {
	limit := p.Plan.Limits.ConcurrentAnswers
	workspace, token := p.Chatbot.WorkspaceID, p.Token.ID
	s.mu.Lock()
	defer s.mu.Unlock()
	if limit != plan.Unlimited {
		if s.byOwner[workspace] >= limit {
			return nil, limited("The %s plan includes %d %s at once. Wait for one to end, or upgrade the plan.", p.Plan.Title, limit, s.what)
		}
		if each := tokenShare(limit); s.byOwner[token] >= each {
			return nil, limited("On the %s plan one API token may have %d %s at once. Wait for one to end, use another token, or upgrade the plan.", p.Plan.Title, each, s.what)
		}
	}
	if s.taken >= s.max {
		return nil, &fault.Error{
			Kind: fault.Unavailable, RetryAfter: placeWait,
			Message: "The server is working on as many answers as it can. Try again in a few seconds.",
		}
	}
	s.taken++
	s.byOwner[workspace]++
	s.byOwner[token]++
	return &place{of: s, workspace: workspace, token: token, holders: 1}, nil
}

// tokenShare is how many places of a workspace one token may have.
func tokenShare(limit int) int { return (3*limit + 3) / 4 }

func limited(message string, args ...any) error {
	refused := fault.New(fault.RateLimited, message, args...)
	refused.RetryAfter = placeWait
	return refused
}

// place is free again when all its holders have left. The nil place is nobody's.
type place struct {
	of               *places
	workspace, token string
	holders          int // guarded by of.mu
}

// share adds a holder, and returns how it leaves.
func (p *place) share() (leave func()) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.holders++
	return p.leave
}

// leave is called once by each holder.
func (p *place) leave() {
	if p == nil {
		return
	}
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if p.holders--; p.holders > 0 {
		return
	}
	p.of.taken--
	for _, owner := range []string{p.workspace, p.token} {
		if p.of.byOwner[owner]--; p.of.byOwner[owner] == 0 {
			delete(p.of.byOwner, owner)
		}
	}
}
