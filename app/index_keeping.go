package app

import (
	"context"
	"sync"
	"time"

	"parley/core/retrieval"
	"parley/store/servers"
)

const (
	// catchUpEvery is how often the index follows what other servers have changed.
	catchUpEvery = time.Second
	// compareEvery is how often the index is compared with the database, unless that takes
	// long, and behindEvery how often while it lacks documents.
	compareEvery = 20 * time.Second
	behindEvery  = 2 * time.Second
	// compareShare is the share of the time, one in so many, that comparing takes at most.
	compareShare = 20
	// fillLease is how long a server that fills a shared index may be silent before
	// another one goes on, and fillRenewal how often it is heard of.
	fillLease   = time.Minute
	fillRenewal = 10 * time.Second
)

// keepIndex brings the index up to date with the database, and keeps it so.
func (s *Server) keepIndex(k *keeper) {
	if s.Replicator != nil {
		k.atOnceAndEvery(catchUpEvery, "follow what other servers index", s.Replicator.CatchUp)
		s.clearIndex(k)
		k.every(housekeepingEvery, "delete old changes of indexes", s.Replicator.DeleteOld)
	} else {
		k.keep("repair the index", s.repairIndex)
	}
	k.every(housekeepingEvery, "repair the index", s.Rebuilder.Watch)
}

// repairIndex repairs the index, and then compares it with the database from time to time.
func (s *Server) repairIndex(ctx context.Context) error {
	n, err := s.Rebuilder.Repair(ctx)
	if err != nil {
		return err
	}
	if n > 0 {
		s.Log.Info("index repaired from the database", "documents", n)
	}
	for pause := compareEvery; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		case <-s.Backlog.Found():
		}
		began := time.Now()
		if err := s.Rebuilder.Look(ctx); err != nil {
			return err
		}
		pause = max(compareEvery, compareShare*time.Since(began))
		if s.Backlog.Lag().Behind > 0 {
			pause = behindEvery
		}
	}
}

// IndexLag says how far the index of this process is behind the database.
func (p *Program) IndexLag() retrieval.Lag { return p.Backlog.Lag() }

// fillMark begins the name of the mark of the server that fills a shared index.
const fillMark = "index being filled: "

// fillingLease lets one of the servers that share an index fill it. It is a mark in the
// database.
type fillingLease struct {
	p *Program

	mu sync.Mutex
	// renewed is when this server set the mark, or the zero time.
	renewed time.Time
}

func (l *fillingLease) name() string { return fillMark + indexInUse(l.p.Config) }

// Take implements [rebuild.Lease].
func (l *fillingLease) Take(ctx context.Context) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.p.now()
	since := now.Add(-fillLease)
	if !l.renewed.IsZero() {
		if now.Sub(l.renewed) < fillRenewal {
			return true, nil
		}
		since = l.renewed.Add(time.Second) // nobody has set it since
	}
	mine, err := servers.NewChores(l.p.Store).BeginChore(ctx, l.name(), since, now)
	l.renewed = time.Time{}
	if mine && err == nil {
		l.renewed = now
	}
	return mine, err
}

// Release implements [rebuild.Lease].
func (l *fillingLease) Release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.renewed.IsZero() {
		return nil
	}
	l.renewed = time.Time{}
	return servers.NewChores(l.p.Store).ForgetChores(ctx, l.name(), l.p.now().Add(time.Second))
}
