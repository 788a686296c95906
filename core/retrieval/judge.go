package retrieval

import "context"

// Judged is how many of the best passages a [Judge] is given at most.
const Judged = 20

// Judge puts the passages that a search found in a better order, before the first of
// them are taken.
type Judge interface {
	// Wants reports whether the passages should be judged, by the scores of the best:
	// best first, more than the limit, and at most [Judged].
	Wants(scores []float64, limit int) bool
	// Order returns the passages in its order, or as they are.
	Order(ctx context.Context, found []Result) []Result
}

// judged says how many passages to look up, and whether they are to be judged.
func (q Query) judged(hits []*Hit) (wanted int, judged bool) {
	if q.Judge == nil || len(hits) <= q.Limit {
		return q.Limit, false
	}
	scores := make([]float64, min(Judged, len(hits)))
	for i := range scores {
		scores[i] = hits[i].Score
	}
	if !q.Judge.Wants(scores, q.Limit) {
		return q.Limit, false
	}
	return max(Judged, q.Limit), true
}

// closeAt is from which share of the best score on the last of twice as many passages as
// are wanted leaves a search in doubt. lab/notebook/0072-rerank.md has what it was chosen on.
const closeAt = 0.85

// Close reports whether a search is in doubt about which passages are the first: when of
// twice as many as are wanted the last matches nearly as well as the first. The scores
// are best first. Where there are no more than the limit, nothing is in doubt.
func Close(scores []float64, limit int) bool {
	if len(scores) <= limit || scores[0] <= 0 {
		return false
	}
	last := min(2*limit, len(scores)) - 1
	return scores[last] >= closeAt*scores[0]
}
