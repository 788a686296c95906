package main

import (
	"context"
	"io"
	"strconv"

	"parley/app"
	"parley/lab/measure"
)

type groundingCmd struct {
	Corpus    string    `required:"" placeholder:"FILE" help:"Documents, as for eval retrieval."`
	Queries   string    `required:"" placeholder:"FILE" help:"Questions, as for eval retrieval; target is the reference answer. Without one, the first sentences of the best relevant passage replace it."`
	Qrels     string    `required:"" placeholder:"FILE" help:"Judgments, as for eval retrieval."`
	Threshold []float64 `placeholder:"SHARE" help:"Thresholds to measure, from 0 to 1. Default: the current one."`
	JSON      bool      `name:"json" help:"Print JSON."`
}

// Run measures grounding and prints the figures.
func (cmd *groundingCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	reports, err := measure.Grounding(ctx, config, measure.Files{Corpus: cmd.Corpus, Queries: cmd.Queries, Judgments: cmd.Qrels}, cmd.Threshold)
	if err != nil {
		return err
	}
	return cmd.show(io.out, reports)
}

func (cmd *groundingCmd) show(out io.Writer, reports []measure.GroundingReport) error {
	if cmd.JSON {
		return showRecord(out, true, reports, nil)
	}
	for _, r := range reports {
		rows := [][2]string{{"threshold", strconv.FormatFloat(r.Threshold, 'g', -1, 64)}}
		for _, part := range []struct {
			name string
			of   measure.GroundingFigures
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
				[2]string{"sentences of answers that pass", part.of.Contradictions.References.String()},
				[2]string{"sentences of passages that pass", part.of.Contradictions.Quotes.String()},
				[2]string{"dropped with \"not\" put in", part.of.Contradictions.Negated.String()},
				[2]string{"dropped with a denial taken out", part.of.Contradictions.Affirmed.String()},
				[2]string{"dropped with \"only\" put in", part.of.Contradictions.Restricted.String()},
				[2]string{"dropped with other numbers", part.of.Contradictions.Numbers.String()},
				[2]string{"dropped with other units", part.of.Contradictions.Units.String()},
			)
		}
		if err := showRecord(out, false, r, rows); err != nil {
			return err
		}
	}
	return nil
}
