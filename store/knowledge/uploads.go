package knowledge

import (
	"context"
	"time"

	"parley/core/knowledge"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/upload"
	"parley/ent/scope"
	"parley/store"
)

// Uploads keeps the files of documents until their text is extracted.
type Uploads struct{ store *store.Store }

// NewUploads returns the uploads of a database.
func NewUploads(db *store.Store) *Uploads { return &Uploads{db} }

const uploadSize = `SELECT COALESCE(SUM(octet_length(body)), 0) FROM uploads WHERE workspace_id = $1 AND document_id = $2`

// UploadSize is the length of a document's file in bytes, or zero.
func (s *Uploads) UploadSize(ctx context.Context, workspaceID, documentID string) (n int, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&n}, uploadSize, workspaceID, documentID)
	return n, store.MapError(err)
}

// DeleteFailedUploads deletes the files of documents of every workspace that
// failed before a time.
func (s *Uploads) DeleteFailedUploads(ctx context.Context, access system.Access, failedBefore time.Time) error {
	return s.store.Expire(scope.System(ctx, access), "uploads", "document_id IN (SELECT id FROM documents WHERE state = 'failed' AND updated_at < $1)", failedBefore)
}

// CreateUpload keeps the file of a document until its text is extracted.
func (s *Uploads) CreateUpload(ctx context.Context, workspaceID, documentID string, u knowledge.Upload) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Upload.Create().SetWorkspaceID(workspaceID).SetDocumentID(documentID).
			SetName(u.Name).SetContentType(u.ContentType).SetBody(u.Body).SetBytes(len(u.Body)).Exec(ctx)
	})
}

// Upload returns the file of a document.
func (s *Uploads) Upload(ctx context.Context, workspaceID, documentID string) (knowledge.Upload, error) {
	row, err := s.store.Client(ctx).Upload.Query().Where(upload.DocumentID(documentID)).First(scope.Workspace(ctx, workspaceID))
	return store.One(row, err, func(row *ent.Upload) knowledge.Upload {
		return knowledge.Upload{Name: row.Name, ContentType: row.ContentType, Body: row.Body}
	})
}

// DeleteUpload removes the file of a document, if it is there.
func (s *Uploads) DeleteUpload(ctx context.Context, workspaceID, documentID string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		_, err := db.Upload.Delete().Where(upload.DocumentID(documentID)).Exec(ctx)
		return err
	})
}
