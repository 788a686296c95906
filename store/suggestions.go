package store

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/ent/document"
	"parley/ent/passage"
)

// Samples returns the documents of a chatbot that are answered from and came last,
// each with its first passages, both in order.
func (s *KnowledgePages) Samples(ctx context.Context, workspaceID, chatbotID string, documents, passages int) ([]browse.Sample, error) {
	ctx = within(ctx, workspaceID)
	rows, err := s.store.db(ctx).Document.Query().
		Where(document.ChatbotID(chatbotID), isLive, document.StateNEQ(string(knowledge.Removing))).
		Order(document.ByCreatedAt(sql.OrderDesc()), document.ByID()).Limit(documents).
		Select(document.FieldID, document.FieldKind, document.FieldTitle, document.FieldLive).All(ctx)
	if err != nil {
		return nil, mapError(err)
	}
	samples := make([]browse.Sample, len(rows))
	for i, row := range rows {
		found, err := s.store.db(ctx).Passage.Query().
			Where(passage.DocumentID(row.ID), passage.Version(row.Live), passage.OrdinalLT(passages)).Order(passage.ByOrdinal()).All(ctx)
		if err != nil {
			return nil, mapError(err)
		}
		samples[i] = browse.Sample{Kind: knowledge.Kind(row.Kind), Title: row.Title}
		for _, p := range found {
			samples[i].Passages = append(samples[i].Passages, passageFromRow(p))
		}
	}
	return samples, nil
}

// isLive is document.LiveGT(0) without the index of that, which SQLite would prefer: it
// would read every live document to find the latest.
func isLive(q *sql.Selector) { q.Where(sql.ExprP(q.C(document.FieldLive) + " + 0 > 0")) }
