package knowledge

import (
	"context"
	"slices"

	"entgo.io/ent/dialect/sql"

	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/retrieval"
	ent "parley/ent/generated"
	"parley/ent/generated/document"
	"parley/ent/generated/passage"
	"parley/ent/generated/predicate"
	"parley/ent/scope"
	"parley/store"
	"parley/text/suggest"
)

// Samples returns the documents of a chatbot that are answered from and came last,
// each with its first passages, both in order.
func (s *KnowledgePages) Samples(ctx context.Context, workspaceID, chatbotID string, documents, passages int) ([]suggest.Document, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	rows, err := s.store.Client(ctx).Document.Query().Where(answeredFrom(chatbotID)...).
		Order(document.ByCreatedAt(sql.OrderDesc()), document.ByID()).Limit(documents).Select(suggesting...).All(ctx)
	if err != nil {
		return nil, store.MapError(err)
	}
	samples := make([]suggest.Document, len(rows))
	for i, row := range rows {
		found, err := s.passagesOf(ctx, row, 0, passages)
		if err != nil {
			return nil, err
		}
		samples[i] = suggested(row, found)
	}
	return samples, nil
}

// Surroundings returns the passages around places, of documents that are answered from,
// in the order of the places. A passage is given once: with the first place that it is
// near.
func (s *KnowledgePages) Surroundings(ctx context.Context, workspaceID, chatbotID string, places []browse.Place, before, after int) ([]suggest.Near, error) {
	ctx = scope.Workspace(ctx, workspaceID)
	ids := make([]string, len(places))
	for i, place := range places {
		ids[i] = place.DocumentID
	}
	rows, err := s.store.Client(ctx).Document.Query().Where(document.IDIn(ids...)).Where(answeredFrom(chatbotID)...).Select(suggesting...).All(ctx)
	if err != nil {
		return nil, store.MapError(err)
	}
	seen := map[int64]bool{}
	var all []suggest.Near
	for _, place := range places {
		at := slices.IndexFunc(rows, func(row *ent.Document) bool { return row.ID == place.DocumentID })
		if at < 0 {
			continue
		}
		found, err := s.passagesOf(ctx, rows[at], place.Ordinal-before, place.Ordinal+after+1)
		if err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(found, func(p retrieval.Passage) bool { return seen[p.ID] })
		for _, p := range found {
			seen[p.ID] = true
		}
		all = append(all, suggest.Near{
			Document: suggested(rows[at], found),
			Ordinal:  place.Ordinal, Cited: place.Cited,
		})
	}
	return all, nil
}

// suggested is a document with some of its passages, as suggestions are made from it.
func suggested(row *ent.Document, passages []retrieval.Passage) suggest.Document {
	return suggest.Document{Pairs: knowledge.Kind(row.Kind) == knowledge.Pairs, Title: row.Title, Passages: retrieval.PlainPassages(passages)}
}

// suggesting are the fields of documents that suggestions need.
var suggesting = []string{document.FieldID, document.FieldKind, document.FieldTitle, document.FieldLive}

// passagesOf returns the passages of a document that is answered from, in order, from an
// ordinal to before another.
func (s *KnowledgePages) passagesOf(ctx context.Context, row *ent.Document, from, to int) ([]retrieval.Passage, error) {
	rows, err := s.store.Client(ctx).Passage.Query().
		Where(passage.DocumentID(row.ID), passage.Version(row.Live), passage.OrdinalGTE(from), passage.OrdinalLT(to)).Order(passage.ByOrdinal()).All(ctx)
	return store.Mapped(rows, err, passageFromRow)
}

// answeredFrom admits the documents of a chatbot that it answers from.
func answeredFrom(chatbotID string) []predicate.Document {
	return []predicate.Document{document.ChatbotID(chatbotID), isLive, document.StateNEQ(string(knowledge.Removing))}
}

// isLive is document.LiveGT(0) without the index of that, which SQLite would prefer: it
// would read every live document to find the latest.
func isLive(q *sql.Selector) { q.Where(sql.ExprP(q.C(document.FieldLive) + " + 0 > 0")) }
