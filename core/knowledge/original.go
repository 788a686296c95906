package knowledge

import (
	"context"
	"errors"
	"io"

	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/system"
)

// OriginalState says whether the file of a document is kept as it was uploaded.
type OriginalState string

// The states of originals. Empty is a document without a file, or whose file is not to be kept.
const (
	// OriginalKept is a file that can be downloaded, and read again.
	OriginalKept OriginalState = "kept"
	// OriginalTooLarge is a file for which the plan's storage had no room.
	OriginalTooLarge OriginalState = "no_room"
)

// Original is a file as it was uploaded, without its bytes.
type Original struct {
	Name, ContentType string
	Bytes             int
	// InputHash is the document's from when it was uploaded.
	InputHash string
}

// OriginalPart is a piece of the bytes of an original.
type OriginalPart struct {
	// ID is higher than those of the parts before.
	ID   int64
	Body []byte
}

// OriginalPartBytes is how long a part of an original is at most.
const OriginalPartBytes = 256 << 10

// OriginalStore is the port to the files as they were uploaded. What is not there is a NotFound fault.
type OriginalStore interface {
	// KeepOriginal stores the file of a document in place of the one before, in parts.
	KeepOriginal(ctx context.Context, workspaceID, documentID, inputHash string, upload Upload) error
	Original(ctx context.Context, workspaceID, documentID string) (Original, error)
	// OriginalPart returns the first part whose ID is higher than after.
	OriginalPart(ctx context.Context, workspaceID, documentID string, after int64) (OriginalPart, error)
	DeleteOriginal(ctx context.Context, workspaceID, documentID string) error
	// OutdatedOriginals returns some documents of any workspace that are ready, whose file is kept, and
	// that an older reader has read.
	OutdatedOriginals(ctx context.Context, access system.Access, limit int) ([]Document, error)
}

// originals reads and keeps files as they were uploaded.
type originals struct{ store OriginalStore }

// outdated reads the file of a document that an older reader has read. It is NotFound for another
// document, and if the file is not kept or is of a version before.
func (s originals) outdated(ctx context.Context, d Document) (Upload, error) {
	if d.Original != OriginalKept || !d.readByOlder() {
		return Upload{}, errNoOriginal
	}
	original, err := s.current(ctx, d)
	if err != nil {
		return Upload{}, err
	}
	body, err := io.ReadAll(io.LimitReader(s.reader(ctx, d), int64(original.Bytes)))
	if err == nil && len(body) < original.Bytes {
		err = errNoOriginal // it has been removed meanwhile
	}
	return Upload{Name: original.Name, ContentType: original.ContentType, Body: body}, err
}

// current describes the file of a document. A server of the release before may have replaced the
// document and left the file of the version before: that one is none.
func (s originals) current(ctx context.Context, d Document) (Original, error) {
	original, err := s.store.Original(ctx, d.WorkspaceID, d.ID)
	if err == nil && original.InputHash != d.InputHash {
		err = errNoOriginal
	}
	return original, err
}

func (s originals) reader(ctx context.Context, d Document) io.Reader {
	return &originalReader{ctx: ctx, store: s.store, workspaceID: d.WorkspaceID, documentID: d.ID}
}

// originalReader reads an original part by part, so that no more than one is in memory.
type originalReader struct {
	ctx                     context.Context
	store                   OriginalStore
	workspaceID, documentID string
	part                    OriginalPart
	left                    []byte
}

// Read implements [io.Reader].
func (r *originalReader) Read(into []byte) (int, error) {
	for len(r.left) == 0 {
		part, err := r.store.OriginalPart(r.ctx, r.workspaceID, r.documentID, r.part.ID)
		if fault.Is(err, fault.NotFound) {
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		r.part, r.left = part, part.Body
	}
	n := copy(into, r.left)
	r.left = r.left[n:]
	return n, nil
}

var errNoOriginal = fault.New(fault.NotFound, "This document's original is not kept.")

// Original describes the file of a document as it was uploaded, and reads it. It is NotFound if that is
// not kept. What it returns may be read after ctx has ended.
func (s *Documents) Original(ctx context.Context, workspaceID, chatbotID, documentID string) (Original, io.Reader, error) {
	d, err := s.documents.Document(ctx, workspaceID, chatbotID, documentID)
	if err != nil {
		return Original{}, nil, err
	}
	if d.Original != OriginalKept || d.State == Removing {
		return Original{}, nil, errNoOriginal
	}
	original, err := s.originals.current(ctx, d)
	if err != nil {
		return Original{}, nil, err
	}
	return original, io.LimitReader(s.originals.reader(context.WithoutCancel(ctx), d), int64(original.Bytes)), nil
}

// settleFile decides, in the transaction that stores what was read of a file, whether the file is kept,
// and deletes the upload. More is how many bytes the document needs beside the file. Where the plan's
// storage has no room for the file, the document says so.
func (s *reader) settleFile(ctx context.Context, bot chatbot.Chatbot, next *Document, upload *Upload, admit func(bytes int) error, more int) error {
	if upload == nil {
		return admit(more)
	}
	next.Original = ""
	if !bot.DiscardFiles {
		next.Original = OriginalKept
		err := admit(more + len(upload.Body))
		if fault.Is(err, fault.Forbidden) {
			next.Original = OriginalTooLarge
		} else if err != nil {
			return err
		}
	}
	if next.Original != OriginalKept {
		if err := admit(more); err != nil {
			return err
		}
		return s.uploads.DeleteUpload(ctx, next.WorkspaceID, next.ID)
	}
	return errors.Join(
		s.originals.store.KeepOriginal(ctx, next.WorkspaceID, next.ID, next.InputHash, *upload),
		s.uploads.DeleteUpload(ctx, next.WorkspaceID, next.ID))
}

// outdatedAtOnce is how many files are read again at a time after an upgrade.
const outdatedAtOnce = 20

// RereadOutdated has some of the files read again that are kept and that an older reader has read. One
// that cannot be read any more fails, answers go on using what was read before, and it is not tried
// again by itself.
func (s *Selections) RereadOutdated(ctx context.Context) error {
	found, err := s.documents.originals.store.OutdatedOriginals(ctx, s.system, outdatedAtOnce)
	if err != nil {
		return err
	}
	var failures []error
	for _, d := range found {
		err := s.documents.workspaces.change(audit.In(ctx, d.WorkspaceID), d.WorkspaceID, []string{ExtractWork}, func(ctx context.Context) error {
			return s.documents.alter(ctx, d.WorkspaceID, d.ChatbotID, d.ID, func(d *Document) error {
				if d.State != Ready || !d.ReaderOutdated() {
					return errSettled
				}
				return s.makeDue(ctx, d)
			})
		})
		if !errors.Is(err, errSettled) && !fault.Is(err, fault.NotFound) {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// errSettled is that a document needs no reading any more.
var errSettled = errors.New("the document has been read meanwhile")
