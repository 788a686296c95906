package words

import "math"

// Near says how near the meaning of each text is to a question's, from 0 to 1: the cosine
// of their vectors, as [Embedder.Questions] and [Embedder.Passages] make them, or 0 where
// that is below.
func Near(question string, texts []string) []float64 {
	near := make([]float64, len(texts))
	table, err := load()
	if err != nil {
		return near
	}
	asked := table.question(question)
	sum := make([]float32, Dimension)
	for i, text := range texts {
		clear(sum)
		table.addPassage(sum, text)
		if length := length(sum); length > 0 {
			near[i] = max(0, float64(dot(sum, asked))/length)
		}
	}
	return near
}

// Weight says how much a word tells, as the length of its vector: a rare noun much, a
// common verb little. A word that the table lacks has none.
func Weight(word string) float64 {
	table, err := load()
	if err != nil {
		return 0
	}
	sum := make([]float32, Dimension)
	for piece := range table.Pieces(word) {
		table.add(sum, piece, 1)
	}
	return length(sum)
}

// Rare reports whether the table has no whole word such as this, but pieces at best: a name,
// or a word that is mistyped.
func Rare(word string) bool {
	table, err := load()
	if err != nil {
		return false
	}
	pieces := 0
	for range table.Pieces(word) {
		pieces++
	}
	return pieces > 1
}

func dot(a, b []float32) float32 {
	var sum float32
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

func length(vector []float32) float64 { return math.Sqrt(float64(dot(vector, vector))) }
