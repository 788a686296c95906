package knowledge

import (
	"context"
	"database/sql"

	"parley/core/knowledge"
	"parley/core/knowledge/rebuild"
	"parley/core/system"
	"parley/ent/scope"
	"parley/store"
)

const (
	// heldVersion is what [knowledge.Document.Held] says of a row.
	heldVersion = `CASE WHEN d.state <> 'removing' THEN d.live WHEN d.undo_state <> '' THEN -d.live - 1 ELSE 0 END`
	// heldPassages counts the passages of that version.
	heldPassages = `CASE WHEN d.version = ` + heldVersion + ` THEN d.passage_count
	ELSE (SELECT count(*) FROM passages p WHERE p.document_id = d.id AND p.version = ` + heldVersion + `) END`
	isHeld = `(d.live > 0 OR d.live < -1)`

	holdings = `SELECT h.workspace_id, h.chatbot_id, CAST(sum(CASE WHEN h.passages > 0 THEN 1 ELSE 0 END) AS bigint), CAST(sum(h.passages) AS bigint), CAST(sum(h.moving) AS bigint),
	COALESCE((SELECT max(c.id) FROM conversations c WHERE c.chatbot_id = h.chatbot_id), 0) AS asked
	FROM (SELECT d.workspace_id, d.chatbot_id, ` + heldPassages + ` AS passages, CASE WHEN d.state = 'indexing' THEN 1 ELSE 0 END AS moving
		FROM documents d WHERE ` + isHeld + `) h
	GROUP BY h.workspace_id, h.chatbot_id ORDER BY asked DESC, h.chatbot_id`

	// By an expression, since in the order of the keys all other chatbots' documents would be
	// read, too.
	heldDocuments = `SELECT d.id, d.source_id, d.state, d.undo_state, d.version, d.live, ` + heldPassages + `, d.begun
	FROM documents d WHERE d.workspace_id = $1 AND d.chatbot_id = $2 AND d.id || '' > $3 AND ` + isHeld + ` ORDER BY d.id || '' LIMIT $4`
)

// IndexHoldings says what the index is to hold of each chatbot that has documents in answers, those
// asked last first.
func (s *Documents) IndexHoldings(ctx context.Context, access system.Access) ([]rebuild.Holding, error) {
	ctx = scope.System(ctx, access)
	var asked int64
	return store.Rows(ctx, s.store, func(h *rebuild.Holding) []any {
		return []any{&h.WorkspaceID, &h.ChatbotID, &h.Documents, &h.Passages, &h.Moving, &asked}
	}, holdings)
}

// HeldDocuments returns documents of a chatbot that the index is to hold, by ID after one, at
// most limit. They have what an index needs to know, and the passages of the held version.
func (s *Documents) HeldDocuments(ctx context.Context, workspaceID, chatbotID, after string, limit int) ([]knowledge.Document, error) {
	var documents []knowledge.Document
	ctx = scope.Workspace(ctx, workspaceID)
	err := store.EachRow(ctx, s.store.Raw(ctx), heldDocuments, []any{workspaceID, chatbotID, after, limit}, func(row *sql.Rows) error {
		d, live, undo := knowledge.Document{WorkspaceID: workspaceID, ChatbotID: chatbotID}, 0, ""
		err := row.Scan(&d.ID, &d.SourceID, &d.State, &undo, &d.Version, &live, &d.Passages, &d.Begun)
		d.Live = max(live, 0)
		if undo != "" {
			d.Undo = knowledge.Undo{State: knowledge.State(undo), Live: -live - 1}
		}
		documents = append(documents, d)
		return err
	})
	return documents, store.MapError(err)
}
