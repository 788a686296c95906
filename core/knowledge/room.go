package knowledge

import (
	"context"
	"errors"
	"time"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

// What is kept beside documents, and for how long: each workspace's share of the
// disk has a bound.
const (
	// uploadsKept is how long the file of a document that failed waits for its
	// owner to choose Retry.
	uploadsKept = 7 * 24 * time.Hour
	// embeddingsKept is how long vectors wait for a text to come again. A
	// workspace has at most embeddingsFloor of them, or embeddingsTimes as many
	// as passages.
	embeddingsKept  = 90 * 24 * time.Hour
	embeddingsFloor = 2_000
	embeddingsTimes = 4
	// removalsKept is how many receipts of removed documents a workspace has.
	removalsKept = 10_000
)

var errNoFile = fault.New(fault.Conflict, "This document's file is no longer stored: files are deleted when a document is cancelled, or 7 days after it failed. Add the file again.")

// DeleteExpired deletes, in every workspace, what was kept for a while only.
func (s *Service) DeleteExpired(ctx context.Context) error {
	now := s.now()
	return errors.Join(
		s.store.DeleteFailedUploads(ctx, now.Add(-uploadsKept)),
		s.store.DeleteEmbeddings(ctx, now.Add(-embeddingsKept)),
		s.store.TrimEmbeddings(ctx, embeddingsFloor, embeddingsTimes),
		s.store.TrimRemovals(ctx, removalsKept),
	)
}

func sizeOf(file *Upload) int {
	if file == nil {
		return 0
	}
	return len(file.Body)
}

// lacksFile reports whether a document has neither a text nor an address nor a
// file that it could be read from.
func (s *Service) lacksFile(ctx context.Context, d Document) (bool, error) {
	if d.URL != "" || d.Content != "" {
		return false, nil
	}
	size, err := s.store.UploadSize(ctx, d.WorkspaceID, d.ID)
	return size == 0, err
}

// giveAgain gives a file to the equal document that is there, if its own has
// been deleted, and has it read.
func (s *Service) giveAgain(ctx context.Context, workspace tenant.Workspace, known Document, file *Upload) (Document, error) {
	if file == nil || known.State != Failed {
		return known, nil
	}
	lost, err := s.lacksFile(ctx, known)
	if err != nil || !lost {
		return known, err
	}
	if err := s.admit(ctx, workspace, 0, len(file.Body)); err != nil {
		return known, err
	}
	if err := s.store.CreateUpload(ctx, known.WorkspaceID, known.ID, *file); err != nil {
		return known, err
	}
	now := s.now()
	next := known
	next.State, next.Reason, next.Attempts, next.DueAt, next.UpdatedAt = Pending, "", 0, &now, now
	if err := s.store.UpdateDocument(ctx, known.WorkspaceID, known.State, next, false); err != nil {
		return known, err
	}
	return next, s.queue.Enqueue(ctx, known.WorkspaceID, ExtractWork)
}

// roomForPages is for how many more documents a workspace has room, up to those
// that are wanted. The caller holds the workspace's lock.
func (s *Service) roomForPages(ctx context.Context, workspaceID string, wanted int) (room int, err error) {
	p, err := s.planOf(ctx, workspaceID)
	if err != nil {
		return 0, err
	}
	if p.Limits.StoredBytes == plan.Unlimited {
		return wanted, nil
	}
	stored, err := s.store.StoredBytes(ctx, workspaceID)
	if err != nil {
		return 0, err
	}
	return min(max(p.Limits.StoredBytes-stored, 0)/DocumentBytes, wanted), nil
}
