package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"strconv"

	"parley/core/answer/grounding"
	"parley/core/answer/prompt"
	"parley/core/fault"
	"parley/core/retrieval"
	"parley/internal/app"
	"parley/llm/extractive"
)

type evalGroundingCmd struct {
	Corpus    string    `required:"" placeholder:"FILE" help:"Documents, as for eval retrieval."`
	Queries   string    `required:"" placeholder:"FILE" help:"Questions, as for eval retrieval; target is the reference answer. Without one the first sentences of the best relevant passage stand for it."`
	Qrels     string    `required:"" placeholder:"FILE" help:"Judgements, as for eval retrieval."`
	Threshold []float64 `placeholder:"SHARE" help:"Thresholds to measure, from 0 to 1. Default: the one in force."`
	JSON      bool      `name:"json" help:"Print JSON."`
}

// answeredFrom is how many passages an answer is checked against.
const answeredFrom = 5

// groundingReport is what the command prints of one threshold, zero for that
// in force.
type groundingReport struct {
	Threshold float64 `json:"threshold"`
	// Chosen is of the questions that thresholds are chosen on: two of three.
	Chosen  groundingFigures `json:"chosen_on"`
	HeldOut groundingFigures `json:"held_out"`
}

// groundingFigures are counts, and shares as pairs of counts.
type groundingFigures struct {
	Questions int `json:"questions"`
	// PassedRelevant and PassedFound are answers of which something passes,
	// with the relevant passages and with those that were found; Kept… are
	// their sentences.
	PassedRelevant share `json:"passed_relevant"`
	PassedFound    share `json:"passed_found"`
	KeptRelevant   share `json:"kept_relevant"`
	KeptFound      share `json:"kept_found"`
	// Replaced are answers to other questions of which nothing passes, and
	// OtherKept those of their sentences that do.
	Replaced  share `json:"others_replaced"`
	OtherKept share `json:"others_kept"`
	// IntrudersKept are sentences of an answer to another question that pass
	// when the right answer follows them.
	IntrudersKept share `json:"intruders_kept"`
	// Numbers are answers with a changed number that do not pass as they are.
	Numbers share `json:"changed_numbers_caught"`
	// Extractive are answers of the extractive model that pass as they are.
	Extractive share `json:"extractive_unchanged"`
}

// share is how many of so many.
type share [2]int

func (s *share) count(yes bool) {
	s[1]++
	if yes {
		s[0]++
	}
}

func (s *share) kept(g grounding.Measured) {
	s[0] += g.Units - g.Dropped
	s[1] += g.Units
}

func (s share) String() string {
	if s[1] == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f (%d of %d)", float64(s[0])/float64(s[1]), s[0], s[1])
}

// Run measures how often strict grounding lets answers pass that it should,
// and others that it should not.
func (cmd *evalGroundingCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	for _, threshold := range cmd.Threshold {
		if !(threshold >= 0 && threshold <= 1) {
			return fault.New(fault.Invalid, "--threshold is from 0 to 1.")
		}
	}
	folder, err := os.MkdirTemp("", "parley-eval-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	t, err := openTrial(ctx, config, "embedded", folder)
	if err != nil {
		return err
	}
	defer t.close()
	cases, err := cmd.cases(ctx, t)
	if err != nil {
		return err
	}
	thresholds := cmd.Threshold
	if len(thresholds) == 0 {
		thresholds = []float64{0}
	}
	reports := make([]groundingReport, len(thresholds))
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
	return cmd.show(io.out, reports)
}

var numeral = regexp.MustCompile(`\d+`)

// measure adds a question, with one that has other relevant documents.
func (f *groundingFigures) measure(c, other groundingCase, threshold float64) {
	ground := func(answer string, passages []retrieval.Result) grounding.Measured {
		return grounding.Measure(c.question, answer, passages, "No answer.", threshold)
	}
	f.Questions++
	relevant, found := ground(c.answer, c.relevant), ground(c.answer, c.found)
	f.PassedRelevant.count(!relevant.Replaced)
	f.PassedFound.count(!found.Replaced)
	f.KeptRelevant.kept(relevant)
	f.KeptFound.kept(found)

	foreign := ground(other.answer, c.found)
	f.Replaced.count(foreign.Replaced)
	f.OtherKept.kept(foreign)
	mixed := ground(other.answer+"\n\n"+c.answer, c.relevant)
	f.IntrudersKept[0] += max(0, mixed.Units-mixed.Dropped-(relevant.Units-relevant.Dropped))
	f.IntrudersKept[1] += foreign.Units

	changed := numeral.ReplaceAllStringFunc(c.answer, func(digits string) string {
		n, _ := strconv.Atoi(digits)
		return strconv.Itoa(n + 7)
	})
	if changed != c.answer {
		f.Numbers.count(ground(changed, c.relevant).Text != changed)
	}
	extracted := ground(extractive.Answer(prompt.Prompt{Question: c.question, Passages: c.found, NoAnswer: "No answer."}), c.found)
	f.Extractive.count(!extracted.Replaced && extracted.Dropped == 0)
}

// otherThan returns a question that is answered from other documents.
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

func (cmd *evalGroundingCmd) show(out io.Writer, reports []groundingReport) error {
	if cmd.JSON {
		return showRecord(out, true, reports, nil)
	}
	for _, r := range reports {
		rows := [][2]string{{"threshold", strconv.FormatFloat(r.Threshold, 'g', -1, 64)}}
		for _, part := range []struct {
			name string
			of   groundingFigures
		}{{"chosen on", r.Chosen}, {"held out", r.HeldOut}} {
			rows = append(
				rows,
				[2]string{part.name, strconv.Itoa(part.of.Questions) + " questions"},
				[2]string{"answers that pass, relevant passages", part.of.PassedRelevant.String()},
				[2]string{"answers that pass, passages found", part.of.PassedFound.String()},
				[2]string{"their sentences, relevant passages", part.of.KeptRelevant.String()},
				[2]string{"their sentences, passages found", part.of.KeptFound.String()},
				[2]string{"answers to other questions replaced", part.of.Replaced.String()},
				[2]string{"their sentences that pass", part.of.OtherKept.String()},
				[2]string{"those that pass before the right answer", part.of.IntrudersKept.String()},
				[2]string{"changed numbers caught", part.of.Numbers.String()},
				[2]string{"extractive answers unchanged", part.of.Extractive.String()},
			)
		}
		if err := showRecord(out, false, r, rows); err != nil {
			return err
		}
	}
	return nil
}
