package app

import (
	"context"
	"errors"
	"log/slog"
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
	k := newKeeper(ctx, s.Log)
	defer k.tasks.Wait()
	k.every(turn.LeaseRenewal, "renew leases", s.Turns.Renew)
	if !s.Store.IsSQLite() { // SQLite has only one process
		k.every(turn.StopsEvery, "look for answers to stop", s.Turns.StopAsked)
		s.watchIndexes(k)
	}
	k.keep("listen for changes", func(ctx context.Context) error {
		servers.NewAccess(s.Store).Listen(ctx, rememberers{s.Chatbots.Callers, s.Turns}, s.Log)
		return nil
	})
	k.keep("watch the readers of files", func(ctx context.Context) error {
		s.readers.Run(ctx)
		return nil
	})
	k.keep("check the parts of the server", func(ctx context.Context) error {
		s.health.Run(ctx)
		return nil
	})
	s.runChores(k)
	if s.Encoding != nil {
		k.keep("read the sentence encoder", func(context.Context) error {
			if err := s.Encoding.Warm(); err != nil {
				return err
			}
			s.Log.Info("sentence encoder read")
			return nil
		})
	}
	k.every(usesEvery, "write when tokens were used", s.Chatbots.Uses.WriteUses)
	if s.measured != nil {
		k.keep("serve metrics", s.serveMetrics)
	}
	if s.counts() {
		k.atOnceAndEvery(backupsEvery, "look when the last backup was made", s.watchBackups)
	}
	k.keep("work off the job queue", func(ctx context.Context) error { return s.Queue.Run(ctx, s.Knowledge.Worker) })
	k.atOnceAndEvery(sweepEvery, "look for due documents", s.Knowledge.Worker.Sweep)
	k.every(rollEvery, "update statistics", s.Insight.Roller.Roll)
	k.keep("send webhooks", func(ctx context.Context) error {
		defer s.Webhooks.Sender.Wait()
		every(ctx, webhooksEvery, func() {
			logUnlessStopped(ctx, s.Log, "could not send webhooks", s.Webhooks.Sender.Work(ctx))
		})
		return nil
	})
	k.every(testsEvery, "ask test questions", func(ctx context.Context) error {
		return errors.Join(s.Insight.Tests.Watch(ctx), s.Insight.Tests.Work(ctx))
	})
	s.keepIndex(k)
	k.every(housekeepingEvery, "delete expired rows", func(ctx context.Context) error {
		return errors.Join(s.Tenants.DeleteExpired(ctx), s.Knowledge.Retention.DeleteExpired(ctx), s.Keys.DeleteOutdated(ctx, accesses.leftovers),
			s.Answers.DeleteOutdated(ctx, accesses.leftovers), s.Webhooks.Sender.DeleteOld(ctx))
	})
	if shared, ok := s.Index.(*weaviate.Index); ok {
		k.every(housekeepingEvery, "unload idle tenants", func(ctx context.Context) error {
			_, err := shared.Deactivate(ctx, tenantIdle)
			return err
		})
	}
}

// watchBackups tells the metrics of backups, which another process makes.
func (s *Server) watchBackups(ctx context.Context) error {
	at, err := servers.NewChores(s.Store).Begun(ctx, backups.Mark)
	s.metrics.BackedUp(at)
	return err
}

// tenantIdle is how long a chatbot is unused before Weaviate unloads it.
const tenantIdle = time.Hour

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

// logUnlessStopped logs an error, at the level of who must act, unless the server is stopping.
// That storage is full is logged once, as a part that is not ready, and not by each task that
// meets it.
func logUnlessStopped(ctx context.Context, log *slog.Logger, message string, err error) {
	switch {
	case err == nil || ctx.Err() != nil:
	case fault.IsOutOfStorage(err):
		log.Debug(message, "error", err)
	default:
		log.Log(ctx, fault.Level(err), message, "error", err)
	}
}
