package extractive

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"parley/core/retrieval"
)

const (
	maxPassages = 10
	// maxChosen is how many units an answer has, not counting those that follow
	// a colon.
	maxChosen = 4
	// maxFollowing is how many items, rows or blocks of code a sentence that
	// ends with a colon brings along.
	maxFollowing = 8
	// enough is the share of the best score below which a unit would distract.
	enough = 0.4
	// known is the weight of a term that the answer already contains.
	known = 0.25
	// inHeading is the weight of a term that occurs only in the headings above a unit.
	inHeading = 0.5
	// typicalLength is the length in bytes of a unit that gets neither a bonus
	// nor a penalty.
	typicalLength = 120
)

// quoted holds what the answer quotes from one passage, in the passage's order.
type quoted struct {
	passage retrieval.Passage
	// number is the passage's number in citations, from 1.
	number int
	units  []unit
}

// candidate is a unit that shares a term with the question, or whose heading
// does.
type candidate struct {
	passage, unit int
	own, above    uint64
	factor        float64
}

// choose returns the units that answer the question, passages in the order of
// their best unit. It returns none when no passage shares a content word with
// the question.
func choose(question string, passages []retrieval.Result) []quoted {
	terms := termsOf(question)
	if len(terms.places) == 0 || len(passages) == 0 {
		return nil
	}
	passages = passages[:min(len(passages), maxPassages)]
	units := make([][]unit, len(passages))
	var candidates []candidate
	occurs := make([]uint64, len(passages))
	for p, passage := range passages {
		units[p] = unitsOf(passage.Text)
		found := candidatesOf(terms, p, passage.Passage, units[p])
		for _, c := range found {
			occurs[p] |= c.own | c.above
		}
		candidates = append(candidates, found...)
	}
	chosen := best(candidates, idf(len(terms.places), occurs))
	return collect(chosen, passages, units)
}

func candidatesOf(terms *terms, p int, passage retrieval.Passage, units []unit) []candidate {
	var found []candidate
	top := terms.in(passage.Title) | terms.in(strings.Join(passage.HeadingPath, " "))
	heading, above := "", top
	for u, unit := range units {
		if unit.heading != heading {
			heading, above = unit.heading, top|terms.in(unit.heading)
		}
		own := terms.in(unit.text)
		if own|above == 0 {
			continue
		}
		length := math.Max(1, float64(len(unit.text))/typicalLength)
		found = append(found, candidate{
			passage: p, unit: u, own: own, above: above &^ own,
			factor: 1 / ((1 + 0.1*float64(p)) * math.Sqrt(length) * (1 + 0.01*float64(min(u, 50)))),
		})
	}
	return found
}

// idf weighs each term by the inverse of the number of passages that contain it
// (Spärck Jones, 1972), smoothed because there are few.
func idf(terms int, occurs []uint64) []float64 {
	weights := make([]float64, terms)
	for term := range weights {
		count := 0
		for _, passage := range occurs {
			count += int(passage >> term & 1)
		}
		weights[term] = math.Log1p(float64(len(occurs)+1) / float64(count+1))
	}
	return weights
}

// best picks candidates one by one, each for what it adds to those before it
// (maximal marginal relevance; Carbonell and Goldstein, 1998).
func best(candidates []candidate, weights []float64) []candidate {
	var chosen []candidate
	var covered uint64
	first := 0.0
	for len(chosen) < maxChosen {
		at, score := -1, 0.0
		for i, c := range candidates {
			if value := c.value(covered, weights); value > score {
				at, score = i, value
			}
		}
		if at < 0 || score < enough*first {
			break
		}
		first = max(first, score)
		chosen = append(chosen, candidates[at])
		covered |= candidates[at].own
		candidates = slices.Delete(candidates, at, at+1)
	}
	return chosen
}

func (c candidate) value(covered uint64, weights []float64) float64 {
	own := sum(c.own&^covered, weights) + known*sum(c.own&covered, weights)
	above := sum(c.above&^covered, weights) + known*sum(c.above&covered, weights)
	return (own + inHeading*above) * c.factor
}

func sum(terms uint64, weights []float64) float64 {
	total := 0.0
	for ; terms != 0; terms &= terms - 1 {
		total += weights[bits.TrailingZeros64(terms)]
	}
	return total
}

// collect puts the chosen units in the order of their passages, together with what
// follows a colon.
func collect(chosen []candidate, passages []retrieval.Result, units [][]unit) []quoted {
	var order []int
	wanted := map[int]map[int]bool{}
	for _, c := range chosen {
		if wanted[c.passage] == nil {
			wanted[c.passage] = map[int]bool{}
			order = append(order, c.passage)
		}
		wanted[c.passage][c.unit] = true
		for u := c.unit + 1; u < len(units[c.passage]) && u <= c.unit+following(units[c.passage], c.unit); u++ {
			wanted[c.passage][u] = true
		}
	}
	found := make([]quoted, 0, len(order))
	for _, p := range order {
		quote := quoted{passage: passages[p].Passage, number: p + 1}
		for u, unit := range units[p] {
			if wanted[p][u] {
				quote.units = append(quote.units, unit)
			}
		}
		found = append(found, quote)
	}
	return found
}

// following returns how many units the one at u announces with a colon: the whole
// next block, unless that is another sentence.
func following(units []unit, u int) int {
	if !strings.HasSuffix(strings.TrimRight(units[u].text, "*_ "), ":") || units[u].kind != sentence || u+1 == len(units) {
		return 0
	}
	next := units[u+1]
	count := 0
	for _, unit := range units[u+1:] {
		if unit.kind == sentence || unit.block != next.block || unit.heading != next.heading || count == maxFollowing {
			break
		}
		count++
	}
	return count
}
