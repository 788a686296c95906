package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"parley/app/backups"
	"parley/core/chat/turn"
	"parley/index/weaviate"
	"parley/store"
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
	// followEvery is how often the index follows what other servers have changed.
	followEvery = time.Second
	// backupsEvery is how often a server looks when the last backup was made.
	backupsEvery = time.Minute
	// usesEvery is how often uses of tokens are written, of each token at most one a
	// minute.
	usesEvery = 2 * time.Second
)

// watchBackups tells the metrics of backups, which another process makes.
func (h *housekeeping) watchBackups(ctx context.Context) {
	look := func() {
		at, err := store.NewChores(h.Store).Begun(ctx, backups.Mark)
		h.metrics.BackedUp(at)
		logUnlessStopped(ctx, h.Log, "could not look when the last backup was made", err)
	}
	look()
	every(ctx, backupsEvery, look)
}

// housekeeping is what a server does besides answering requests.
type housekeeping struct {
	*Program
	// measured is where Prometheus reads the metrics, or nil.
	measured net.Listener
}

// run renews leases, works on documents, counts answers, asks test questions, runs
// chores, and repairs what crashes left behind. Each task has its own goroutine: a long
// repair must not let leases expire.
func (h *housekeeping) run(ctx context.Context) {
	var tasks sync.WaitGroup
	defer tasks.Wait()
	tasks.Go(func() {
		every(ctx, turn.LeaseRenewal, func() {
			logUnlessStopped(ctx, h.Log, "could not renew leases", h.Turns.Renew(ctx))
		})
	})
	if !h.Store.IsSQLite() { // SQLite has only one process
		tasks.Go(func() {
			every(ctx, turn.StopsEvery, func() {
				logUnlessStopped(ctx, h.Log, "could not look for answers to stop", h.Turns.StopAsked(ctx))
			})
		})
		tasks.Go(func() { h.watchIndexes(ctx) })
	}
	tasks.Go(func() { store.NewAccess(h.Store).Listen(ctx, rememberers{h.Chatbots.Tokens.Callers, h.Turns}, h.Log) })
	tasks.Go(func() { h.runChores(ctx) })
	if h.Encoding != nil {
		tasks.Go(func() {
			err := h.Encoding.Warm()
			logUnlessStopped(ctx, h.Log, "could not read the sentence encoder", err)
			if err == nil {
				h.Log.Info("sentence encoder read")
			}
		})
	}
	tasks.Go(func() {
		every(ctx, usesEvery, func() {
			logUnlessStopped(ctx, h.Log, "could not write when tokens were used", h.Chatbots.Tokens.WriteUses(ctx))
		})
	})
	if h.measured != nil {
		tasks.Go(func() {
			logUnlessStopped(ctx, h.Log, "could not serve metrics", h.metrics.Serve(ctx, h.measured))
		})
		tasks.Go(func() { h.watchBackups(ctx) })
	}
	tasks.Go(func() {
		logUnlessStopped(ctx, h.Log, "job queue stopped", h.Queue.Run(ctx, h.Knowledge.Worker))
	})
	tasks.Go(func() {
		every(ctx, sweepEvery, func() {
			logUnlessStopped(ctx, h.Log, "could not look for due documents", h.Knowledge.Worker.Sweep(ctx))
		})
	})
	tasks.Go(func() {
		every(ctx, rollEvery, func() {
			logUnlessStopped(ctx, h.Log, "could not update statistics", h.Insight.Roller.Roll(ctx))
		})
	})
	tasks.Go(func() {
		defer h.Webhooks.Sender.Wait()
		every(ctx, webhooksEvery, func() {
			logUnlessStopped(ctx, h.Log, "could not send webhooks", h.Webhooks.Sender.Work(ctx))
		})
	})
	tasks.Go(func() {
		every(ctx, testsEvery, func() {
			logUnlessStopped(ctx, h.Log, "could not ask test questions", errors.Join(h.Insight.Tests.Watch(ctx), h.Insight.Tests.Work(ctx)))
		})
	})
	if h.Follower == nil {
		h.repair(ctx)
	} else {
		tasks.Go(func() { h.follow(ctx) })
		tasks.Go(func() { h.clear(ctx) })
	}
	every(ctx, housekeepingEvery, func() {
		logUnlessStopped(ctx, h.Log, "could not delete expired rows", errors.Join(
			h.Tenants.DeleteExpired(ctx), h.Knowledge.Retention.DeleteExpired(ctx), h.Keys.DeleteOutdated(ctx), h.Answers.DeleteOutdated(ctx), h.Webhooks.Sender.DeleteOld(ctx)))
		logUnlessStopped(ctx, h.Log, "could not repair the index", h.Rebuilder.Watch(ctx))
		if h.Follower != nil {
			logUnlessStopped(ctx, h.Log, "could not delete old changes of indexes", h.Follower.DeleteOld(ctx))
		}
		if shared, ok := h.Index.(*weaviate.Index); ok {
			_, err := shared.Deactivate(ctx, tenantIdle)
			logUnlessStopped(ctx, h.Log, "could not unload idle tenants", err)
		}
	})
}

// tenantIdle is how long a chatbot is unused before Weaviate unloads it.
const tenantIdle = time.Hour

// follow brings the index up to date with the database, and keeps it so.
func (h *housekeeping) follow(ctx context.Context) {
	follow := func() {
		logUnlessStopped(ctx, h.Log, "could not follow what other servers index", h.Follower.Follow(ctx))
	}
	follow()
	every(ctx, followEvery, follow)
}

// repair brings the index up to date with the database.
func (h *housekeeping) repair(ctx context.Context) {
	logUnlessStopped(ctx, h.Log, "could not look for due documents", h.Knowledge.Worker.Sweep(ctx))
	if n, err := h.Rebuilder.Repair(ctx); err != nil {
		logUnlessStopped(ctx, h.Log, "could not repair the index", err)
	} else if n > 0 {
		h.Log.Info("index repaired from the database", "documents", n)
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

// logUnlessStopped logs an error, unless the server is stopping.
func logUnlessStopped(ctx context.Context, log *slog.Logger, message string, err error) {
	if err != nil && ctx.Err() == nil {
		log.Error(message, "error", err)
	}
}
