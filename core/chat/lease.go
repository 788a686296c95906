package chat

import (
	"context"
	"time"
)

// LeaseRenewal is how often [Service.Renew] is to be called: well within a
// lease.
const LeaseRenewal = lease / 3

func (s *Service) track(answerID int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[answerID] = struct{}{}
}

func (s *Service) untrack(answerID int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, answerID)
}

// Renew extends the leases of the answers that this process is generating,
// and interrupts those whose process has died.
func (s *Service) Renew(ctx context.Context) error {
	s.mu.Lock()
	ids := make([]int64, 0, len(s.running))
	for id := range s.running {
		ids = append(ids, id)
	}
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
	n, err := s.store.InterruptLapsed(ctx, before)
	if n > 0 {
		s.log.Info("interrupted answers of a process that ended", "count", n)
	}
	return err
}
