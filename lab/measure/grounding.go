package measure

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strconv"

	"parley/app"
	"parley/core/answer/extractive"
	"parley/core/answer/prompt"
	"parley/core/fault"
	"parley/core/retrieval"
	"parley/text/ground"
)

// answeredFrom is how many passages an answer is checked against.
const answeredFrom = 5

// GroundingReport holds the results for one threshold; zero means the one in force.
type GroundingReport struct {
	Threshold float64 `json:"threshold"`
	// Chosen covers the questions used to choose thresholds: two of three.
	Chosen  GroundingFigures `json:"chosen_on"`
	HeldOut GroundingFigures `json:"held_out"`
}

// GroundingFigures are counts, and shares as pairs of counts.
type GroundingFigures struct {
	Questions int `json:"questions"`
	// PassedRelevant and PassedFound count answers of which something passes,
	// with the relevant passages and with those found. Kept… count their
	// sentences.
	PassedRelevant Share `json:"passed_relevant"`
	PassedFound    Share `json:"passed_found"`
	KeptRelevant   Share `json:"kept_relevant"`
	KeptFound      Share `json:"kept_found"`
	// Replaced counts answers to other questions of which nothing passes, and
	// OtherKept their sentences that do pass.
	Replaced  Share `json:"others_replaced"`
	OtherKept Share `json:"others_kept"`
	// IntrudersKept counts sentences of an answer to another question that pass
	// when the right answer follows them.
	IntrudersKept Share `json:"intruders_kept"`
	// Numbers counts answers with a changed number that do not pass unchanged.
	Numbers Share `json:"changed_numbers_caught"`
	// Extractive counts answers of the extractive model that pass unchanged.
	Extractive Share `json:"extractive_unchanged"`
	// Contradictions are of sentences that say the contrary.
	Contradictions Contradictions `json:"contradictions"`
}

// Share is a part of a total.
type Share [2]int

func (s *Share) count(yes bool) {
	s[1]++
	if yes {
		s[0]++
	}
}

func (s *Share) kept(g ground.Measured) {
	s[0] += g.Units - g.Dropped
	s[1] += g.Units
}

func (s Share) String() string {
	if s[1] == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f (%d of %d)", float64(s[0])/float64(s[1]), s[0], s[1])
}

// Grounding measures how often strict grounding passes answers that it should, and
// others that it should not, at each threshold. Without thresholds it measures the
// one in force.
func Grounding(ctx context.Context, config *app.Config, files Files, thresholds []float64) ([]GroundingReport, error) {
	for _, threshold := range thresholds {
		if !(threshold >= 0 && threshold <= 1) {
			return nil, fault.New(fault.Invalid, "--threshold must be from 0 to 1.")
		}
	}
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
	cases, err := t.readCases(ctx, files)
	if err != nil {
		return nil, err
	}
	if len(thresholds) == 0 {
		thresholds = []float64{0}
	}
	reports := make([]GroundingReport, len(thresholds))
	for i, threshold := range thresholds {
		reports[i].Threshold = threshold
		for place := range cases {
			into := &reports[i].Chosen
			if place%3 == 2 {
				into = &reports[i].HeldOut
			}
			into.measure(cases[place], otherThan(cases, place), threshold)
		}
	}
	return reports, nil
}

var numeral = regexp.MustCompile(`\d+`)

// measure adds a question, and another one with different relevant documents.
func (f *GroundingFigures) measure(c, other groundingCase, threshold float64) {
	held := func(answer string, passages []retrieval.Result) ground.Measured {
		return ground.Measure(c.question, answer, retrieval.Plain(passages), "No answer.", threshold)
	}
	f.Questions++
	f.Contradictions.contradict(c, threshold)
	relevant, found := held(c.answer, c.relevant), held(c.answer, c.found)
	f.PassedRelevant.count(!relevant.Replaced)
	f.PassedFound.count(!found.Replaced)
	f.KeptRelevant.kept(relevant)
	f.KeptFound.kept(found)

	foreign := held(other.answer, c.found)
	f.Replaced.count(foreign.Replaced)
	f.OtherKept.kept(foreign)
	mixed := held(other.answer+"\n\n"+c.answer, c.relevant)
	f.IntrudersKept[0] += max(0, mixed.Units-mixed.Dropped-(relevant.Units-relevant.Dropped))
	f.IntrudersKept[1] += foreign.Units

	changed := numeral.ReplaceAllStringFunc(c.answer, func(digits string) string {
		n, _ := strconv.Atoi(digits)
		return strconv.Itoa(n + 7)
	})
	if changed != c.answer {
		f.Numbers.count(held(changed, c.relevant).Text != changed)
	}
	extracted := held(extractive.Answer(prompt.Prompt{Question: c.question, Passages: c.found, NoAnswer: "No answer."}), c.found)
	f.Extractive.count(!extracted.Replaced && extracted.Dropped == 0)
}

// otherThan returns a question answered from other documents.
func otherThan(cases []groundingCase, place int) groundingCase {
	for i := range cases {
		other := cases[(place+len(cases)/2+i)%len(cases)]
		shared := maps.Clone(other.documents)
		maps.DeleteFunc(shared, func(id string, _ bool) bool { return !cases[place].documents[id] })
		if len(shared) == 0 {
			return other
		}
	}
	return cases[(place+len(cases)/2)%len(cases)]
}
