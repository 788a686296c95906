package knowledge

import (
	"context"
	"errors"
	"time"

	"parley/core/fault"
)

// mover moves documents from one state to the next.
type mover struct {
	documents  DocumentStore
	tx         Transactions
	subscriber Subscriber
	now        func() time.Time
}

// enter moves a document to a state.
func (s *mover) enter(ctx context.Context, d *Document, state State) error {
	next := *d
	next.State = state
	return s.move(ctx, d, next)
}

// ready moves a document to Ready.
func (s *mover) ready(ctx context.Context, d *Document, next Document) error {
	next.State, next.DueAt, next.Attempts, next.Begun, next.Reason = Ready, nil, 0, 0, ""
	return s.move(ctx, d, next)
}

// move stores what a document becomes. Until that is stored d stays what it
// was: a failure is written to the document as it is in the database.
func (s *mover) move(ctx context.Context, d *Document, next Document) error {
	next.UpdatedAt = s.now()
	if err := s.update(ctx, d.State, next, next.State == Ready && next.Live != d.Live); err != nil {
		return err
	}
	*d = next
	return nil
}

// update stores a document that was in a state, and tells the subscriber of it if that is
// to hear.
func (s *mover) update(ctx context.Context, from State, next Document, tell bool) error {
	if !tell || s.subscriber == nil {
		return taken(s.documents.UpdateDocument(ctx, next.WorkspaceID, from, next, false))
	}
	return s.tx.InTx(ctx, func(ctx context.Context) error {
		if err := taken(s.documents.UpdateDocument(ctx, next.WorkspaceID, from, next, false)); err != nil {
			return err
		}
		return s.subscriber.DocumentSettled(ctx, next)
	})
}

// taken turns the outcome of moving a document that is not in its state any
// more into errTaken.
func taken(err error) error {
	if fault.Is(err, fault.NotFound) {
		return errTaken
	}
	return err
}

// errTaken is that somebody else has moved the document in the meantime.
var errTaken = errors.New("the document has been moved")
