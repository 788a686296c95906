package knowledge

import "context"

// Query asks for the passages that answer a question.
type Query struct {
	// Text is the question as the user wrote it. Any text is legal.
	Text string
	// Context holds the user's earlier questions of the same conversation,
	// oldest first. They may lend terms to the question.
	Context []string
	Filter  Filter
	// Limit is the number of passages wanted, at least 1.
	Limit int
}

// Search returns the passages that answer a query, best first. What the index
// finds is looked up in the database, so that a removed document is gone at
// once, whatever the index still holds.
func (s *Service) Search(ctx context.Context, scope Scope, query Query) ([]Found, error) {
	hits, err := s.rank(ctx, scope, query)
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	ids := make([]int64, len(hits))
	for i, hit := range hits {
		ids[i] = hit.PassageID
	}
	passages, err := s.store.LivePassages(ctx, scope.WorkspaceID, scope.ChatbotID, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]Passage, len(passages))
	for _, p := range passages {
		byID[p.ID] = p
	}
	found := make([]Found, 0, query.Limit)
	for _, hit := range hits {
		if p, ok := byID[hit.PassageID]; ok && len(found) < query.Limit {
			found = append(found, Found{Passage: p, Score: hit.Score})
		}
	}
	return found, nil
}
