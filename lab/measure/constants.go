package measure

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"parley/app"
	"parley/core/fault"
	"parley/core/retrieval"
	"parley/lab/evaluation"
)

// A constant of the ranking, with the values that are tried. The first one takes the
// idea away that it belongs to.
type constant struct {
	name  string
	of    func(*retrieval.Tuning) *float64
	tried []float64
}

var constants = []constant{
	{"lead", func(t *retrieval.Tuning) *float64 { return &t.Lead }, []float64{0, 0.5, 1, 1.5, 2}},
	{"lead half", func(t *retrieval.Tuning) *float64 { return &t.LeadHalf }, []float64{1e9, 4, 8, 16}},
	{"near", func(t *retrieval.Tuning) *float64 { return &t.Near }, []float64{0, 0.5, 1, 2, 3}},
	{"near half", func(t *retrieval.Tuning) *float64 { return &t.NearHalf }, []float64{0, 3, 6, 12}},
	{"meaning", func(t *retrieval.Tuning) *float64 { return &t.Meaning }, []float64{0, 0.75, 1, 1.25, 1.5, 2}},
	{"context", func(t *retrieval.Tuning) *float64 { return &t.Context }, []float64{0, 0.15, 0.3, 0.5}},
	{"encoded", func(t *retrieval.Tuning) *float64 { return &t.Encoded }, []float64{0, 2, 2.5, 3, 3.5, 4}},
	{"parts", func(t *retrieval.Tuning) *float64 { return &t.Parts }, []float64{0, 0.2, 0.35, 0.5, 1}},
	{"leading", func(t *retrieval.Tuning) *float64 { return &t.Leading }, []float64{0, 0.2, 0.3, 0.4, 0.6}},
	{"history", func(t *retrieval.Tuning) *float64 { return &t.History }, []float64{0, 0.15, 0.3, 0.5}},
	{"decay", func(t *retrieval.Tuning) *float64 { return &t.Decay }, []float64{1, 0.3, 0.5, 0.7}},
	{"reply", func(t *retrieval.Tuning) *float64 { return &t.MaxReply }, []float64{0, 5, 10, 20, 1e9}},
	{"filler", func(t *retrieval.Tuning) *float64 { return &t.Filler }, []float64{1, 0, 0.25, 0.5}},
	{"repeated", func(t *retrieval.Tuning) *float64 { return &t.MaxCount }, []float64{1, 2, 3}},
}

// Tried says what one value of a constant gives, the others being those in use.
type Tried struct {
	Constant string  `json:"constant"`
	Value    float64 `json:"value"`
	InUse    bool    `json:"in_use"`
	// Figures is nDCG@5 by set, and Mean is the mean over the sets.
	Figures map[string]float64 `json:"figures"`
	Mean    float64            `json:"mean"`
}

// LeftOut says what a constant gives on a set that it was not chosen on.
type LeftOut struct {
	Constant string `json:"constant"`
	Set      string `json:"set"`
	// Value is the best one on the other sets.
	Value float64 `json:"value"`
	// Figure is nDCG@5 on the set with that value, and Without the one without
	// the idea.
	Figure  float64 `json:"figure"`
	Without float64 `json:"without"`
}

// ConstantsReport holds the measurements of constants.
type ConstantsReport struct {
	Tried   []Tried   `json:"tried"`
	LeftOut []LeftOut `json:"left_out"`
}

// Set is a folder with a set's files: corpus.jsonl.gz, queries.jsonl.gz, qrels.tsv.
type Set string

// Name returns the name of the folder.
func (s Set) Name() string { return filepath.Base(string(s)) }

// Constants tries values of each constant of the ranking on several sets, and chooses
// each on all sets but one in turn. The figure of a set is the nDCG@5 of its questions
// with their conversations.
func Constants(ctx context.Context, config *app.Config, sets []Set) (ConstantsReport, error) {
	report := ConstantsReport{}
	if len(sets) < 2 {
		return report, fault.New(fault.Invalid, "Give at least two sets, so that one can be left out.")
	}
	inUse := retrieval.Chosen
	for _, c := range constants {
		for _, value := range c.tried {
			report.Tried = append(report.Tried, Tried{c.name, value, value == *c.of(&inUse), map[string]float64{}, 0})
		}
	}
	figures := make([][]float64, len(sets))
	group, ctx := errgroup.WithContext(ctx)
	for i, set := range sets {
		group.Go(func() (err error) {
			figures[i], err = measureSet(ctx, config, set, report.Tried)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return report, err
	}
	for i := range report.Tried {
		for j, set := range sets {
			report.Tried[i].Figures[set.Name()] = figures[j][i]
			report.Tried[i].Mean += figures[j][i] / float64(len(sets))
		}
	}
	for _, c := range constants {
		tried := slices.Collect(func(yield func(Tried) bool) {
			for _, t := range report.Tried {
				if t.Constant == c.name && !yield(t) {
					return
				}
			}
		})
		for _, set := range sets {
			report.LeftOut = append(report.LeftOut, leaveOut(tried, set.Name()))
		}
	}
	return report, nil
}

// leaveOut chooses among the values of one constant, the first of which is without
// the idea, by the other sets.
func leaveOut(tried []Tried, set string) LeftOut {
	others := func(t Tried) float64 {
		sum := 0.0
		for _, name := range slices.Sorted(maps.Keys(t.Figures)) { // so that sums are the same each time
			if name != set {
				sum += t.Figures[name]
			}
		}
		return sum
	}
	best := tried[0]
	for _, t := range tried[1:] {
		if others(t) > others(best) {
			best = t
		}
	}
	return LeftOut{best.Constant, set, best.Value, best.Figures[set], tried[0].Figures[set]}
}

// measureSet returns a set's figure for each of the values.
func measureSet(ctx context.Context, config *app.Config, set Set, values []Tried) ([]float64, error) {
	folder, err := os.MkdirTemp("", "parley-eval-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	t, err := openTrial(ctx, config, "embedded", folder, false)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if _, err := t.index(ctx, filepath.Join(string(set), "corpus.jsonl.gz")); err != nil {
		return nil, err
	}
	queries, err := readQueries(filepath.Join(string(set), "queries.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	judged, err := readJudgments(filepath.Join(string(set), "qrels.tsv"))
	if err != nil {
		return nil, err
	}
	inUse, err := t.figure(ctx, retrieval.Chosen, queries, judged)
	figures := make([]float64, len(values))
	for i, tried := range values {
		figures[i] = inUse
		if err == nil && !tried.InUse {
			figures[i], err = t.figure(ctx, tried.tuning(), queries, judged)
		}
	}
	return figures, err
}

// tuning is the one in use with this value.
func (t Tried) tuning() retrieval.Tuning {
	tuning := retrieval.Chosen
	for _, c := range constants {
		if c.name == t.Constant {
			*c.of(&tuning) = t.Value
		}
	}
	return tuning
}

// figure measures a tuning.
func (t *indexed) figure(ctx context.Context, tuning retrieval.Tuning, queries []queryLine, judged map[string]evaluation.Judgments) (float64, error) {
	t.Tune(tuning)
	rankings, err := t.ask(ctx, queries, "conversation", new(RetrievalReport))
	return evaluation.Mean(judged, documentsOf(rankings), []int{5}).NDCG[5], err
}
