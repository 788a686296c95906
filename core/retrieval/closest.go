package retrieval

import (
	"cmp"
	"slices"

	"parley/text/encode"
)

const (
	// few is how many hits are too few to do without those that only encodings find.
	few = 10
	// closeEnough is how close these are to the question at least. Passages about anything
	// are at some .5.
	closeEnough = 0.55
)

// nearestUnfound returns the nearest passages that are not among hits, if there are few hits.
// For a chatbot with little knowledge these are all others.
func nearestUnfound(found Hits, hits []*Hit) []*Hit {
	if len(hits) >= few {
		return nil
	}
	var others []*Hit
	for i := range found.Near {
		hit := &found.Near[i]
		if len(others) < encoded && !slices.ContainsFunc(hits, func(h *Hit) bool { return h.PassageID == hit.PassageID }) {
			others = append(others, hit)
		}
	}
	return others
}

// closest returns the hits that are close enough to the question, as a whole or with a
// part: the closest first, and no more than most. It sets their scores to zero, so that
// what words find stays ahead of them.
func closest(hits []*Hit, question []float32, encodings map[int64]encode.Encoding, most int) []*Hit {
	closeness := make(map[int64]float64, len(hits))
	var near []*Hit
	for _, hit := range hits {
		encoding := encodings[hit.PassageID]
		cosine, ok := encoding.Cosine(question)
		if !ok {
			continue
		}
		hit.Similarity, hit.Score = hit.Score, 0
		hit.Closeness, hit.Parts = cosine, encoding.Parts(question)
		for _, part := range hit.Parts {
			cosine = max(cosine, part.Closeness)
		}
		if closeness[hit.PassageID] = cosine; cosine >= closeEnough {
			near = append(near, hit)
		}
	}
	slices.SortFunc(near, func(a, b *Hit) int {
		return cmp.Or(cmp.Compare(closeness[b.PassageID], closeness[a.PassageID]), cmp.Compare(a.PassageID, b.PassageID))
	})
	return near[:min(max(0, most), len(near))]
}

func passageIDs(hits []*Hit) []int64 {
	ids := make([]int64, len(hits))
	for i, hit := range hits {
		ids[i] = hit.PassageID
	}
	return ids
}
