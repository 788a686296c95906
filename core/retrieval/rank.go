package retrieval

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"parley/core/fault"
	"parley/text/encode"
	"parley/text/lexical"
	"parley/text/writing"
)

// The constants of the ranking that the lab's `eval constants` does not try: see
// [Tuning].
const (
	// looked is how many of the best passages get a second look.
	looked = 100
	// nearWindow is how many terms apart words near one another are at most.
	nearWindow = 8
	// stretchedWeight is what the nearest counts where a cosine of zero may mean
	// something in common; the similarity of rank stretched counts nothing.
	stretchedWeight = 0.67
	stretched       = 10
	// leastSimilarity is, where a cosine of zero means nothing in common, that
	// of a passage without any of the question's words.
	leastSimilarity = 0.3
	// embedWithin is how long a question waits for its vector.
	embedWithin = 3 * time.Second
)

// Rank returns the best hits for a query, best first: by words, and by meaning
// where the index has vectors. There may be more than the limit. Hits are large,
// and are put in order by their pointers.
func (s *Searcher) Rank(ctx context.Context, scope Scope, query Query) ([]*Hit, error) {
	if err := s.backlog.Check(ctx, scope); err != nil {
		return nil, err
	}
	query.Text = writing.Plain(query.Text) // as documents are read
	asked := IndexQuery{Filter: query.Filter, Limit: min(max(query.Limit, looked), 1000), OccurrencesOf: looked}
	for _, term := range s.tuning.FollowUp(query.Text, query.Context, query.Replies) {
		asked.Terms = append(asked.Terms, Term(term))
	}
	if s.servesVectors() && !GoesByWords(scope.WorkspaceID, s.embedder) {
		vector, err := s.questionVector(ctx, query)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // words alone are better than no answer, or a late one
			s.log.Log(ctx, fault.Level(err), "question not embedded", "error", err)
		}
		asked.Vector = vector
	}
	if len(asked.Terms) == 0 && asked.Vector == nil {
		return nil, nil
	}
	ask := s.prefetch.begin(scope, func() ([]float32, error) { return s.encodedQuestion(ctx, scope.WorkspaceID, query) })
	found, err := s.index.Search(ctx, scope, asked)
	if err != nil {
		return nil, err
	}
	if len(found.Lexical) == 0 && len(found.Near) == 0 {
		if err := s.backlog.Doubt(ctx, scope); err != nil {
			return nil, err
		}
	}
	if found.OtherDimension { // the embedder gives other vectors than when the index was built
		s.log.Error("question searched for without its vector", "dimension", len(asked.Vector), "error", errOtherModel)
	}
	hits := s.tuning.rescore(asked.Terms, found)
	if len(found.Near) > 0 {
		least := -1.0
		if s.embedder.Centered() {
			least = leastSimilarity
		}
		hits = fuse(hits, found.Near, least, s.tuning.nearnessOf(found.Near, s.embedder.Centered()))
	}
	slices.SortFunc(hits, byScore)
	return s.orderByEncodings(ctx, scope, query, ask, found, hits), nil
}

// questionVector is the direction of a question, with a share of the earlier
// questions'. It is nil for a question that means nothing to the embedder.
func (s *Searcher) questionVector(ctx context.Context, query Query) ([]float32, error) {
	texts := []string{query.Text}
	if len(query.Context) > 0 {
		texts = append(texts, strings.Join(query.Context, " "))
	}
	ctx, cancel := context.WithTimeout(ctx, embedWithin)
	defer cancel()
	vectors, err := s.embedder.Questions(ctx, texts)
	if err != nil || len(vectors) != len(texts) {
		return nil, err
	}
	sum := slices.Clone(vectors[0])
	if len(vectors) > 1 {
		encode.Add(sum, vectors[1], float32(s.tuning.Context))
	}
	if !encode.ToUnit(sum) {
		return nil, nil
	}
	return sum, nil
}

