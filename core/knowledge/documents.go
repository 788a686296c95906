package knowledge

import (
	"context"
	"errors"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/retrieval"
)

// Get returns a document with its content.
func (s *Documents) Get(ctx context.Context, workspaceID, chatbotID, documentID string) (Document, error) {
	return s.documents.Document(ctx, workspaceID, chatbotID, documentID)
}

// List returns a chatbot's documents without their contents, oldest first.
func (s *Documents) List(ctx context.Context, workspaceID, chatbotID string) ([]Document, error) {
	if _, err := s.workspaces.chatbot(ctx, workspaceID, chatbotID); err != nil {
		return nil, err
	}
	return s.documents.Documents(ctx, workspaceID, chatbotID)
}

// Titles returns the titles of a chatbot's documents, except documents that are being
// removed. It implements [retrieval.Titles].
func (s *Documents) Titles(ctx context.Context, workspaceID, chatbotID string) ([]retrieval.Titled, error) {
	documents, err := s.List(ctx, workspaceID, chatbotID)
	if err != nil {
		return nil, err
	}
	var titles []retrieval.Titled
	for _, d := range documents {
		if d.State != Removing {
			titles = append(titles, retrieval.Titled{DocumentID: d.ID, Title: d.Title})
		}
	}
	return titles, nil
}

// Retry has a document that failed, or waits for another try, worked on now.
func (s *Documents) Retry(ctx context.Context, workspaceID, chatbotID, documentID string) error {
	return s.workspaces.change(ctx, workspaceID, AllWork(), func(ctx context.Context) error {
		if err := s.workspaces.writable(ctx, workspaceID, chatbotID); err != nil {
			return err
		}
		return s.alterRecorded(ctx, workspaceID, chatbotID, documentID, func(d *Document) error {
			if d.State == Ready || d.State == Removing {
				return fault.New(fault.Conflict, "This document has not failed: there is nothing to retry.")
			}
			lost, err := s.lacksFile(ctx, *d)
			if err != nil {
				return err
			}
			if lost {
				return errNoFile
			}
			now := s.now()
			if d.State == Failed {
				d.State = Pending
			}
			d.Attempts, d.Begun, d.Reason, d.DueAt, d.UpdatedAt = 0, 0, "", &now, now
			return nil
		}, audit.DocumentReadAgain)
	})
}

// Cancel ends the work on a document. What it was before is still answered
// from.
func (s *Documents) Cancel(ctx context.Context, workspaceID, chatbotID, documentID string) error {
	return s.workspaces.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.workspaces.lock(ctx, workspaceID); err != nil {
			return err
		}
		return s.alterRecorded(ctx, workspaceID, chatbotID, documentID, func(d *Document) error {
			if d.State.Settled() || d.State == Removing {
				return fault.New(fault.Conflict, "This document is not being worked on: there is nothing to cancel.")
			}
			d.State, d.Reason, d.DueAt, d.Attempts, d.UpdatedAt = Failed, "Canceled. Choose Retry to read it after all.", nil, 0, s.now()
			if d.URL != "" || d.Content != "" {
				return nil
			}
			d.Reason = "Canceled. Its file was deleted: to have it read after all, add it again."
			return s.uploads.DeleteUpload(ctx, workspaceID, documentID)
		}, audit.DocumentCanceled)
	})
}

// alterRecorded is alter, and records it.
func (s *Documents) alterRecorded(ctx context.Context, workspaceID, chatbotID, documentID string, change func(*Document) error, action audit.Action) error {
	if err := s.alter(ctx, workspaceID, chatbotID, documentID, change); err != nil {
		return err
	}
	return s.removals.record(ctx, workspaceID, action, audit.Object{Kind: "document", ID: documentID}, chatbotID)
}

// alter changes a document as it is now. A worker may move it between
// the read and the change: then alter re-reads it.
func (s *Documents) alter(ctx context.Context, workspaceID, chatbotID, documentID string, change func(*Document) error) error {
	for range 5 {
		d, err := s.documents.Document(ctx, workspaceID, chatbotID, documentID)
		if err != nil {
			return err
		}
		from := d.State
		if err := change(&d); err != nil {
			return err
		}
		if err := taken(s.documents.UpdateDocument(ctx, workspaceID, from, d, false)); !errors.Is(err, errTaken) {
			return err
		}
	}
	return errBusy
}

// Reindex splits and indexes every document of a chatbot again, and returns
// how many there were. The text comes from the database.
func (s *Documents) Reindex(ctx context.Context, workspaceID, chatbotID string) (int, error) {
	if err := s.MarkReindex(ctx, workspaceID, chatbotID); err != nil {
		return 0, err
	}
	documents, err := s.List(ctx, workspaceID, chatbotID)
	if err != nil {
		return 0, err
	}
	for _, listed := range documents {
		if listed.State != Indexing {
			continue
		}
		document, err := s.documents.Document(ctx, workspaceID, chatbotID, listed.ID)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err == nil {
			_, err = s.worker.advance(ctx, document, s.worker.process)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(documents), nil
}

// MarkReindex has every document of a chatbot split and indexed again soon.
func (s *Documents) MarkReindex(ctx context.Context, workspaceID, chatbotID string) error {
	return s.workspaces.change(ctx, workspaceID, []string{IndexWork}, func(ctx context.Context) error {
		if _, err := s.workspaces.chatbot(ctx, workspaceID, chatbotID); err != nil {
			return err
		}
		if err := s.documents.MarkReindex(ctx, workspaceID, chatbotID, s.now()); err != nil {
			return err
		}
		return s.removals.record(ctx, workspaceID, audit.KnowledgeReindexed, audit.Object{Kind: "chatbot", ID: chatbotID}, chatbotID)
	})
}

// Remove takes a document out of every answer at once, and then out of the
// index and the database. If the index fails the document stays Removing, and
// is tried again until the index confirms that no passage is left.
func (s *Documents) Remove(ctx context.Context, workspaceID, chatbotID, documentID string) error {
	var document Document
	err := s.workspaces.change(ctx, workspaceID, []string{IndexWork}, func(ctx context.Context) (err error) {
		if document, err = s.documents.Document(ctx, workspaceID, chatbotID, documentID); err != nil {
			return err
		}
		if document.State == Removing {
			if document.Undo.State == "" {
				return nil
			}
			undo := document.Undo
			document.Undo = Undo{}
			return s.removals.endUndo(ctx, Document{WorkspaceID: workspaceID, ID: documentID, Undo: undo}, *document.DueAt)
		}
		if err := s.removals.mark(ctx, document); err != nil {
			return err
		}
		return s.removals.record(ctx, workspaceID, audit.DocumentRemoved, audit.Object{Kind: "document", ID: documentID}, chatbotID)
	})
	if err != nil {
		return err
	}
	if document.State == Indexing { // the worker that indexes it takes it out again
		return nil
	}
	if err := s.removals.finish(ctx, document); err != nil && !errors.Is(err, errTaken) {
		s.log.Log(ctx, fault.Level(err), "document not removed yet", "document_id", documentID, "error", err)
	}
	return nil
}

// lacksFile reports whether a document has neither a text nor an address nor a
// file that it could be read from.
func (s *Documents) lacksFile(ctx context.Context, d Document) (bool, error) {
	if d.URL != "" || d.Content != "" {
		return false, nil
	}
	size, err := s.uploads.UploadSize(ctx, d.WorkspaceID, d.ID)
	return size == 0, err
}

var errNoFile = fault.New(fault.Conflict, "This document's file is no longer stored: files are deleted when a document is canceled, or 7 days after it failed. Add the file again.")
