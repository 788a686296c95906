package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"parley/app"
	"parley/app/measure"
)

type evalCmd struct {
	Retrieval evalRetrievalCmd `cmd:"" help:"Measure retrieval on questions with judgments, in BEIR's file format."`
	Grounding evalGroundingCmd `cmd:"" help:"Measure strict grounding on questions with judgments and reference answers."`
	Constants evalConstantsCmd `cmd:"" help:"Measure the constants of the ranking on sets of questions that they were not chosen on."`
	Answers   evalAnswersCmd   `cmd:"" help:"Measure answers: those without a language model on files, or those of a chatbot with its model."`
}

type evalRetrievalCmd struct {
	Corpus  string `required:"" placeholder:"FILE" help:"Documents as JSON lines with id (or _id), title and text; \"passage\": true keeps a document whole. This and the other files may be gzipped."`
	Queries string `required:"" placeholder:"FILE" help:"Questions as JSON lines with id (or _id) and text; history lists earlier messages as {speaker, text}; rewrite is a self-contained form."`
	Qrels   string `required:"" placeholder:"FILE" help:"Judgments as tab-separated lines: question id, document id, grade."`
	Index   string `enum:"embedded,weaviate" default:"embedded" help:"Index to measure: embedded, or weaviate for the configured one."`
	Query   string `enum:"last,conversation,rewrite,rewritten" default:"conversation" help:"What to search for: last (the last message), conversation (with the messages before it), rewrite (the self-contained form), or rewritten (all of these, as a chatbot with a language model searches)."`
	Output  string `name:"run" placeholder:"FILE" help:"Where to write the rankings: question id, document id and score, best first, 100 per question."`
	Rerank  string `name:"rerank-run" placeholder:"FILE" xor:"rerank" help:"Put the first 20 documents of each ranking in the order of these rankings, as a model would: question id, document id and score. Documents that a ranking lacks come last, in their order."`
	Best    bool   `name:"rerank-best" xor:"rerank" help:"Put the relevant ones of the first 20 documents first: the most that a model's order could give."`
	When    string `name:"rerank-when" enum:"on,auto" default:"on" help:"Which rankings to put in another order: on (all), or auto (those that a chatbot's automatic setting would)."`
	K       []int  `default:"1,3,5,10" help:"Depths at which to measure."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Run measures retrieval and prints the figures.
func (cmd *evalRetrievalCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	report, err := measure.Retrieval(ctx, config, measure.Files{Corpus: cmd.Corpus, Queries: cmd.Queries, Judgments: cmd.Qrels},
		measure.Options{
			Index: cmd.Index, Query: cmd.Query, Rankings: cmd.Output, Depths: cmd.K,
			Rerank: measure.Rerank{Rankings: cmd.Rerank, Best: cmd.Best, InDoubt: cmd.When == "auto"},
		})
	if err != nil {
		return err
	}
	return cmd.show(io.out, report)
}

func (cmd *evalRetrievalCmd) show(out io.Writer, report measure.RetrievalReport) error {
	rows := [][2]string{
		{"questions", strconv.Itoa(report.Questions)},
		{"documents", strconv.Itoa(report.Documents)},
		{"passages", strconv.Itoa(report.Passages)},
		{"query", report.Query},
	}
	if cmd.Rerank != "" || cmd.Best {
		rows = append(rows, [2]string{"reranked", strconv.Itoa(report.Reranked)})
	}
	depths := slices.Sorted(slices.Values(cmd.K))
	for _, k := range slices.Compact(depths) {
		rows = append(rows,
			[2]string{fmt.Sprint("recall@", k), fmt.Sprintf("%.4f", report.Recall[k])},
			[2]string{fmt.Sprint("precision@", k), fmt.Sprintf("%.4f", report.Precision[k])},
			[2]string{fmt.Sprint("nDCG@", k), fmt.Sprintf("%.4f", report.NDCG[k])})
	}
	rows = append(rows,
		[2]string{"MRR", fmt.Sprintf("%.4f", report.MRR)},
		[2]string{"index seconds", fmt.Sprintf("%.2f", report.IndexSeconds)},
		[2]string{"index bytes", strconv.FormatInt(report.IndexBytes, 10)},
		[2]string{"queries/s", fmt.Sprintf("%.0f", report.QueriesPerSecond)})
	return showRecord(out, cmd.JSON, report, rows)
}

type evalGroundingCmd struct {
	Corpus    string    `required:"" placeholder:"FILE" help:"Documents, as for eval retrieval."`
	Queries   string    `required:"" placeholder:"FILE" help:"Questions, as for eval retrieval; target is the reference answer. Without one, the first sentences of the best relevant passage replace it."`
	Qrels     string    `required:"" placeholder:"FILE" help:"Judgments, as for eval retrieval."`
	Threshold []float64 `placeholder:"SHARE" help:"Thresholds to measure, from 0 to 1. Default: the current one."`
	JSON      bool      `name:"json" help:"Print JSON."`
}

// Run measures grounding and prints the figures.
func (cmd *evalGroundingCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	reports, err := measure.Grounding(ctx, config, measure.Files{Corpus: cmd.Corpus, Queries: cmd.Queries, Judgments: cmd.Qrels}, cmd.Threshold)
	if err != nil {
		return err
	}
	return cmd.show(io.out, reports)
}

func (cmd *evalGroundingCmd) show(out io.Writer, reports []measure.GroundingReport) error {
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
