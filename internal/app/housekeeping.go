package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/core/chat"
	"parley/index/weaviate"
)

const housekeepingEvery = 5 * time.Minute

// sweepEvery is how long what nobody was told of may wait.
const sweepEvery = 15 * time.Second

// keepHouse renews leases, works on documents, and repairs what crashes left
// behind, at the start and now and then. A long repair must not let the leases
// lapse.
func (s *Server) keepHouse(ctx context.Context) {
	var tasks sync.WaitGroup
	defer tasks.Wait()
	tasks.Go(func() {
		every(ctx, chat.LeaseRenewal, func() {
			s.logUnlessStopped(ctx, "leases not renewed", s.Chat.Renew(ctx))
		})
	})
	if !s.Store.IsSQLite() { // else there is no other process
		tasks.Go(func() {
			every(ctx, chat.StopsEvery, func() {
				s.logUnlessStopped(ctx, "answers that are to be stopped not found", s.Chat.StopAsked(ctx))
			})
		})
	}
	tasks.Go(func() { s.keepBooks(ctx) })
	if s.measured != nil {
		tasks.Go(func() {
			s.logUnlessStopped(ctx, "metrics not served", s.metrics.Serve(ctx, s.measured))
		})
	}
	tasks.Go(func() {
		s.logUnlessStopped(ctx, "jobs not run", s.Queue.Run(ctx, s.Knowledge))
	})
	tasks.Go(func() {
		every(ctx, sweepEvery, func() {
			s.logUnlessStopped(ctx, "due documents not found", s.Knowledge.Sweep(ctx))
		})
	})
	s.repair(ctx)
	every(ctx, housekeepingEvery, func() {
		s.logUnlessStopped(ctx, "expired rows not deleted", errors.Join(
			s.Tenants.DeleteExpired(ctx), s.Knowledge.DeleteExpired(ctx), s.Chat.DeleteOutdated(ctx)))
		s.logUnlessStopped(ctx, "index not repaired", s.Knowledge.Watch(ctx))
		if shared, ok := s.Index.(*weaviate.Index); ok {
			_, err := shared.Rest(ctx, tenantIdle)
			s.logUnlessStopped(ctx, "idle tenants not put to rest", err)
		}
	})
}

// tenantIdle is how long a chatbot is not asked before Weaviate unloads it.
const tenantIdle = time.Hour

// repair makes the index hold what the database says.
func (s *Server) repair(ctx context.Context) {
	s.logUnlessStopped(ctx, "due documents not found", s.Knowledge.Sweep(ctx))
	if n, err := s.Knowledge.Repair(ctx); err != nil {
		s.logUnlessStopped(ctx, "index not repaired", err)
	} else if n > 0 {
		s.Log.Info("index repaired from the database", "documents", n)
	}
}

// every runs a job at each interval until ctx ends.
func every(ctx context.Context, interval time.Duration, job func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			job()
		}
	}
}

func (s *Server) logUnlessStopped(ctx context.Context, message string, err error) {
	if err != nil && ctx.Err() == nil {
		s.Log.Error(message, "error", err)
	}
}
