package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"parley/app/backups"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/index/weaviate"
	"parley/store/servers"
)

const housekeepingEvery = 5 * time.Minute

// sweepEvery is how often due work that was not queued is queued.
const sweepEvery = 15 * time.Second

const (
	// rollEvery is how often answers that have ended are counted.
	rollEvery = 2 * time.Second
	// webhooksEvery is how often webhooks are looked for that are due.
	webhooksEvery = time.Second
	// testsEvery is how often test questions are looked for that are due.
	testsEvery = 3 * time.Second
	// catchUpEvery is how often the index follows what other servers have changed.
	catchUpEvery = time.Second
	// backupsEvery is how often a server looks when the last backup was made.
	backupsEvery = time.Minute
	// usesEvery is how often uses of tokens are written, of each token at most one a
	// minute.
	usesEvery = 2 * time.Second
)

// keepHouse does what a server does besides answering requests: it renews leases, works
// on documents, counts answers, asks test questions, runs chores, and repairs what crashes
// left behind. Each task has its own goroutine: a long repair must not let leases expire.
func (s *Server) keepHouse(ctx context.Context) {
	var tasks sync.WaitGroup
	defer tasks.Wait()
	tasks.Go(func() {
		every(ctx, turn.LeaseRenewal, func() {
			logUnlessStopped(ctx, s.Log, "could not renew leases", s.Turns.Renew(ctx))
		})
	})
	if !s.Store.IsSQLite() { // SQLite has only one process
		tasks.Go(func() {
			every(ctx, turn.StopsEvery, func() {
				logUnlessStopped(ctx, s.Log, "could not look for answers to stop", s.Turns.StopAsked(ctx))
			})
		})
		tasks.Go(func() { s.watchIndexes(ctx) })
	}
	tasks.Go(func() { servers.NewAccess(s.Store).Listen(ctx, rememberers{s.Chatbots.Callers, s.Turns}, s.Log) })
	tasks.Go(func() { s.runChores(ctx) })
	tasks.Go(func() { s.readers.Run(ctx) })
	tasks.Go(func() { s.health.Run(ctx) })
	if s.Encoding != nil {
		tasks.Go(func() {
			err := s.Encoding.Warm()
			logUnlessStopped(ctx, s.Log, "could not read the sentence encoder", err)
			if err == nil {
				s.Log.Info("sentence encoder read")
			}
		})
	}
	tasks.Go(func() {
		every(ctx, usesEvery, func() {
			logUnlessStopped(ctx, s.Log, "could not write when tokens were used", s.Chatbots.Uses.WriteUses(ctx))
		})
	})
	if s.measured != nil {
		tasks.Go(func() {
			logUnlessStopped(ctx, s.Log, "could not serve metrics", s.metrics.Serve(ctx, s.measured))
		})
		tasks.Go(func() { s.watchBackups(ctx) })
	}
	tasks.Go(func() {
		logUnlessStopped(ctx, s.Log, "job queue stopped", s.Queue.Run(ctx, s.Knowledge.Worker))
	})
	tasks.Go(func() {
		every(ctx, sweepEvery, func() {
			logUnlessStopped(ctx, s.Log, "could not look for due documents", s.Knowledge.Worker.Sweep(ctx))
		})
	})
	tasks.Go(func() {
		every(ctx, rollEvery, func() {
			logUnlessStopped(ctx, s.Log, "could not update statistics", s.Insight.Roller.Roll(ctx))
		})
	})
	tasks.Go(func() {
		defer s.Webhooks.Sender.Wait()
		every(ctx, webhooksEvery, func() {
			logUnlessStopped(ctx, s.Log, "could not send webhooks", s.Webhooks.Sender.Work(ctx))
		})
	})
	tasks.Go(func() {
		every(ctx, testsEvery, func() {
			logUnlessStopped(ctx, s.Log, "could not ask test questions", errors.Join(s.Insight.Tests.Watch(ctx), s.Insight.Tests.Work(ctx)))
		})
	})
	if s.Replicator == nil {
		s.repairIndex(ctx)
	} else {
		tasks.Go(func() { s.replicateIndex(ctx) })
		tasks.Go(func() { s.clearIndex(ctx) })
	}
	every(ctx, housekeepingEvery, func() {
		logUnlessStopped(ctx, s.Log, "could not delete expired rows", errors.Join(
			s.Tenants.DeleteExpired(ctx), s.Knowledge.Retention.DeleteExpired(ctx), s.Keys.DeleteOutdated(ctx, accesses.leftovers), s.Answers.DeleteOutdated(ctx, accesses.leftovers), s.Webhooks.Sender.DeleteOld(ctx)))
		logUnlessStopped(ctx, s.Log, "could not repair the index", s.Rebuilder.Watch(ctx))
		if s.Replicator != nil {
			logUnlessStopped(ctx, s.Log, "could not delete old changes of indexes", s.Replicator.DeleteOld(ctx))
		}
		if shared, ok := s.Index.(*weaviate.Index); ok {
			_, err := shared.Deactivate(ctx, tenantIdle)
			logUnlessStopped(ctx, s.Log, "could not unload idle tenants", err)
		}
	})
}

// watchBackups tells the metrics of backups, which another process makes.
func (s *Server) watchBackups(ctx context.Context) {
	look := func() {
		at, err := servers.NewChores(s.Store).Begun(ctx, backups.Mark)
		s.metrics.BackedUp(at)
		logUnlessStopped(ctx, s.Log, "could not look when the last backup was made", err)
	}
	look()
	every(ctx, backupsEvery, look)
}

// tenantIdle is how long a chatbot is unused before Weaviate unloads it.
const tenantIdle = time.Hour

// replicateIndex brings the index up to date with the database, and keeps it so.
func (s *Server) replicateIndex(ctx context.Context) {
	catchUp := func() {
		logUnlessStopped(ctx, s.Log, "could not follow what other servers index", s.Replicator.CatchUp(ctx))
	}
	catchUp()
	every(ctx, catchUpEvery, catchUp)
}

// repairIndex brings the index up to date with the database.
func (s *Server) repairIndex(ctx context.Context) {
	logUnlessStopped(ctx, s.Log, "could not look for due documents", s.Knowledge.Worker.Sweep(ctx))
	if n, err := s.Rebuilder.Repair(ctx); err != nil {
		logUnlessStopped(ctx, s.Log, "could not repair the index", err)
	} else if n > 0 {
		s.Log.Info("index repaired from the database", "documents", n)
	}
}

// every calls job at each interval until ctx ends.
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

// logUnlessStopped logs an error, unless the server is stopping. That storage is full is
// logged once, as a part that is not ready, and not by each task that meets it.
func logUnlessStopped(ctx context.Context, log *slog.Logger, message string, err error) {
	switch {
	case err == nil || ctx.Err() != nil:
	case fault.IsOutOfStorage(err):
		log.Debug(message, "error", err)
	default:
		log.Error(message, "error", err)
	}
}
