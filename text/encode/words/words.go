// Package words makes vectors of texts without a model: it looks up the pieces of
// words in a table of learned vectors and adds them. The table is trained once,
// without any customer's texts: see tools/words.
//
// It owns the table and how a text becomes one vector. It does not own the
// search among vectors (package index), or how lexical and vector scores are
// weighed (package core/retrieval).
package words

import (
	"context"
	"math"

	"parley/text/encode/wordpiece"
)

// Dimension is the length of all vectors.
const Dimension = 128

// half is the position in a passage at which a piece counts half: passages
// usually start with their subject.
const half = 32

// Embedder makes vectors from the table, which the first call unpacks. It is
// safe for concurrent use.
type Embedder struct{}

// Name names the table and the pooling.
func (Embedder) Name() string { return "words-1" }

// Costly reports that a vector is faster to compute than to look up.
func (Embedder) Costly() bool { return false }

// Centered reports that a cosine of zero means nothing in common.
func (Embedder) Centered() bool { return true }

// Passages returns a normalized vector for each passage; a text without a known
// word gets zeros.
func (Embedder) Passages(_ context.Context, texts []string) ([][]float32, error) {
	table, err := load()
	if err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		sum := make([]float32, Dimension)
		table.addPassage(sum, text)
		vectors[i] = unit(sum)
	}
	return vectors, nil
}

// addPassage adds the vectors of a passage's pieces.
func (t *table) addPassage(sum []float32, text string) {
	position := 0
	for piece := range t.Pieces(text) {
		t.add(sum, piece, 1/(1+float32(position)/half))
		position++
	}
}

// Questions is like Passages, but the position of a word does not count.
func (Embedder) Questions(_ context.Context, texts []string) ([][]float32, error) {
	table, err := load()
	if err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = table.question(text)
	}
	return vectors, nil
}

// question returns the normalized vector of a question.
func (t *table) question(text string) []float32 {
	counts := map[int32]int{}
	var order []int32
	for piece := range t.Pieces(text) {
		if piece == wordpiece.Unknown {
			continue
		}
		if counts[piece] == 0 {
			order = append(order, piece)
		}
		counts[piece]++
	}
	sum := make([]float32, Dimension)
	for _, piece := range order {
		t.add(sum, piece, float32(math.Sqrt(float64(counts[piece]))))
	}
	return unit(sum)
}

func unit(vector []float32) []float32 {
	var square float64
	for _, x := range vector {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return vector
	}
	scale := float32(1 / math.Sqrt(square))
	for i := range vector {
		vector[i] *= scale
	}
	return vector
}
