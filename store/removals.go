package store

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"parley/core/knowledge"
	"parley/ent"
	"parley/ent/conversation"
	"parley/ent/message"
	"parley/ent/removal"
	"parley/ent/scope"
)

// CreateRemoval writes a receipt. There is one for a document.
func (s *Store) CreateRemoval(ctx context.Context, workspaceID string, r knowledge.Removal) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Removal.Create().SetID(r.ID).SetWorkspaceID(workspaceID).SetChatbotID(r.ChatbotID).
			SetDocumentID(r.DocumentID).SetTitle(r.Title).SetURL(r.URL).SetContentHash(r.ContentHash).
			SetPassages(r.Passages).SetRequestedAt(r.RequestedAt).SetMessageIds([]int64{}).Exec(ctx)
	})
}

// removeSource writes the receipts of a source's documents and takes them out
// of every answer. In two statements: a site may have 10,000 pages, and others
// wait to write. A receipt's ID is made of the document's.
const (
	insertRemovals = `INSERT INTO removals (id, workspace_id, chatbot_id, document_id, title, url, content_hash, passages,
		requested_at, answers, message_ids)
	SELECT 'rm_' || substr(id, 5), workspace_id, chatbot_id, id, title, url, content_hash, passage_count, ?, 0, CAST('[]' AS %s)
	FROM documents WHERE workspace_id = ? AND source_id = ? AND state <> 'removing'`
	markRemoving = `UPDATE documents SET state = 'removing', reason = '', live = 0, attempts = 0, due_at = ?, updated_at = ?
	WHERE workspace_id = ? AND source_id = ? AND state <> 'removing'`
)

// MarkSourceRemoving takes all documents of a source out of every answer, each
// with its receipt.
func (s *Store) MarkSourceRemoving(ctx context.Context, workspaceID, sourceID string, now time.Time) error {
	list := "text"
	if s.dialect == dialect.Postgres {
		list = "jsonb"
	}
	return s.InTx(ctx, func(ctx context.Context) error {
		_, err := s.raw(ctx).ExecContext(ctx, s.bind(fmt.Sprintf(insertRemovals, list)), now, workspaceID, sourceID)
		if err != nil {
			return err
		}
		if _, err = s.raw(ctx).ExecContext(ctx, s.bind(markRemoving), now, now, workspaceID, sourceID); err != nil {
			return err
		}
		return s.forgetAnswers(ctx, forgetBySource, workspaceID, sourceID)
	})
}

// ConfirmRemoval says when the index was found to hold nothing any more.
func (s *Store) ConfirmRemoval(ctx context.Context, workspaceID, documentID string, at time.Time, answers int, messageIDs []int64) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Removal.Update().Where(removal.DocumentID(documentID), removal.ConfirmedAtIsNil()).
			SetConfirmedAt(at).SetAnswers(answers).SetMessageIds(idList(messageIDs)).Exec(ctx)
	})
}

// RemovalsToCount returns the receipts of every workspace whose answers have
// not been counted since they were confirmed, the earliest first.
func (s *Store) RemovalsToCount(ctx context.Context, confirmedBefore time.Time, limit int) ([]knowledge.Removal, error) {
	rows, err := s.db(ctx).Removal.Query().Where(removal.CountedAtIsNil(), removal.ConfirmedAtLT(confirmedBefore)).
		Order(removal.ByConfirmedAt(), removal.ByID()).Limit(limit).All(scope.System(ctx))
	return mapped(rows, err, toRemoval)
}

// CountRemoval writes the answers of a receipt as counted for good.
func (s *Store) CountRemoval(ctx context.Context, workspaceID, removalID string, answers int, messageIDs []int64, at time.Time) error {
	return s.write(within(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.Removal.Update().Where(removal.ID(removalID)).
			SetAnswers(answers).SetMessageIds(idList(messageIDs)).SetCountedAt(at).Exec(ctx)
	})
}

// idList makes sure that a JSON column holds a list and not null.
func idList(values []int64) []int64 {
	if values == nil {
		return []int64{}
	}
	return values
}

// Removals returns a chatbot's receipts, the latest first.
func (s *Store) Removals(ctx context.Context, workspaceID, chatbotID string, limit int) ([]knowledge.Removal, error) {
	rows, err := s.db(ctx).Removal.Query().Where(removal.ChatbotID(chatbotID)).
		Order(removal.ByRequestedAt(entsql.OrderDesc()), removal.ByID()).Limit(limit).All(within(ctx, workspaceID))
	return mapped(rows, err, toRemoval)
}

// RemovalsSince returns the receipts of every workspace since a time.
func (s *Store) RemovalsSince(ctx context.Context, since time.Time) ([]knowledge.Removal, error) {
	rows, err := s.db(ctx).Removal.Query().Where(removal.Or(removal.RequestedAtGTE(since), removal.ConfirmedAtGTE(since))).
		All(scope.System(ctx))
	return mapped(rows, err, toRemoval)
}

// AnswersFrom counts the answers that were given a document, and returns the
// message IDs of the first.
func (s *Store) AnswersFrom(ctx context.Context, workspaceID, chatbotID, documentID string, limit int) (int, []int64, error) {
	ctx = within(ctx, workspaceID)
	query := s.db(ctx).Message.Query().Where(message.WorkspaceID(workspaceID), message.DocumentIdsContains(" "+documentID+" "),
		message.HasConversationWith(conversation.ChatbotID(chatbotID)))
	count, err := query.Clone().Count(ctx)
	if err != nil || count == 0 {
		return 0, nil, mapError(err)
	}
	ids, err := query.Order(message.ByID()).Limit(limit).IDs(ctx)
	return count, ids, mapError(err)
}

func toRemoval(row *ent.Removal) knowledge.Removal {
	return knowledge.Removal{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID, DocumentID: row.DocumentID, Title: row.Title,
		URL: row.URL, ContentHash: row.ContentHash, Passages: row.Passages, RequestedAt: row.RequestedAt.UTC(),
		ConfirmedAt: utc(row.ConfirmedAt), Answers: row.Answers, MessageIDs: row.MessageIds,
	}
}
