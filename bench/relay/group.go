package relay

import (
	"context"
	"errors"
	"sync"
)

// maxGroup is how many messages share one commit at most.
const maxGroup = 256

// grouped is a SQLite ledger in which messages that come at the same time
// share a commit.
type grouped struct {
	*sqlite
	queue chan entry
	ended chan struct{}

	closing sync.RWMutex
	closed  bool
}

var errClosed = errors.New("the ledger is closed")

// entry is a message that waits for its commit.
type entry struct {
	chatbot, role, text string
	done                chan error
}

// GroupedSQLite is like [SQLite], but messages that come at the same time
// share a commit. No message is acknowledged before it is synced to disk.
func GroupedSQLite(ctx context.Context, dir string) (Ledger, error) {
	s, err := openSQLite(ctx, dir)
	if err != nil {
		return nil, err
	}
	g := &grouped{sqlite: s, queue: make(chan entry, maxGroup), ended: make(chan struct{})}
	go g.commitGroups()
	return g, nil
}

func (g *grouped) Append(_ context.Context, chatbot, role, text string) error {
	done := make(chan error, 1)
	g.closing.RLock()
	if g.closed { // the answer of a client that has gone
		g.closing.RUnlock()
		return errClosed
	}
	g.queue <- entry{chatbot: chatbot, role: role, text: text, done: done}
	g.closing.RUnlock()
	return <-done
}

func (g *grouped) Close() error {
	g.closing.Lock()
	g.closed = true
	close(g.queue)
	g.closing.Unlock()
	<-g.ended
	return g.sqlite.Close()
}

// commitGroups commits all transactions that arrived during the previous
// commit.
func (g *grouped) commitGroups() {
	defer close(g.ended)
	for first := range g.queue {
		group := g.collect([]entry{first})
		err := g.commit(group)
		for _, message := range group {
			message.done <- err
		}
	}
}

// collect adds the waiting transactions.
func (g *grouped) collect(group []entry) []entry {
	for len(group) < maxGroup {
		select {
		case message, ok := <-g.queue:
			if !ok {
				return group
			}
			group = append(group, message)
		default:
			return group
		}
	}
	return group
}

func (g *grouped) commit(group []entry) error {
	tx, err := g.writer.Begin()
	if err != nil {
		return err
	}
	insert := tx.Stmt(g.insert)
	for _, message := range group {
		if _, err := insert.Exec(message.chatbot, message.role, message.text); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}
