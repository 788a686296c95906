package knowledge

import (
	"context"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/system"
)

// Undo is the state and the live version that undoing a removal gives back to a document.
// Without a State nothing can be undone.
type Undo struct {
	State State
	Live  int
}

// UndoFor is how long at least a removal on a page can be undone.
const UndoFor = 10 * time.Second

// MostAtOnce is how many documents one request may remove, or have read again.
const MostAtOnce = 1000

// UndoStore is the port to removals that can be undone.
type UndoStore interface {
	// Withdraw moves the documents that are not being removed yet to Removing, adds
	// a receipt for each, and returns how many it moved. The documents keep what they
	// were until due, when they are to leave the index.
	Withdraw(ctx context.Context, workspaceID, chatbotID string, documentIDs []string, now, due time.Time) (int, error)
	// Withdrawn returns the documents of a chatbot that were withdrawn until a
	// time and kept what they were, without contents.
	Withdrawn(ctx context.Context, workspaceID, chatbotID string, until time.Time) ([]Document, error)
	// EndUndo takes from a removing document that is due what it was. It is
	// NotFound unless there is such a document.
	EndUndo(ctx context.Context, workspaceID, documentID string, dueBefore time.Time) error
	// UndoRemoval moves a removing document that kept what it was to the state of
	// d, and deletes its receipt. It is NotFound if it has kept nothing.
	UndoRemoval(ctx context.Context, workspaceID string, d Document) error
}

// Selections is what owners do with several documents at once on a page, and
// undo.
type Selections struct {
	documents *Documents
	sources   SourceStore
	undo      UndoStore
	system    system.Access
}

// Withdrawal is what one request took out of answers.
type Withdrawal struct {
	// Documents is how many there were.
	Documents int
	// Until is when they begin to leave the index. It names the withdrawal.
	Until time.Time
}

// Withdraw takes documents out of every answer at once. For [UndoFor]
// [Selections.Undo] brings them back; after that they leave the index and the
// database, as with Remove. Documents that have been removed before, or are not
// of this chatbot, are left out.
func (s *Selections) Withdraw(ctx context.Context, workspaceID, chatbotID string, documentIDs []string) (Withdrawal, error) {
	if err := checkSelection(documentIDs); err != nil {
		return Withdrawal{}, err
	}
	now := s.documents.now().Truncate(time.Microsecond) // as both databases keep it
	w := Withdrawal{Until: now.Add(UndoFor)}
	err := s.documents.workspaces.change(ctx, workspaceID, nil, func(ctx context.Context) (err error) {
		if _, err := s.documents.workspaces.chatbot(ctx, workspaceID, chatbotID); err != nil {
			return err
		}
		w.Documents, err = s.undo.Withdraw(ctx, workspaceID, chatbotID, documentIDs, now, w.Until)
		if err != nil || w.Documents == 0 {
			return err
		}
		return s.documents.removals.record(ctx, workspaceID, audit.DocumentRemoved, withdrawn(documentIDs), chatbotID)
	})
	return w, err
}

func checkSelection(documentIDs []string) error {
	switch n := len(documentIDs); {
	case n == 0:
		return fault.New(fault.Invalid, "Select a document first.")
	case n > MostAtOnce:
		return fault.New(fault.Invalid, "You selected %d documents. Select at most %d at a time.", n, MostAtOnce)
	}
	return nil
}

// withdrawn is what the audit log says was removed.
func withdrawn(documentIDs []string) audit.Object {
	if len(documentIDs) == 1 {
		return audit.Object{Kind: "document", ID: documentIDs[0]}
	}
	return audit.Object{Kind: "documents", ID: documentIDs[0]}
}

var errTooLate = fault.New(fault.Conflict, "It is too late to undo this. Add the document again.")

// Withdrawn returns the documents of a withdrawal that can still be brought
// back, without contents.
func (s *Selections) Withdrawn(ctx context.Context, workspaceID, chatbotID string, until time.Time) ([]Document, error) {
	return s.undo.Withdrawn(ctx, workspaceID, chatbotID, until)
}

// Undo makes the documents of a withdrawal what they were before, and returns how
// many there are. Work on them that was cut off begins again. It is a Conflict
// fault if none can be brought back.
func (s *Selections) Undo(ctx context.Context, workspaceID, chatbotID string, until time.Time) (restored int, err error) {
	err = s.documents.workspaces.change(ctx, workspaceID, AllWork(), func(ctx context.Context) error {
		all, err := s.undo.Withdrawn(ctx, workspaceID, chatbotID, until)
		if err != nil {
			return err
		}
		refusal := errTooLate
		for _, d := range all {
			err := s.restore(ctx, d)
			if fault.Is(err, fault.Conflict) {
				refusal = fault.As(err)
				continue
			}
			if err != nil {
				return err
			}
			restored++
		}
		if restored == 0 {
			return refusal
		}
		return s.documents.removals.record(ctx, workspaceID, audit.DocumentRestored, withdrawn(idsOf(all)), chatbotID)
	})
	return restored, err
}

func idsOf(documents []Document) []string {
	ids := make([]string, len(documents))
	for i, d := range documents {
		ids[i] = d.ID
	}
	return ids
}

// restore makes a document what it was. It is a Conflict if that is not possible,
// as when it has begun to leave the index just now.
func (s *Selections) restore(ctx context.Context, d Document) error {
	if err := s.mayReturn(ctx, d); err != nil {
		return err
	}
	now := s.documents.now()
	d.State, d.Live, d.DueAt, d.UpdatedAt = d.Undo.State, d.Undo.Live, nil, now
	switch d.State {
	case Ready, Failed:
	case Indexing: // whoever indexed it has taken it out again
		d.Version, d.ContentHash, d.DueAt = d.Version+1, "", &now
	default:
		d.State, d.DueAt = Pending, &now
	}
	d.Undo = Undo{}
	err := s.undo.UndoRemoval(ctx, d.WorkspaceID, d)
	if fault.Is(err, fault.NotFound) {
		return errTooLate
	}
	return err
}

// mayReturn refuses a document whose address has been removed too, or that has
// been added again.
func (s *Selections) mayReturn(ctx context.Context, d Document) error {
	if d.SourceID != "" {
		source, err := s.sources.Source(ctx, d.WorkspaceID, d.ChatbotID, d.SourceID)
		if fault.Is(err, fault.NotFound) || err == nil && source.State == SourceRemoving {
			return fault.New(fault.Conflict, "The address that this page came from has been removed.")
		}
		return err
	}
	_, err := s.documents.documents.DocumentByInput(ctx, d.WorkspaceID, d.ChatbotID, d.InputHash)
	switch {
	case err == nil:
		return fault.New(fault.Conflict, "This document has been added again meanwhile.")
	case fault.Is(err, fault.NotFound):
		return nil
	}
	return err
}

// endUndo takes from a document the way back, before it leaves the index.
func (s *Removals) endUndo(ctx context.Context, d Document, dueBefore time.Time) error {
	return s.workspaces.InTx(ctx, func(ctx context.Context) error {
		if err := taken(s.undo.EndUndo(ctx, d.WorkspaceID, d.ID, dueBefore)); err != nil {
			return err
		}
		return s.deleteFiles(ctx, d.WorkspaceID, d.ID)
	})
}
