package chat

import (
	"context"
	"maps"
	"slices"
	"time"
)

// lease is how long an answer may stay generating without a sign of life from
// its process.
const lease = 6 * time.Second

// LeaseRenewal is how often [Service.Renew] is to be called: well within a
// lease.
const LeaseRenewal = lease / 3

func (s *Service) track(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[r.answerID] = r
}

func (s *Service) untrack(answerID int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, answerID)
}

// runOf returns the run of an answer in this process, or nil.
func (s *Service) runOf(answerID int64) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[answerID]
}

func (s *Service) runs() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running)
}

// EndAll ends every turn of this process with a cause, which their readers get.
func (s *Service) EndAll(cause error) {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.running))
	s.mu.Unlock()
	for _, r := range all {
		r.end(cause)
	}
}

// Release gives back the messages that this process has reserved. No turn may
// be begun after it.
func (s *Service) Release(ctx context.Context) error { return s.store.ReleaseMessages(ctx) }

// Wait returns when all turns have ended that may go on without a caller. None
// may be begun meanwhile.
func (s *Service) Wait() { s.going.Wait() }

// Renew extends the leases of the answers that this process is generating,
// and interrupts those whose process has died.
func (s *Service) Renew(ctx context.Context) error {
	s.mu.Lock()
	ids := slices.Collect(maps.Keys(s.running))
	s.mu.Unlock()
	now := s.now()
	return s.store.InTx(ctx, func(ctx context.Context) error {
		if len(ids) > 0 {
			if err := s.store.RenewLeases(ctx, ids, now.Add(lease)); err != nil {
				return err
			}
		}
		return s.interrupt(ctx, now)
	})
}

// InterruptAll interrupts every answer that is being generated. It is for the
// start of a process that knows itself to be the only one on its database.
func (s *Service) InterruptAll(ctx context.Context) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		return s.interrupt(ctx, s.now().Add(2*lease))
	})
}

func (s *Service) interrupt(ctx context.Context, before time.Time) error {
	n, err := s.store.InterruptLapsed(ctx, before, s.now(), s.models.Default().Count)
	if n > 0 {
		s.log.Info("interrupted answers of a process that ended", "count", n)
	}
	return err
}
