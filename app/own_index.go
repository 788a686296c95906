package app

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"sync"
	"time"

	"parley/index/embedded"
	"parley/internal/id"
	"parley/store/servers"
)

const (
	// ownMark begins the names of the marks by which servers tell one another, in the
	// database, that they run with an index of their own.
	ownMark = "index of server: "
	// ownMarkKept is how long the mark of a server that has gone stays.
	ownMarkKept = 24 * time.Hour
	// clearEvery is how often a server looks for erased workspaces.
	clearEvery = 5 * time.Second
)

// ownIndex is the embedded index of a server beside others on one database.
type ownIndex struct {
	*embedded.Own
	p *Program

	mu   sync.Mutex
	name string
}

// Name names the index after the machine, with a part that goes with the file: several
// servers may run on one machine.
func (x *ownIndex) Name(ctx context.Context) (string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.name != "" {
		return x.name, nil
	}
	identity, err := x.KeepIdentity(ctx, id.New(rand.Reader, "ix")[:9])
	if err != nil {
		return "", err
	}
	host, err := os.Hostname()
	if err != nil { // the file's part tells servers apart
		host = "server"
	}
	x.name = host + "_" + identity
	return x.name, nil
}

// Running names the indexes of the servers that have set their marks lately.
func (x *ownIndex) Running(ctx context.Context) ([]string, error) {
	marks, err := servers.NewChores(x.p.Store).ChoresBegun(ctx, ownMark, x.p.now().Add(-markedFor))
	for i, mark := range marks {
		marks[i] = strings.TrimPrefix(mark, ownMark)
	}
	return marks, err
}

// mark tells other servers that this one runs.
func (x *ownIndex) mark(ctx context.Context) error {
	name, err := x.Name(ctx)
	if err != nil {
		return err
	}
	now := x.p.now()
	chores := servers.NewChores(x.p.Store)
	if _, err := chores.BeginChore(ctx, ownMark+name, now, now); err != nil {
		return err
	}
	return chores.ForgetChores(ctx, ownMark, now.Add(-ownMarkKept))
}

// clearIndex tells other servers that this one has an index of its own, and clears the index of
// workspaces that are erased.
func (s *Server) clearIndex(k *keeper) {
	k.atOnceAndEvery(markEvery, "tell other servers of the index", s.ownIndex.mark)
	k.every(clearEvery, "clear the index of erased workspaces", s.Privacy.Servers.Work)
}
