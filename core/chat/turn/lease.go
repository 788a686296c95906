package turn

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// lease is how long an answer may stay generating without a sign of life from
// its process.
const lease = 6 * time.Second

// LeaseRenewal is how often [Service.Renew] is to be called: well within a
// lease.
const LeaseRenewal = lease / 3

// Renew extends the leases of the answers that this process is generating,
// and interrupts those whose process has died.
func (s *Service) Renew(ctx context.Context) error {
	ids := s.running.ids()
	now := s.Now()
	return s.Turns.InTx(ctx, func(ctx context.Context) error {
		if len(ids) > 0 {
			if err := s.Leases.RenewLeases(ctx, s.System, ids, now.Add(lease)); err != nil {
				return err
			}
		}
		return s.interrupt(ctx, now)
	})
}

// InterruptAll interrupts every answer that is being generated. It is for the
// start of a process that knows itself to be the only one on its database.
func (s *Service) InterruptAll(ctx context.Context) error {
	return s.Turns.InTx(ctx, func(ctx context.Context) error {
		return s.interrupt(ctx, s.Now().Add(2*lease))
	})
}

func (s *Service) interrupt(ctx context.Context, before time.Time) error {
	n, err := s.Leases.InterruptLapsed(ctx, s.System, before, s.Now(), s.Answers.CountTokens)
	if n > 0 {
		s.Log.Info("interrupted answers of a process that ended", "count", n)
	}
	return err
}

// running has the attempts of this process, by their answers. It is safe for
// concurrent use.
type running struct {
	mu       sync.Mutex
	attempts map[int64]*attempt
}

func newRunning() *running { return &running{attempts: map[int64]*attempt{}} }

func (r *running) add(a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.attempts[a.answerID] = a
}

func (r *running) remove(answerID int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.attempts, answerID)
}

// of returns the attempt at an answer, or nil.
func (r *running) of(answerID int64) *attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.attempts[answerID]
}

func (r *running) all() []*attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.attempts))
}

func (r *running) ids() []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.attempts))
}
