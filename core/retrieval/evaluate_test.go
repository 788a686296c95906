package retrieval

import (
	"maps"
	"math"
	"testing"
)

func TestEvaluationMeasures(t *testing.T) {
	bread := []string{"bread"}
	for name, c := range map[string]struct {
		probes   []Probed
		measured int
		within   map[int]float64
		mrr      float64
	}{
		"a document at place 2 is within 3 and 5":              {[]Probed{{Expected: bread, Rank: 1}, {Expected: bread, Rank: 2}}, 2, map[int]float64{1: 0.5, 3: 1, 5: 1}, 0.75},
		"a document that is not found counts":                  {[]Probed{{Expected: bread, Rank: 4}, {Expected: bread}}, 2, map[int]float64{1: 0, 3: 0, 5: 0.5}, 0.125},
		"a question that names no document does not count":     {[]Probed{{}, {Expected: bread, Rank: 1}}, 1, map[int]float64{1: 1, 3: 1, 5: 1}, 1},
		"without a question that names one all measures are 0": {[]Probed{{}}, 0, map[int]float64{1: 0, 3: 0, 5: 0}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := Evaluation{Probes: c.probes, Within: map[int]float64{}}
			e.measure()
			if e.Measured != c.measured || !maps.Equal(e.Within, c.within) || math.Abs(e.MRR-c.mrr) > 1e-12 {
				t.Errorf("got %+v", e)
			}
		})
	}
}
