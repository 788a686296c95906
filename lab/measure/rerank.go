package measure

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/core/fault"
	"parley/core/knowledge/trial"
	"parley/core/retrieval"
	"parley/lab/evaluation"
)

// passagesGiven is how many passages a model answers from.
const passagesGiven = 5

// Rerank puts the first documents of rankings in another order, in the place of a
// language model. The zero Rerank leaves them.
type Rerank struct {
	// Rankings is a file with the rankings to follow, or empty.
	Rankings string
	// Best puts the relevant documents first.
	Best bool
	// InDoubt leaves rankings that are not in doubt: see [retrieval.Close].
	InDoubt bool
}

// apply reorders the documents of the rankings, and returns for how many questions it did so.
func (r Rerank) apply(rankings map[string][]trial.Ranked, documents map[string][]string, judged map[string]evaluation.Judgments) (int, error) {
	var others map[string]map[string]float64
	if r.Rankings != "" {
		var err error
		if others, err = readRankings(r.Rankings); err != nil {
			return 0, err
		}
	}
	n := 0
	for question, ranking := range rankings {
		if !r.wants(ranking) {
			continue
		}
		n++
		first := documents[question][:min(retrieval.Judged, len(ranking))]
		slices.SortStableFunc(first, func(a, b string) int {
			if r.Best {
				return cmp.Compare(judged[question][b], judged[question][a])
			}
			return byOther(others[question], a, b)
		})
	}
	return n, nil
}

// wants reports whether a ranking is put in another order, as a chatbot's would be.
func (r Rerank) wants(ranking []trial.Ranked) bool {
	if r.Rankings == "" && !r.Best || len(ranking) <= passagesGiven {
		return false
	}
	var scores []float64
	for _, found := range ranking[:min(retrieval.Judged, len(ranking))] {
		scores = append(scores, found.Score)
	}
	return !r.InDoubt || retrieval.Close(scores, passagesGiven)
}

// byOther compares documents by another ranking. One that it lacks comes last.
func byOther(scores map[string]float64, a, b string) int {
	scoreA, hasA := scores[a]
	scoreB, hasB := scores[b]
	switch {
	case hasA && hasB:
		return cmp.Compare(scoreB, scoreA)
	case hasA:
		return -1
	case hasB:
		return 1
	}
	return 0
}

// readRankings reads lines of a question id, a document id and a score, as [Options]
// has them written, with or without a header.
func readRankings(file string) (map[string]map[string]float64, error) {
	rankings := map[string]map[string]float64{}
	err := scanFile(file, func(number int, line []byte) error {
		cells := strings.Fields(string(line))
		if len(cells) != 3 {
			return fault.New(fault.Invalid, "%s, line %d: needs a question id, a document id and a score.", filepath.Base(file), number)
		}
		score, err := strconv.ParseFloat(cells[2], 64)
		if err != nil && number == 1 {
			return nil // the header
		}
		if err != nil {
			return fault.New(fault.Invalid, "%s, line %d: the score is not a number.", filepath.Base(file), number)
		}
		if rankings[cells[0]] == nil {
			rankings[cells[0]] = map[string]float64{}
		}
		rankings[cells[0]][cells[1]] = score
		return nil
	})
	return rankings, err
}