// rescore judges the best hits by more than how often they have which words:
// a passage is better when the question's words stand near its beginning,
// where titles and headings are, and near one another. It scores them anew.
func (t Tuning) rescore(terms []Term, found Hits) []*Hit {
	weights := make([]float64, len(terms))
	for i, idf := range found.IDF {
		weights[i] = float64(terms[i].Weight) / lexical.Unit * idf
	}
	near := newNearness(t, weights)
	best := pointers(found.Lexical[:min(looked, len(found.Lexical))])
	for _, hit := range best {
		score := hit.Score * (lexical.K1 + 1) / lexical.Unit
		hit.Score = score + t.Lead*near.lead(hit.Occurrences) + t.Near*near.of(hit.Occurrences)
	}
	return best
}

func pointers(hits []Hit) []*Hit {
	all := make([]*Hit, len(hits))
	for i := range hits {
		all[i] = &hits[i]
	}
	return all
}

// byScore is a total order: no passage is among hits twice.
func byScore(a, b *Hit) int {
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return cmp.Compare(a.PassageID, b.PassageID)
}

// nearness judges where the terms of a question stand in passages. What it
// needs for each term is made once for all passages.
type nearness struct {
	tuning  Tuning
	weights []float64
	seen    []bool
	sums    []float64
}

func newNearness(tuning Tuning, weights []float64) *nearness {
	return &nearness{tuning, weights, make([]bool, len(weights)), make([]float64, len(weights))}
}

// lead sums the weights of the terms, each by where it stands first.
func (n *nearness) lead(occurrences []Occurrence) float64 {
	clear(n.seen)
	sum := 0.0
	for _, o := range occurrences {
		if !n.seen[o.Term] {
			n.seen[o.Term] = true
			sum += n.weights[o.Term] / (1 + float64(o.At)/n.tuning.LeadHalf)
		}
	}
	return sum
}

// of sums, over pairs of different terms that stand within the window, the
// weight of the one over the distance for the other; saturated for each term.
func (n *nearness) of(occurrences []Occurrence) float64 {
	clear(n.sums)
	for i, a := range occurrences {
		for _, b := range occurrences[i+1:] {
			distance := b.At - a.At
			if distance > nearWindow {
				break
			}
			if a.Term != b.Term && distance > 0 {
				n.sums[a.Term] += n.weights[b.Term] / float64(distance)
				n.sums[b.Term] += n.weights[a.Term] / float64(distance)
			}
		}
	}
	total := 0.0
	for i, sum := range n.sums {
		if sum > 0 {
			total += n.weights[i] * sum / (sum + n.tuning.NearHalf)
		}
	}
	return total
}

// fuse joins words and meaning, in no order: a passage's score by words, as a
// share of the best, and how near its vector is to the question's. One without
// any of the question's words must be near it by at least so much. It scores
// the hits anew.
func fuse(words []*Hit, near []Hit, least float64, nearness func(similarity float64) float64) []*Hit {
	all := make([]*Hit, 0, len(words)+len(near))
	known := make(map[int64]bool, len(words))
	best := 0.0
	for _, hit := range words {
		best = max(best, hit.Score)
	}
	for _, hit := range words {
		hit.Score = hit.Score/best + nearness(hit.Similarity)
		known[hit.PassageID] = true
		all = append(all, hit)
	}
	for i := range near {
		if hit := &near[i]; !known[hit.PassageID] && hit.Score >= least {
			hit.Similarity, hit.Score = hit.Score, nearness(hit.Score)
			all = append(all, hit)
		}
	}
	return all
}

// nearnessOf returns the function that says how much a similarity adds to a score
// by words, which is a share of the best such score. Cosines of vectors that are not
// centered are high and close together, so it stretches the range of the nearest hits.
func (t Tuning) nearnessOf(near []Hit, centered bool) func(similarity float64) float64 {
	if centered {
		return func(similarity float64) float64 { return t.Meaning * similarity }
	}
	high, low := near[0].Score, near[min(stretched, len(near))-1].Score
	return func(similarity float64) float64 {
		if high <= low {
			return stretchedWeight
		}
		return stretchedWeight * max(0, (similarity-low)/(high-low))
	}
}
