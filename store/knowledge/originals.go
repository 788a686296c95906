package knowledge

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/system"
	"parley/ent/scope"
	"parley/store"
)

// Originals keeps the files of documents as they were uploaded, in parts, so that no file is in memory
// as a whole.
type Originals struct{ store *store.Store }

// NewOriginals returns the originals of a database.
func NewOriginals(db *store.Store) *Originals { return &Originals{db} }

const (
	// The parts of a document are in the order of their ids.
	original = `SELECT MAX(name), MAX(content_type), MAX(input_hash), CAST(COALESCE(SUM(bytes), 0) AS bigint), COUNT(*)
	FROM originals WHERE workspace_id = $1 AND document_id = $2`
	originalPart   = `SELECT id, body FROM originals WHERE workspace_id = $1 AND document_id = $2 AND id > $3 ORDER BY id LIMIT 1`
	deleteOriginal = `DELETE FROM originals WHERE workspace_id = $1 AND document_id = $2`
	// outdatedOriginals reads an index of the few documents whose file is kept.
	outdatedOriginals = `SELECT workspace_id, chatbot_id, id FROM documents
	WHERE original = 'kept' AND state = 'ready' AND (%s) AND` + store.Stays + ` ORDER BY id LIMIT $1`
)

// KeepOriginal stores the file of a document in place of the one before.
func (s *Originals) KeepOriginal(ctx context.Context, workspaceID, documentID, inputHash string, u knowledge.Upload) error {
	return s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		if err := s.DeleteOriginal(ctx, workspaceID, documentID); err != nil {
			return err
		}
		for body := u.Body; len(body) > 0; {
			part := body[:min(len(body), knowledge.OriginalPartBytes)]
			body = body[len(part):]
			row := s.store.Into("originals").Columns("workspace_id", "document_id", "name", "content_type", "input_hash", "body", "bytes").
				Values(workspaceID, documentID, u.Name, u.ContentType, inputHash, part, len(part))
			if err := s.store.Exec(ctx, row); err != nil {
				return err
			}
		}
		return nil
	})
}

// Original describes the file of a document.
func (s *Originals) Original(ctx context.Context, workspaceID, documentID string) (o knowledge.Original, err error) {
	var name, contentType, hash sql.NullString
	var parts int
	ctx = scope.Workspace(ctx, workspaceID)
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&name, &contentType, &hash, &o.Bytes, &parts}, original, workspaceID, documentID)
	if err == nil && parts == 0 {
		err = fault.New(fault.NotFound, "Original not found.")
	}
	o.Name, o.ContentType, o.InputHash = name.String, contentType.String, hash.String
	return o, store.MapError(err)
}

// OriginalPart returns the first part of a file whose id is higher than after.
func (s *Originals) OriginalPart(ctx context.Context, workspaceID, documentID string, after int64) (p knowledge.OriginalPart, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	err = store.ScanOne(ctx, s.store.Raw(ctx), []any{&p.ID, &p.Body}, originalPart, workspaceID, documentID, after)
	return p, store.MapError(err)
}

// DeleteOriginal deletes the file of a document, if it is there.
func (s *Originals) DeleteOriginal(ctx context.Context, workspaceID, documentID string) error {
	return s.store.WriteRaw(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		_, err := s.store.Affects(ctx, deleteOriginal, workspaceID, documentID)
		return err
	})
}

// OutdatedOriginals returns documents of every workspace whose file is kept and that an older reader has
// read.
func (s *Originals) OutdatedOriginals(ctx context.Context, access system.Access, limit int) (found []knowledge.Document, err error) {
	var kinds []string
	for _, o := range knowledge.OutdatedReaders() { // a list of the program's own
		kinds = append(kinds, fmt.Sprintf("kind = '%s' AND reader_version >= %d AND reader_version < %d", o.Kind, o.From, o.Below))
	}
	ctx = scope.System(ctx, access)
	err = store.EachRow(ctx, s.store.Raw(ctx), fmt.Sprintf(outdatedOriginals, strings.Join(kinds, " OR ")), []any{limit}, func(row *sql.Rows) error {
		var d knowledge.Document
		err := row.Scan(&d.WorkspaceID, &d.ChatbotID, &d.ID)
		found = append(found, d)
		return err
	})
	return found, store.MapError(err)
}
