package retrieval

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// Passages is the port to the stored passages. Neither method returns a passage
// of another chatbot, or of a version that is not live.
type Passages interface {
	// LivePassages returns the passages with these ids, in any order. It leaves out
	// ids that no passage has.
	LivePassages(ctx context.Context, workspaceID, chatbotID string, ids []int64) ([]Passage, error)
	// LivePassagesAt returns the passages at those positions that have one, in
	// any order.
	LivePassagesAt(ctx context.Context, workspaceID, chatbotID string, at []Position) ([]Passage, error)
}

// Searcher finds passages. It is safe for concurrent use.
type Searcher struct {
	tuning   Tuning
	index    Index
	passages Passages
	embedder Embedder
	log      *slog.Logger
	// encodings is nil unless passages are ranked by their encodings, too.
	encodings Encodings
	questions QuestionEncoder
	prefetch  *prefetch // nil without encodings
	// backlog is nil where nothing is known of what the index lacks.
	backlog *Backlog
	// serving is the version of the index, as it was last looked up.
	serving atomic.Pointer[string]
}

// NewSearcher returns a searcher over its ports. Without an embedder it
// searches by words alone.
func NewSearcher(index Index, passages Passages, embedder Embedder, log *slog.Logger) *Searcher {
	return &Searcher{index: index, passages: passages, embedder: embedder, log: log, tuning: Chosen}
}

// Serve tells the searcher the version that the index was built for. It sends
// vectors only to an index that holds vectors of its own embedder.
func (s *Searcher) Serve(version string) { s.serving.Store(&version) }

// LookUpVersion asks the index for its version. If that fails, the searcher
// goes on with the version that it knows.
func (s *Searcher) LookUpVersion(ctx context.Context) {
	if version, err := s.index.Version(ctx); err == nil {
		s.Serve(version)
	}
}

// servesVectors reports whether the index has vectors of this embedder.
func (s *Searcher) servesVectors() bool {
	version := s.serving.Load()
	return s.embedder != nil && version != nil && *version == IndexVersion(s.embedder)
}

// RefuseBehind has the searcher refuse chatbots of which the index lacks documents. It is
// called before the first search.
func (s *Searcher) RefuseBehind(backlog *Backlog) { s.backlog = backlog }

// Check reports whether the index can be used just now.
func (s *Searcher) Check(ctx context.Context) error {
	s.LookUpVersion(ctx)
	return s.index.Check(ctx)
}

// Search returns the passages that answer a query, best first. It looks up in
// the database what the index finds, so that a removed document is gone at
// once, whatever the index still holds. It widens the texts of some by their
// neighbors; see [Result].
func (s *Searcher) Search(ctx context.Context, scope Scope, query Query) ([]Result, error) {
	found, err := s.find(ctx, scope, query)
	if err == nil {
		s.widen(ctx, scope, found, query.Limit)
	}
	return found, err
}

// find is Search for the passages as they are.
func (s *Searcher) find(ctx context.Context, scope Scope, query Query) ([]Result, error) {
	hits, err := s.Rank(ctx, scope, query)
	if err != nil {
		return nil, err
	}
	wanted, judged := query.judged(hits)
	var found []Result
	// Nearly always the first round finds all.
	for len(found) < wanted && len(hits) > 0 {
		n := min(wanted, len(hits))
		passages, err := s.passagesOf(ctx, scope, hits[:n])
		if err != nil {
			return nil, err
		}
		found = append(found, passages[:min(len(passages), wanted-len(found))]...)
		hits = hits[n:]
	}
	if judged && len(found) > query.Limit {
		found = query.Judge.Order(ctx, found)
	}
	return found[:min(query.Limit, len(found))], nil
}

// passagesOf returns the live passages of hits, in order.
func (s *Searcher) passagesOf(ctx context.Context, scope Scope, hits []*Hit) ([]Result, error) {
	passages, err := s.passages.LivePassages(ctx, scope.WorkspaceID, scope.ChatbotID, passageIDs(hits))
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]Passage, len(passages))
	for _, p := range passages {
		byID[p.ID] = p
	}
	found := make([]Result, 0, len(passages))
	for _, hit := range hits {
		if p, ok := byID[hit.PassageID]; ok {
			found = append(found, Result{Passage: p, Score: hit.Score, Closeness: hit.Closeness, Compared: hit.Compared, Parts: hit.Parts})
		}
	}
	return found, nil
}
