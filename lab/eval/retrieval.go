package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"parley/app"
	"parley/lab/measure"
)

type retrievalCmd struct {
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
func (cmd *retrievalCmd) Run(ctx context.Context, config *app.Config, io streams) error {
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

func (cmd *retrievalCmd) show(out io.Writer, report measure.RetrievalReport) error {
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
