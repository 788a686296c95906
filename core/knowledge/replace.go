package knowledge

import (
	"context"
	"errors"
	"time"

	"parley/core/fault"
	"parley/core/tenant"
)

var (
	errOtherKind = (&fault.Error{
		Kind: fault.Conflict, Field: "external_id",
		Message: "One of the two is a web address, and the other is a text or a file. Remove the document with this external_id first, or choose another.",
	}).Named(fault.KindDiffers)
	errBusy = fault.New(fault.Conflict, "This document is being worked on just now. Try again.")
)

// replace gives the document with an external ID the content of another. It does
// nothing if the content is the same, unless the document failed: then it is read
// again. It is NotFound if no document has the external ID.
//
// Answers use the version before until the new one is ready. Its passages stay until
// then; the text does not, so that a document has one text, the last one.
func (s *Documents) replace(ctx context.Context, workspace tenant.Workspace, document Document, file *Upload) (putResult, error) {
	for range 5 { // a worker may move it between the read and the change
		known, err := s.documents.DocumentByExternalID(ctx, document.WorkspaceID, document.ChatbotID, document.ExternalID)
		if err != nil {
			return putResult{}, err
		}
		var stored putResult
		switch {
		case known.SourceID != "":
			return putResult{}, errOtherKind
		case known.InputHash != document.InputHash:
			stored, err = s.rewrite(ctx, workspace, known, document, file)
		case known.State == Failed:
			stored, err = s.readAgain(ctx, workspace, known, file)
		default:
			return putResult{Document: known, result: Unchanged}, nil
		}
		if !errors.Is(err, errTaken) {
			return stored, err
		}
	}
	return putResult{}, errBusy
}

// rewrite stores a document's next version.
func (s *Documents) rewrite(ctx context.Context, workspace tenant.Workspace, known, document Document, file *Upload) (putResult, error) {
	next := known
	next.Title, next.Kind, next.InputHash = document.Title, document.Kind, document.InputHash
	next.Content, next.Places, next.Notes, next.ContentHash, next.Version = document.Content, nil, nil, "", known.Version+1
	if file == nil {
		next.ReaderVersion = 0
	}
	next.Original = ""
	next.State, next.Reason, next.Attempts, next.Begun, next.DueAt, next.UpdatedAt = Pending, "", 0, document.Begun, document.DueAt, document.UpdatedAt
	if file == nil { // else the characters of the live version count until the file is read
		next.Chars = document.Chars
	}
	busy := inProgress(known, document.UpdatedAt)
	if busy {
		later := document.UpdatedAt.Add(whileWaited)
		next.DueAt, next.Begun = &later, 1 // of the worker that goes on with it
	}
	held, err := s.uploads.UploadSize(ctx, known.WorkspaceID, known.ID)
	if err != nil {
		return putResult{}, err
	}
	original, err := s.originals.store.Original(ctx, known.WorkspaceID, known.ID)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return putResult{}, err
	}
	bytes := len(next.Content) + sizeOf(file) - len(known.Content) - held - original.Bytes
	if err := s.workspaces.admit(ctx, workspace, next.Chars-known.Chars, bytes); err != nil {
		return putResult{}, err
	}
	if err := taken(s.documents.UpdateDocument(ctx, known.WorkspaceID, known.State, next, true)); err != nil {
		return putResult{}, err
	}
	if err := s.removals.deleteFiles(ctx, known.WorkspaceID, known.ID); err != nil {
		return putResult{}, err
	}
	return putResult{next, Replaced, !busy}, s.begin(ctx, next, file)
}

// readAgain has a failed document read again. One whose file has been deleted gets the
// given file.
func (s *Documents) readAgain(ctx context.Context, workspace tenant.Workspace, known Document, file *Upload) (putResult, error) {
	lost, err := s.lacksFile(ctx, known)
	if err != nil {
		return putResult{}, err
	}
	if !lost {
		file = nil
	} else if err := s.workspaces.admit(ctx, workspace, 0, sizeOf(file)); err != nil {
		return putResult{}, err
	}
	now := s.now()
	next := known
	next.State, next.Reason, next.Attempts, next.Begun, next.DueAt, next.UpdatedAt = Pending, "", 0, 0, &now, now
	if err := taken(s.documents.UpdateDocument(ctx, known.WorkspaceID, known.State, next, false)); err != nil {
		return putResult{}, err
	}
	return putResult{Document: next, result: ReadAgain}, s.begin(ctx, next, file)
}

// inProgress reports whether a worker may be working on the text or file just now. That worker
// goes on with the replacement, so that no two put one document into the index at a time.
func inProgress(d Document, now time.Time) bool {
	switch d.State {
	case Extracting, Indexing:
		return true
	case Pending:
		return d.Attempts == 0 && d.DueAt != nil && d.DueAt.After(now)
	}
	return false
}
