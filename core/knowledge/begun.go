package knowledge

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/core/fault"
)

// A document that ends the process while it is worked on would end every process that takes
// it up again. So an attempt is counted before it begins, and the count is taken back when it
// ends, however it ends: with a result, with a failure, or because the server stops. What
// remains counted ended the process. Removals are not counted: they are never given up.

const (
	// mostBegun is how many attempts in a row may end the process.
	mostBegun = 3
	// whileSuspected is how long what was in work when a process ended is left
	// alone while something else that was is worked on.
	whileSuspected = 5 * time.Second
	// countingTime is how long a server that stops may take to take a count back.
	countingTime = 3 * time.Second
)

// errEndsProcess is what the owner of a document reads that ended the process.
var errEndsProcess = fault.New(fault.TooLarge, "The server stopped while it read this document, %d times in a row. Split it into smaller ones, or save it in another format, and add it again.", mostBegun)

// beginnings knows what this process is working on. Of what was in work when a process ended,
// one at a time is worked on: then the next end tells which it was.
type beginnings struct {
	mu      sync.Mutex
	running map[string]int
	suspect string
}

// enter notes that this process works on something. Again says that it does so already, and
// busy that something else is suspected: then nothing is noted.
func (b *beginnings) enter(id string, begun int) (again, busy bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running == nil {
		b.running = map[string]int{}
	}
	again = b.running[id] > 0
	if begun > 0 && !again {
		if b.suspect != "" {
			return false, true
		}
		b.suspect = id
	}
	b.running[id]++
	return again, false
}

func (b *beginnings) leave(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running[id]--; b.running[id] > 0 {
		return
	}
	delete(b.running, id)
	if b.suspect == id {
		b.suspect = ""
	}
}

// take counts an attempt at a document, and then takes the document through a step. It fails
// the document instead if attempts have ended the process too often.
func (s *Worker) take(ctx context.Context, d Document, step func(context.Context, *Document) error) error {
	if d.State == Removing {
		_, err := s.advance(ctx, d, step)
		return err
	}
	again, busy := s.begun.enter(d.ID, d.Begun)
	if busy {
		return s.leaveAlone(ctx, d)
	}
	defer s.begun.leave(d.ID)
	if again { // this process lives, so nothing has ended it
		_, err := s.advance(ctx, d, step)
		return err
	}
	if d.Begun >= mostBegun {
		return s.giveUp(ctx, d)
	}
	if err := s.documents.SetBegun(ctx, d.WorkspaceID, d.ID, d.Begun, d.Begun+1); err != nil {
		return unlessTaken(taken(err))
	}
	d.Begun++
	_, err := s.advance(ctx, d, step)
	return err
}

// leaveAlone makes a document due a little later.
func (s *Worker) leaveAlone(ctx context.Context, d Document) error {
	due := s.now().Add(whileSuspected)
	next := d
	next.DueAt = &due
	return unlessTaken(s.update(ctx, d.State, next, false))
}

// giveUp fails a document that ended the process. Its count stays, so that a schedule does not
// have it read again; its owner can.
func (s *Worker) giveUp(ctx context.Context, d Document) error {
	next := d
	next.State, next.Reason, next.DueAt, next.UpdatedAt = Failed, errEndsProcess.Message, nil, s.now()
	s.log.Error("document given up, since the process ended whenever it was read", "document_id", d.ID, "attempts", d.Begun)
	return unlessTaken(s.update(ctx, d.State, next, true))
}

// takeBack takes back the count of an attempt that ended without a result. It does so for a
// server that stops, too.
func (s *Worker) takeBack(ctx context.Context, d Document) {
	if d.State == Removing || d.Begun == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countingTime)
	defer cancel()
	err := s.documents.SetBegun(ctx, d.WorkspaceID, d.ID, d.Begun, d.Begun-1)
	if err != nil && !fault.Is(err, fault.NotFound) {
		s.log.Log(ctx, fault.Level(err), "could not take back an attempt", "document_id", d.ID, "error", err)
	}
}

// unlessTaken is nil if somebody else has moved the document.
func unlessTaken(err error) error {
	if errors.Is(err, errTaken) {
		return nil
	}
	return err
}
