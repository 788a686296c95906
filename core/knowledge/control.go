package knowledge

import (
	"context"
	"errors"

	"parley/core/fault"
)

// Retry has a document that failed, or waits for another try, worked on now.
func (s *Service) Retry(ctx context.Context, workspaceID, chatbotID, documentID string) error {
	return s.inWorkspace(ctx, workspaceID, AllWork(), func(ctx context.Context) error {
		if err := s.writable(ctx, workspaceID, chatbotID); err != nil {
			return err
		}
		return s.alter(ctx, workspaceID, chatbotID, documentID, func(d *Document) error {
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
			d.Attempts, d.Reason, d.DueAt, d.UpdatedAt = 0, "", &now, now
			return nil
		})
	})
}

// Cancel ends the work on a document. What it was before is still answered
// from.
func (s *Service) Cancel(ctx context.Context, workspaceID, chatbotID, documentID string) error {
	return s.store.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.store.LockWorkspace(ctx, workspaceID); err != nil {
			return err
		}
		return s.alter(ctx, workspaceID, chatbotID, documentID, func(d *Document) error {
			if d.State.Settled() || d.State == Removing {
				return fault.New(fault.Conflict, "This document is not being worked on: there is nothing to cancel.")
			}
			d.State, d.Reason, d.DueAt, d.Attempts, d.UpdatedAt = Failed, "Cancelled. Choose Retry to read it after all.", nil, 0, s.now()
			if d.URL != "" || d.Content != "" {
				return nil
			}
			d.Reason = "Cancelled. Its file was deleted: to have it read after all, add it again."
			return s.store.DeleteUpload(ctx, workspaceID, documentID)
		})
	})
}

// alter changes a document as it is now. Who works on it may move it between
// the look and the change: then it is looked at again.
func (s *Service) alter(ctx context.Context, workspaceID, chatbotID, documentID string, change func(*Document) error) error {
	for range 5 {
		d, err := s.store.Document(ctx, workspaceID, chatbotID, documentID)
		if err != nil {
			return err
		}
		from := d.State
		if err := change(&d); err != nil {
			return err
		}
		if err := taken(s.store.UpdateDocument(ctx, workspaceID, from, d, false)); !errors.Is(err, errTaken) {
			return err
		}
	}
	return fault.New(fault.Conflict, "This document is being worked on just now. Try again.")
}

// Reindex splits and indexes every document of a chatbot again, and returns
// how many there were. The text comes from the database.
func (s *Service) Reindex(ctx context.Context, workspaceID, chatbotID string) (int, error) {
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
		document, err := s.store.Document(ctx, workspaceID, chatbotID, listed.ID)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err == nil {
			_, err = s.advance(ctx, document, s.process)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(documents), nil
}

// MarkReindex has every document of a chatbot split and indexed again soon.
func (s *Service) MarkReindex(ctx context.Context, workspaceID, chatbotID string) error {
	return s.inWorkspace(ctx, workspaceID, []string{IndexWork}, func(ctx context.Context) error {
		if _, err := s.chatbot(ctx, workspaceID, chatbotID); err != nil {
			return err
		}
		return s.store.MarkReindex(ctx, workspaceID, chatbotID, s.now())
	})
}
