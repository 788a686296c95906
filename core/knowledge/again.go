package knowledge

import (
	"context"
	"errors"

	"parley/core/audit"
	"parley/core/fault"
)

// Reading is what became of a request to read documents again.
type Reading struct {
	// Started are read again. Skipped are being read or removed already, Lost
	// have no file any more that they could be read from, and Unknown are not of
	// this chatbot.
	Started, Skipped, Lost, Unknown int
}

// ReadAgain has documents read again: pages are fetched, and what failed is
// tried again, and what an older reader has read of a kept file is read again. Another text that is ready is split and indexed again. Each
// document is changed in a transaction of its own, so that others of the
// workspace do not wait for a thousand of them.
func (s *Selections) ReadAgain(ctx context.Context, workspaceID, chatbotID string, documentIDs []string) (Reading, error) {
	var reading Reading
	if err := checkSelection(documentIDs); err != nil {
		return reading, err
	}
	if err := s.documents.workspaces.writable(ctx, workspaceID, chatbotID); err != nil {
		return reading, err
	}
	for _, documentID := range documentIDs {
		err := s.documents.alter(ctx, workspaceID, chatbotID, documentID, func(d *Document) error { return s.makeDue(ctx, d) })
		switch {
		case err == nil:
			reading.Started++
		case errors.Is(err, errNoFile):
			reading.Lost++
		case fault.Is(err, fault.Conflict):
			reading.Skipped++
		case fault.Is(err, fault.NotFound):
			reading.Unknown++
		default:
			return reading, err
		}
	}
	if reading.Started == 0 {
		return reading, nil
	}
	return reading, s.documents.workspaces.change(ctx, workspaceID, AllWork(), func(ctx context.Context) error {
		return s.documents.removals.record(ctx, workspaceID, audit.DocumentReadAgain, withdrawn(documentIDs), chatbotID)
	})
}

// makeDue makes a document due that is settled, or waits for another attempt.
func (s *Selections) makeDue(ctx context.Context, d *Document) error {
	if d.State == Removing || !d.State.Settled() && d.Attempts == 0 {
		return fault.New(fault.Conflict, "This document is being read or removed.")
	}
	lost, err := s.documents.lacksFile(ctx, *d)
	if err != nil {
		return err
	}
	if lost {
		return errNoFile
	}
	now := s.documents.now()
	switch {
	case d.State == Ready && d.URL == "" && (d.Original != OriginalKept || !d.readByOlder()):
		d.State, d.ContentHash = Indexing, ""
	case d.State.Settled():
		d.State = Pending
	}
	d.Attempts, d.Begun, d.Reason, d.DueAt, d.UpdatedAt = 0, 0, "", &now, now
	return nil
}
