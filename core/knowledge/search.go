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
// once, whatever the index still holds. The texts of some are widened by what
// stands beside them; see [Found].
func (s *Service) Search(ctx context.Context, scope Scope, query Query) ([]Found, error) {
	found, err := s.find(ctx, scope, query)
	if err == nil {
		s.widen(ctx, scope, found, query.Limit)
	}
	return found, err
}

// find is Search for the passages as they are.
func (s *Service) find(ctx context.Context, scope Scope, query Query) ([]Found, error) {
	hits, err := s.rank(ctx, scope, query)
	if err != nil {
		return nil, err
	}
	var found []Found
	// Nearly always the first round finds all.
	for len(found) < query.Limit && len(hits) > 0 {
		n := min(query.Limit, len(hits))
		passages, err := s.passagesOf(ctx, scope, hits[:n])
		if err != nil {
			return nil, err
		}
		found = append(found, passages[:min(len(passages), query.Limit-len(found))]...)
		hits = hits[n:]
	}
	return found, nil
}

// passagesOf returns those passages of hits that are answered from, in order.
func (s *Service) passagesOf(ctx context.Context, scope Scope, hits []*Hit) ([]Found, error) {
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
	found := make([]Found, 0, len(passages))
	for _, hit := range hits {
		if p, ok := byID[hit.PassageID]; ok {
			found = append(found, Found{Passage: p, Score: hit.Score})
		}
	}
	return found, nil
}
