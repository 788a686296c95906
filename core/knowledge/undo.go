package knowledge

import (
	"context"
	"time"

	"parley/core/audit"
	"parley/core/fault"
)

// Undo is what the removal of a document can be undone to: the state that it
// was in, and the version that was answered from. Where State is empty nothing
// can be undone.
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
	// Withdraw moves those of the documents that are not being removed to
	// Removing, with a receipt for each, and returns how many there were. Until
	// due, when they are to leave the index, they keep what they were.
	Withdraw(ctx context.Context, workspaceID, chatbotID string, documentIDs []string, now, due time.Time) (int, error)
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
}

// Withdraw takes documents out of every answer at once. For [UndoFor]
// [Selections.Undo] brings each of them back; after that they leave the index
// and the database, as with Remove. It returns how many there were: others have
// been removed before, or are not of this chatbot.
func (s *Selections) Withdraw(ctx context.Context, workspaceID, chatbotID string, documentIDs []string) (removed int, err error) {
	if len(documentIDs) > MostAtOnce {
		return 0, fault.New(fault.Invalid, "Choose at most %d documents at a time.", MostAtOnce)
	}
	err = s.documents.workspaces.change(ctx, workspaceID, nil, func(ctx context.Context) error {
		if _, err := s.documents.workspaces.chatbot(ctx, workspaceID, chatbotID); err != nil {
			return err
		}
		now := s.documents.now()
		removed, err = s.undo.Withdraw(ctx, workspaceID, chatbotID, documentIDs, now, now.Add(UndoFor))
		if err != nil || removed == 0 {
			return err
		}
		return s.documents.removals.record(ctx, workspaceID, audit.DocumentRemoved, withdrawn(documentIDs), chatbotID)
	})
	return removed, err
}

// withdrawn is what the audit log says was removed.
func withdrawn(documentIDs []string) audit.Object {
	if len(documentIDs) == 1 {
		return audit.Object{Kind: "document", ID: documentIDs[0]}
	}
	return audit.Object{Kind: "documents", ID: documentIDs[0]}
}

var errTooLate = fault.New(fault.Conflict, "It is too late to undo this. Add the document again.")

// Undo makes a document that was withdrawn what it was before, if it has not
// begun to leave the index. Work on it that was cut off begins again.
func (s *Selections) Undo(ctx context.Context, workspaceID, chatbotID, documentID string) (Document, error) {
	var d Document
	err := s.documents.workspaces.change(ctx, workspaceID, AllWork(), func(ctx context.Context) (err error) {
		if d, err = s.documents.Get(ctx, workspaceID, chatbotID, documentID); err != nil {
			return err
		}
		if d.Undo.State == "" {
			return errTooLate
		}
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
		err = s.undo.UndoRemoval(ctx, workspaceID, d)
		if fault.Is(err, fault.NotFound) { // it began to leave just now
			return errTooLate
		}
		if err != nil {
			return err
		}
		return s.documents.removals.record(ctx, workspaceID, audit.DocumentRestored, audit.Object{Kind: "document", ID: documentID}, chatbotID)
	})
	return d, err
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
		return s.uploads.DeleteUpload(ctx, d.WorkspaceID, d.ID)
	})
}
