package evaluation

import (
	"math"
	"strings"
	"testing"
)

// judged has the relevant documents a (of grade 3), b and c (1), and d, which
// was judged and is not relevant. Others were not judged.
var judged = Judgments{"a": 3, "b": 1, "c": 1, "d": 0, "e": -1}

// The discounts log2(rank+1) of the ranks 1 to 5.
const d1, d2, d3, d4, d5 = 1.0, 1.584962500721156, 2.0, 2.321928094887362, 2.584962500721156

func near(got, want float64) bool { return math.Abs(got-want) < 1e-12 }

func ranking(documents string) []string { return strings.Fields(documents) }

func TestMeasures(t *testing.T) {
	// The best possible gain: 3 at rank 1, 1 at the ranks 2 and 3.
	const ideal1, ideal2, ideal3 = 3.0, 3 + 1/d2, 3 + 1/d2 + 1/d3
	for _, c := range []struct {
		name, ranking           string
		k                       int
		recall, precision, ndcg float64
		reciprocal              float64
	}{
		{"the best ranking has all", "a b c", 3, 1, 1, 1, 1},
		{"equal grades may change places", "a c b", 3, 1, 1, 1, 1},
		{"the best grade last gains less", "b c a", 3, 1, 1, (1/d1 + 1/d2 + 3/d3) / ideal3, 1},
		{"what is not relevant takes a rank", "x a d b", 4, 2.0 / 3, 2.0 / 4, (3/d2 + 1/d4) / ideal3, 1.0 / 2},
		{"only the first k count", "x a d b", 2, 1.0 / 3, 1.0 / 2, (3 / d2) / ideal2, 1.0 / 2},
		{"the best possible is of k, too", "b a", 1, 1.0 / 3, 1, 1 / ideal1, 1},
		{"a short ranking is not excused", "a", 5, 1.0 / 3, 1.0 / 5, 3 / ideal3, 1},
		{"a negative grade gains nothing", "e d a", 3, 1.0 / 3, 1.0 / 3, (3 / d3) / ideal3, 1.0 / 3},
		{"nothing relevant is nothing", "x y d", 3, 0, 0, 0, 0},
		{"no ranking is nothing", "", 3, 0, 0, 0, 0},
		{"the reciprocal rank looks at the whole ranking", "x x x x c", 1, 0, 0, 0, 1.0 / 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := ranking(c.ranking)
			for what, got := range map[string][2]float64{
				"recall":          {judged.Recall(r, c.k), c.recall},
				"precision":       {judged.Precision(r, c.k), c.precision},
				"nDCG":            {judged.NDCG(r, c.k), c.ndcg},
				"reciprocal rank": {judged.ReciprocalRank(r), c.reciprocal},
			} {
				if !near(got[0], got[1]) {
					t.Errorf("%s is %v, want %v", what, got[0], got[1])
				}
			}
		})
	}
}

func TestNDCGByHand(t *testing.T) {
	// Järvelin and Kekäläinen's kind of example: grades 3 2 3 0 1 2 in the order
	// of the ranking. DCG = 3 + 2/1.585 + 3/2 + 0 + 1/2.585 + 2/2.807 = 6.8611;
	// ideal (3 3 2 2 1 0) = 3 + 3/1.585 + 2/2 + 2/2.3219 + 1/2.585 = 7.1410.
	graded := Judgments{"1": 3, "2": 2, "3": 3, "4": 0, "5": 1, "6": 2}
	if got := graded.NDCG(ranking("1 2 3 4 5 6"), 6); math.Abs(got-0.9608) > 0.00005 {
		t.Errorf("it is %v", got)
	}
}

func TestMean(t *testing.T) {
	report := Mean(map[string]Judgments{
		"whole":        {"a": 1, "b": 1},
		"half":         {"a": 1, "b": 1},
		"unanswered":   {"a": 1},
		"not relevant": {"a": 0},
		"not judged":   {},
	}, map[string][]string{
		"whole":        ranking("a b"),
		"half":         ranking("x b"),
		"not relevant": ranking("a"),
		"not judged":   ranking("a"),
		"not asked":    ranking("a"),
	}, []int{1, 2})

	t.Run("it is over the questions with a relevant document, whether they found anything or not", func(t *testing.T) {
		if report.Questions != 3 {
			t.Errorf("there are %d", report.Questions)
		}
	})
	t.Run("each measure is the mean of its values", func(t *testing.T) {
		const half = (1 / d2) / (1 + 1/d2)
		for what, got := range map[string][2]float64{
			"recall@1":    {report.Recall[1], (0.5 + 0 + 0) / 3},
			"recall@2":    {report.Recall[2], (1 + 0.5 + 0) / 3},
			"precision@1": {report.Precision[1], (1 + 0 + 0) / 3.0},
			"precision@2": {report.Precision[2], (1 + 0.5 + 0) / 3},
			"nDCG@1":      {report.NDCG[1], 1 / 3.0},
			"nDCG@2":      {report.NDCG[2], (1 + half) / 3},
			"MRR":         {report.MRR, (1 + 0.5 + 0) / 3},
		} {
			if !near(got[0], got[1]) {
				t.Errorf("%s is %v, want %v", what, got[0], got[1])
			}
		}
	})
	t.Run("without questions it is zero", func(t *testing.T) {
		none := Mean(nil, nil, []int{5})
		if none.Questions != 0 || none.MRR != 0 || none.Recall[5] != 0 || none.NDCG[5] != 0 {
			t.Errorf("it is %+v", none)
		}
	})
}
