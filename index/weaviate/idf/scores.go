package idf

import (
	"math"

	"parley/core/retrieval"
	"parley/text/lexical"
)

const (
	// solveRounds bounds the steps towards the average length.
	solveRounds = 12
	// solvedTo is how near, relative to it, a step must come to the average.
	solvedTo = 1e-6
	// explained is how far scores may be, relative to them, from what a solution
	// gives: the server's scores have 24 bits.
	explained = 1e-5
	// leastOwn is the share of the average's column, squared, that the terms'
	// columns must not explain: below it the scores do not determine the average.
	leastOwn = 1e-9
	// ridge keeps the equations solvable when terms always stand together.
	ridge = 1e-10
)

// equations are hits of which everything is known but the idf of the query's
// terms and the average length of passages: each score is the sum in
// [retrieval.Hits].
type equations struct {
	query []retrieval.Term
	// terms are the numbers of those terms of the query that the hits have.
	terms []int
	rows  []equation
}

// equation is one hit: how often it has each of the terms.
type equation struct {
	score, length float64
	frequency     []float64
}

// equationsOf reads hits whose occurrences are known.
func equationsOf(query []retrieval.Term, hits []retrieval.Hit) equations {
	e := equations{query: query}
	column := make([]int, len(query))
	for _, hit := range hits {
		for _, o := range hit.Occurrences {
			if column[o.Term] == 0 {
				e.terms = append(e.terms, int(o.Term))
				column[o.Term] = len(e.terms)
			}
		}
	}
	for _, hit := range hits {
		if len(hit.Occurrences) == 0 || len(hit.Occurrences) == retrieval.MaxOccurrences || hit.Score <= 0 {
			continue
		}
		row := equation{hit.Score, float64(hit.Length), make([]float64, len(e.terms))}
		for _, o := range hit.Occurrences {
			row.frequency[column[o.Term]-1]++
		}
		e.rows = append(e.rows, row)
	}
	return e
}

// Solve returns the idf of each term, zero for those that no hit has, and the
// average length of passages in terms, from hits of which all occurrences are
// known and whose scores are exact to 24 bits. It fails if the hits do not determine them. guess is the average
// that an earlier question gave, or zero.
func Solve(query []retrieval.Term, hits []retrieval.Hit, guess float64) (idf []float64, average float64, ok bool) {
	e := equationsOf(query, hits)
	n := len(e.terms)
	if n == 0 || len(e.rows) < n+2 {
		return nil, 0, false
	}
	factors, fits := e.fit(guess)
	if !fits {
		if guess = e.average(); guess == 0 {
			return nil, 0, false
		}
		factors, fits = e.fit(guess)
	}
	idf = make([]float64, len(e.query))
	for i, factor := range factors {
		fits = fits && factor > 0
		idf[e.terms[i]] = factor
	}
	return idf, guess, fits
}

// average returns the average length that explains the scores, by the method of
// Gauss and Newton, and zero if they do not determine it.
func (e equations) average() float64 {
	reciprocal := 0.0
	for _, row := range e.rows {
		reciprocal += 1 / row.length / float64(len(e.rows))
	}
	for range solveRounds {
		factors, _ := e.fit(1 / reciprocal)
		if factors == nil {
			return 0
		}
		normal := newSymmetric(len(e.terms) + 1)
		for _, row := range e.rows {
			normal.add(append(e.parts(row, 1/reciprocal), e.slope(row, 1/reciprocal, factors)))
		}
		factors, own := normal.solve()
		if factors == nil || own < leastOwn {
			return 0
		}
		step := factors[len(e.terms)]
		// A step too far is cut: the reciprocal stays above zero.
		step = max(-reciprocal/2, min(reciprocal, step))
		reciprocal += step
		if math.Abs(step) < solvedTo*reciprocal {
			return 1 / reciprocal
		}
	}
	return 0
}

// fit returns the idf of the terms for which the scores come nearest to the
// hits', by least squares, and whether they explain these.
func (e equations) fit(average float64) (factors []float64, fits bool) {
	if average == 0 {
		return nil, false
	}
	normal := newSymmetric(len(e.terms))
	for _, row := range e.rows {
		normal.add(e.parts(row, average))
	}
	if factors, _ = normal.solve(); factors == nil {
		return nil, false
	}
	for _, row := range e.rows {
		rest := 1.0
		for t, part := range e.parts(row, average) {
			rest -= part * factors[t]
		}
		if math.Abs(rest) > explained {
			return factors, false
		}
	}
	return factors, true
}

// parts returns what the idf of each term is multiplied by, as a share of the score.
func (e equations) parts(row equation, average float64) []float64 {
	parts := make([]float64, len(e.terms), len(e.terms)+1)
	norm := lexical.K1 * (1 - lexical.B + lexical.B*row.length/average)
	for t, frequency := range row.frequency {
		parts[t] = float64(e.query[e.terms[t]].Weight) * frequency / (frequency + norm) / row.score
	}
	return parts
}

// slope returns by how much a hit's score changes, as a share of it, with the
// reciprocal of the average.
func (e equations) slope(row equation, average float64, factors []float64) (slope float64) {
	norm := lexical.K1 * (1 - lexical.B + lexical.B*row.length/average)
	for t, part := range e.parts(row, average) {
		slope -= factors[t] * part * lexical.K1 * lexical.B * row.length / (row.frequency[t] + norm)
	}
	return slope
}

// symmetric are normal equations of least squares whose right sides are all one.
type symmetric struct {
	matrix [][]float64
	right  []float64
}

func newSymmetric(n int) symmetric {
	s := symmetric{make([][]float64, n), make([]float64, n)}
	for i := range s.matrix {
		s.matrix[i] = make([]float64, n)
	}
	return s
}

// add adds one equation.
func (s symmetric) add(parts []float64) {
	for i, a := range parts {
		if a == 0 {
			continue
		}
		s.right[i] += a
		for j, b := range parts[:i+1] {
			s.matrix[i][j] += a * b
		}
	}
}

// solve returns the factors, by Cholesky's decomposition, and the share of the
// last column that the others do not explain. Where the equations do not tell two
// columns apart, both get the same factor.
func (s symmetric) solve() (factors []float64, own float64) {
	n := len(s.right)
	for i := range n {
		whole := s.matrix[i][i]
		s.matrix[i][i] *= 1 + ridge
		for j := range i + 1 {
			sum := s.matrix[i][j]
			for k := range j {
				sum -= s.matrix[i][k] * s.matrix[j][k]
			}
			if j < i {
				s.matrix[i][j] = sum / s.matrix[j][j]
				continue
			}
			if sum <= 0 {
				return nil, 0
			}
			own = sum / whole
			s.matrix[i][i] = math.Sqrt(sum)
		}
	}
	factors = s.right
	for i := range n {
		for k := range i {
			factors[i] -= s.matrix[i][k] * factors[k]
		}
		factors[i] /= s.matrix[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			factors[i] -= s.matrix[k][i] * factors[k]
		}
		factors[i] /= s.matrix[i][i]
	}
	return factors, own
}
