// Package evaluation owns the measures of retrieval: recall, precision, nDCG and the
// reciprocal rank of rankings against judgments, as trec_eval defines them.
//
// It does not own a ranking, nor where judgments come from (package measure), nor how an
// answer is compared with a reference (core/insight/testrun, as for owners).
package evaluation

import (
	"maps"
	"math"
	"slices"
)

// Judgments are the grades of the documents that were judged for one
// question, by document. Above zero is relevant.
type Judgments map[string]int

// relevant counts the relevant documents.
func (j Judgments) relevant() int {
	n := 0
	for _, grade := range j {
		if grade > 0 {
			n++
		}
	}
	return n
}

// Recall is the share of the relevant documents that is among the first k, from
// 0 to 1 (trec_eval's recall).
func (j Judgments) Recall(ranking []string, k int) float64 {
	return float64(j.found(ranking, k)) / float64(j.relevant())
}

// Precision is the share of k that is relevant (trec_eval's P): a ranking with
// fewer than k documents is not excused.
func (j Judgments) Precision(ranking []string, k int) float64 {
	return float64(j.found(ranking, k)) / float64(k)
}

func (j Judgments) found(ranking []string, k int) int {
	n := 0
	for _, document := range ranking[:min(k, len(ranking))] {
		if j[document] > 0 {
			n++
		}
	}
	return n
}

// NDCG is the discounted cumulative gain of the first k, of the best possible
// (trec_eval's ndcg_cut: the gain is the grade, the discount log2(rank+1)).
func (j Judgments) NDCG(ranking []string, k int) float64 {
	var gains []int
	for _, grade := range j {
		if grade > 0 {
			gains = append(gains, grade)
		}
	}
	slices.SortFunc(gains, func(a, b int) int { return b - a })
	best, sum := 0.0, 0.0
	for i, gain := range gains[:min(k, len(gains))] {
		best += float64(gain) / math.Log2(float64(i)+2)
	}
	for i, document := range ranking[:min(k, len(ranking))] {
		sum += float64(max(0, j[document])) / math.Log2(float64(i)+2)
	}
	return sum / best
}

// ReciprocalRank is 1 over the rank of the first relevant document, or zero
// (trec_eval's recip_rank).
func (j Judgments) ReciprocalRank(ranking []string) float64 {
	for i, document := range ranking {
		if j[document] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// Report is the mean over all questions that have a relevant document.
type Report struct {
	Questions int             `json:"questions"`
	Recall    map[int]float64 `json:"recall"`
	Precision map[int]float64 `json:"precision"`
	NDCG      map[int]float64 `json:"ndcg"`
	MRR       float64         `json:"mrr"`
}

// Mean measures rankings, by question, at each of the depths. A question with
// judgments and without a ranking counts as one that found nothing; one
// without a relevant document does not count.
func Mean(judged map[string]Judgments, rankings map[string][]string, depths []int) Report {
	report := Report{Recall: map[int]float64{}, Precision: map[int]float64{}, NDCG: map[int]float64{}}
	for _, question := range slices.Sorted(maps.Keys(judged)) { // so that sums are the same each time
		judgments := judged[question]
		if judgments.relevant() == 0 {
			continue
		}
		ranking := rankings[question]
		report.Questions++
		report.MRR += judgments.ReciprocalRank(ranking)
		for _, k := range depths {
			report.Recall[k] += judgments.Recall(ranking, k)
			report.Precision[k] += judgments.Precision(ranking, k)
			report.NDCG[k] += judgments.NDCG(ranking, k)
		}
	}
	n := float64(max(1, report.Questions))
	report.MRR /= n
	for _, k := range depths {
		report.Recall[k] /= n
		report.Precision[k] /= n
		report.NDCG[k] /= n
	}
	return report
}
