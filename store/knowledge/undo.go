package knowledge

import (
	"context"
	"fmt"
	"time"

	"parley/core/knowledge"
	ent "parley/ent/generated"
	"parley/ent/generated/document"
	"parley/ent/generated/removal"
	"parley/ent/scope"
	"parley/store"
)

// Undo keeps what removals can be undone to: the state in undo_state, and the
// live version as -live-1, which is not answered from.
type Undo struct{ store *store.Store }

// NewUndo returns the undo of a database.
func NewUndo(db *store.Store) *Undo { return &Undo{db} }

// withdraw is like insertWithdrawals and markRemoving, for documents that are
// named.
const (
	insertWithdrawals = `INSERT INTO removals (id, workspace_id, chatbot_id, document_id, title, url, content_hash, passages,
		requested_at, answers, message_ids)
	SELECT 'rm_' || substr(id, 5), workspace_id, chatbot_id, id, title, url, content_hash, passage_count, $1, 0, CAST('[]' AS %s)
	FROM documents WHERE workspace_id = $2 AND chatbot_id = $3 AND state <> 'removing' AND id IN %s`
	withdraw = `UPDATE documents SET undo_state = state, state = 'removing', live = -live - 1, due_at = $1, updated_at = $2
	WHERE workspace_id = $3 AND chatbot_id = $4 AND state <> 'removing' AND id IN %s`
)

// Withdraw takes documents out of every answer, each with its receipt, and
// keeps what they were.
func (s *Undo) Withdraw(ctx context.Context, workspaceID, chatbotID string, documentIDs []string, now, due time.Time) (n int, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	if len(documentIDs) == 0 {
		return 0, nil
	}
	list := "text"
	if !s.store.IsSQLite() {
		list = "jsonb"
	}
	receipts, moves := []any{now, workspaceID, chatbotID}, []any{due, now, workspaceID, chatbotID}
	for _, id := range documentIDs {
		receipts, moves = append(receipts, id), append(moves, id)
	}
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		on := s.store.Raw(ctx)
		_, err := on.ExecContext(ctx, fmt.Sprintf(insertWithdrawals, list, store.Placeholders(4, len(documentIDs))), receipts...)
		if err != nil {
			return err
		}
		moved, err := on.ExecContext(ctx, fmt.Sprintf(withdraw, store.Placeholders(5, len(documentIDs))), moves...)
		if err != nil {
			return err
		}
		count, err := moved.RowsAffected()
		if err != nil {
			return err
		}
		n = int(count)
		return forgetAnswers(ctx, s.store, forgetByChatbot, workspaceID, chatbotID)
	})
	return n, err
}

// Withdrawn returns the documents that were withdrawn until a time, without
// contents. It looks among what is due in the workspace.
func (s *Undo) Withdrawn(ctx context.Context, workspaceID, chatbotID string, until time.Time) ([]knowledge.Document, error) {
	return listDocuments(scope.Workspace(ctx, workspaceID), s.store.Client(ctx).Document.Query().Where(document.WorkspaceID(workspaceID), document.DueAt(until),
		document.ChatbotID(chatbotID), document.State(string(knowledge.Removing)), document.UndoStateNEQ("")).Limit(knowledge.MostAtOnce))
}

// EndUndo takes from a removing document that is due what it was.
func (s *Undo) EndUndo(ctx context.Context, workspaceID, documentID string, dueBefore time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Document.Update().Where(document.ID(documentID), document.State(string(knowledge.Removing)),
			document.UndoStateNEQ(""), document.DueAtLTE(dueBefore)).SetUndoState("").SetExternalID("").SetLive(0).SetReason("").SetAttempts(0).Save(ctx))
	})
}

// UndoRemoval moves a removing document that kept what it was to the state of d,
// and deletes its receipt.
func (s *Undo) UndoRemoval(ctx context.Context, workspaceID string, d knowledge.Document) error {
	return s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		update := s.store.Client(ctx).Document.Update().
			Where(document.ID(d.ID), document.State(string(knowledge.Removing)), document.UndoStateNEQ("")).
			SetUndoState("").SetState(string(d.State)).SetLive(d.Live).SetVersion(d.Version).SetContentHash(d.ContentHash).SetUpdatedAt(d.UpdatedAt)
		if d.DueAt != nil {
			update.SetDueAt(*d.DueAt)
		} else {
			update.ClearDueAt()
		}
		if err := store.Affected(update.Save(ctx)); err != nil {
			return store.MapError(err)
		}
		_, err := s.store.Client(ctx).Removal.Delete().Where(removal.DocumentID(d.ID), removal.ConfirmedAtIsNil()).Exec(ctx)
		return store.MapError(err)
	})
}
