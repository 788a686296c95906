package retrieval

import (
	"context"
	"hash/fnv"
	"math"
	"slices"
	"sort"

	"parley/core/retrieval/lexical"
)

// Expander is the port to a model that says what passages are about.
type Expander interface {
	// Expand returns the expansions of passages, in order. A passage in a language
	// that the model does not know has an empty one.
	Expand(ctx context.Context, passages []Passage) ([]Expansion, error)
}

// Expansions is the port to the expansions of passages.
type Expansions interface {
	// Expansions returns those of the passages that have one, by [Passage.ID], and
	// none of another chatbot.
	Expansions(ctx context.Context, workspaceID, chatbotID string, ids []int64) (map[int64]Expansion, error)
}

// Expansion says which words a passage is about, those that do not stand in it among
// them, and how much. It begins with expansionMark; five bytes follow for each term:
// the hash of its text and its weight, in the order of the hashes.
type Expansion []byte

const (
	// expansionMark says how an expansion was made. One with another is not understood.
	expansionMark = 1
	termSize      = 5
	// expansionUnit is the weight of one, and the largest is 255.
	expansionUnit = 64
)

// ExpansionTerm is a term, as package lexical forms it, with its weight, from 0 to 4.
type ExpansionTerm struct {
	Text   string
	Weight float32
}

// NewExpansion returns the expansion with the terms, which are distinct.
func NewExpansion(terms []ExpansionTerm) Expansion {
	codes := make([]uint64, 0, len(terms))
	for _, t := range terms {
		if weight := min(255, math.Round(float64(t.Weight)*expansionUnit)); weight >= 1 {
			codes = append(codes, uint64(hashOf(t.Text))<<8|uint64(weight))
		}
	}
	slices.Sort(codes)
	e := Expansion{expansionMark}
	for _, code := range codes {
		e = append(e, byte(code>>32), byte(code>>24), byte(code>>16), byte(code>>8), byte(code))
	}
	return e
}

func hashOf(term string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(term)) // never fails
	return h.Sum32()
}

// weight returns the weight of the term with a hash, or zero.
func (e Expansion) weight(hash uint32) float64 {
	if len(e) == 0 || e[0] != expansionMark {
		return 0
	}
	terms := e[1:]
	n := len(terms) / termSize
	at := func(i int) uint32 {
		t := terms[termSize*i:]
		return uint32(t[0])<<24 | uint32(t[1])<<16 | uint32(t[2])<<8 | uint32(t[3])
	}
	i := sort.Search(n, func(i int) bool { return at(i) >= hash })
	if i == n || at(i) != hash {
		return 0
	}
	return float64(terms[termSize*i+4]) / expansionUnit
}

const (
	// expanded is of how many of the best passages the expansions are looked at.
	expanded = 50
	// expandedWeight is what an expansion counts that fits the question as well as any.
	expandedWeight = 0.5
)

// ExpandWith has the searcher rank by expansions, too. It is called before the first
// search.
func (s *Searcher) ExpandWith(expansions Expansions) { s.expansions = expansions }

// lookAtExpansions adds to the scores of the best hits, which are in order, how well their
// expansions fit the question, as a share of the best fit, and puts the hits in order
// again. Hits without an expansion stay what they are.
func (s *Searcher) lookAtExpansions(ctx context.Context, scope Scope, words []Term, found Hits, hits []*Hit) {
	if s.expansions == nil || len(words) == 0 || len(hits) == 0 {
		return
	}
	best := hits[:min(expanded, len(hits))]
	ids := make([]int64, len(best))
	for i, hit := range best {
		ids[i] = hit.PassageID
	}
	share := 1.0 // what the best score by words counts
	if len(found.Near) == 0 {
		share = best[0].Score
	}
	expansions, err := s.expansions.Expansions(ctx, scope.WorkspaceID, scope.ChatbotID, ids)
	if err != nil {
		s.log.Warn("expansions of passages not read", "error", err)
		return
	}
	weights := fits(ownTerms(words, found.IDF), best, expansions)
	if most := slices.Max(weights); most > 0 {
		for i, hit := range best {
			hit.Score += expandedWeight * share * weights[i] / most
		}
		slices.SortFunc(hits, byScore)
	}
}

// ownTerms are the question's words. A model is not asked what the question is about: that
// would take more of the processor than the search. A rare word counts more, but less so
// than in the passage itself.
func ownTerms(words []Term, idf []float64) []ExpansionTerm {
	if len(idf) != len(words) {
		return nil
	}
	terms := make([]ExpansionTerm, len(words))
	for i, w := range words {
		terms[i] = ExpansionTerm{w.Text, float32(float64(w.Weight) / lexical.Unit * math.Sqrt(max(0, idf[i])))}
	}
	return terms
}

// fits says how well the expansion of each hit fits the terms.
func fits(terms []ExpansionTerm, hits []*Hit, found map[int64]Expansion) []float64 {
	hashes := make([]uint32, len(terms))
	for i, t := range terms {
		hashes[i] = hashOf(t.Text)
	}
	weights := make([]float64, len(hits))
	for i, hit := range hits {
		if e := found[hit.PassageID]; len(e) > 0 {
			for j, hash := range hashes {
				weights[i] += float64(terms[j].Weight) * e.weight(hash)
			}
		}
	}
	return weights
}
