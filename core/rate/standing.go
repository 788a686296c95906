package rate

import (
	"time"

	"parley/core/plan"
)

// Standing is how much of a limit of requests a minute is left.
type Standing struct {
	Limit, Left int
	// Reset is when more will be left: a minute, unless none is left now.
	Reset time.Duration
}

// Standing returns how many more requests of a workspace, or of a token with a limit
// of its own, are admitted now. It counts none and asks no database: where processes
// share a limit, what others have used since this one last reserved is not in it.
func (r *Requests) Standing(id string, limit int) Standing {
	of := r.of(id)
	of.mu.Lock()
	defer of.mu.Unlock()
	now := r.now()
	if r.store == nil {
		return standing(&of.minute, now, limit)
	}
	if wait := of.refused.Sub(now); wait > 0 && of.limit == limit {
		return Standing{limit, 0, inSeconds(wait)}
	}
	left := limit
	if now.Sub(of.leftAt) < time.Minute {
		left = of.left
		if now.Before(of.until) {
			left += of.free
		}
	}
	return Standing{limit, min(left, limit), time.Minute}
}

func standing(minute *plan.Minute, now time.Time, limit int) Standing {
	left := limit - minute.Used(now)
	if left > 0 {
		return Standing{limit, left, time.Minute}
	}
	_, wait := minute.Take(now, 1, limit, 0) // takes none
	return Standing{limit, 0, inSeconds(wait)}
}

// Network counts a request with a publishable token, by the token and the network that the
// request comes from. Like [Pace.Stranger] each process counts on its own.
func (p *Pace) Network(network string, limit int) error {
	if p == nil {
		return nil
	}
	return p.count("network", network, Ordinary, []int{limit})
}

// Again counts a request for what was asked before: a replayed key, a resumed or stopped
// answer. It counts against no limit of questions, and each process counts on its own.
func (p *Pace) Again(caller string, limit int) error {
	if p == nil {
		return nil
	}
	return p.count("again", caller, Ordinary, []int{limit})
}

// askedAgain is how many questions a minute the people of a workspace ask to see what an
// added answer has changed.
const askedAgain = 20

// AskAgain counts such a question, which a model answers at the operator's cost.
func (p *Pace) AskAgain(workspaceID string) error {
	if p == nil {
		return nil
	}
	return p.count("ask again", workspaceID, Ordinary, []int{askedAgain})
}

// NetworkStanding returns what a network has left, and counts nothing.
func (p *Pace) NetworkStanding(network string, limit int) Standing {
	if p == nil {
		return Standing{limit, limit, time.Minute}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	of, known := p.counts.Peek(paceKey{"network", network, Ordinary})
	if !known {
		return Standing{limit, limit, time.Minute}
	}
	return standing(&of.minute, p.now(), limit)
}
