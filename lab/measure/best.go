package measure

import (
	"strings"

	"parley/core/answer/extractive"
	"parley/core/insight/testrun"
	"parley/core/retrieval"
	"parley/text/quote"
)

// bestUnits is how many units the best quotation has at most.
const bestUnits = 5

// bestQuotation returns the F1 of what comes nearest to a reference answer by quoting the
// passages: units are chosen one after the other, each for what it adds, with the reference
// in view. It is a yardstick for those who choose without it.
func bestQuotation(passages []retrieval.Result, reference string) float64 {
	units := quote.Units(extractive.Passages(passages))
	best, chosen := 0.0, ""
	for range bestUnits {
		next := -1
		for i, unit := range units {
			if f1 := testrun.OverlapOf(chosen+" "+unit, reference).F1; f1 > best {
				best, next = f1, i
			}
		}
		if next < 0 {
			break
		}
		chosen = strings.TrimSpace(chosen + " " + units[next])
	}
	return best
}
