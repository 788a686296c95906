package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"parley/core/fault"
	"parley/core/knowledge/trial"
	"parley/core/retrieval"
	"parley/core/retrieval/evaluation"
	"parley/internal/app"
)

type evalCmd struct {
	Retrieval evalRetrievalCmd `cmd:"" help:"Measure retrieval on questions with judgements, in BEIR's files."`
	Grounding evalGroundingCmd `cmd:"" help:"Measure strict grounding on questions with judgements and reference answers."`
}

type evalRetrievalCmd struct {
	Corpus  string `required:"" placeholder:"FILE" help:"Documents as JSON lines with id (or _id), title and text; \"passage\": true keeps one whole. May be gzipped, as the others."`
	Queries string `required:"" placeholder:"FILE" help:"Questions as JSON lines with id (or _id) and text; history lists what came before as {speaker, text}, rewrite is a self-contained form."`
	Qrels   string `required:"" placeholder:"FILE" help:"Judgements as tab-separated lines: question id, document id, grade."`
	Index   string `enum:"embedded,weaviate" default:"embedded" help:"Index to measure: embedded, or the weaviate of the configuration."`
	Query   string `enum:"last,conversation,rewrite,rewritten" default:"conversation" help:"What is asked: the last turn alone, the last turn with what came before, the rewrite alone, or rewritten: all of it, as a chatbot with a language model asks."`
	Output  string `name:"run" placeholder:"FILE" help:"Where to write the rankings: question id, document id and score, best first, 100 a question."`
	K       []int  `default:"1,3,5,10" help:"Depths of the measures."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// ranked is how many documents of a ranking are measured and written.
const ranked = 100

// evalReport is what the command prints.
type evalReport struct {
	evaluation.Report
	Query     string `json:"query"`
	Documents int    `json:"documents"`
	Passages  int    `json:"passages"`
	// IndexSeconds is the time from the first document to an index that
	// serves all, and IndexBytes its size on disk, zero where not known.
	IndexSeconds     float64 `json:"index_seconds"`
	IndexBytes       int64   `json:"index_bytes"`
	QueriesPerSecond float64 `json:"queries_per_second"`
}

// Run indexes the corpus as a chatbot's knowledge, asks, and measures.
func (cmd *evalRetrievalCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	for _, k := range cmd.K {
		if k < 1 || k > ranked {
			return fault.New(fault.Invalid, "--k is from 1 to %d.", ranked)
		}
	}
	queries, err := readQueries(cmd.Queries)
	if err != nil {
		return err
	}
	judged, err := readJudgements(cmd.Qrels)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "parley-eval-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	t, err := openTrial(ctx, config, cmd.Index, folder)
	if err != nil {
		return err
	}
	defer t.close()
	report, err := t.index(ctx, cmd.Corpus)
	if err != nil {
		return err
	}
	rankings, err := t.ask(ctx, queries, cmd.Query, &report)
	if err != nil {
		return err
	}
	if err := cmd.write(queries, rankings); err != nil {
		return err
	}
	report.Query = cmd.Query
	report.Report = evaluation.Mean(judged, documentsOf(rankings), cmd.K)
	return cmd.show(io.out, report)
}

// index puts the corpus into the index.
func (t *evalTrial) index(ctx context.Context, corpus string) (evalReport, error) {
	var report evalReport
	var passages atomic.Int64
	began := time.Now()
	err := t.port.Rebuild(ctx, t.Version(), func(ctx context.Context, into retrieval.Filler) error {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(t.writers)
		err := readLines(corpus, func(d corpusLine) error {
			place := report.Documents
			report.Documents++
			group.Go(func() error {
				n, err := t.AddAt(ctx, into, place, d.document(), d.Passage)
				passages.Add(int64(n))
				return err
			})
			return ctx.Err()
		})
		if failed := group.Wait(); failed != nil {
			return failed
		}
		return err
	})
	report.IndexSeconds, report.Passages = time.Since(began).Seconds(), int(passages.Load())
	report.IndexBytes = t.size()
	return report, err
}

// ask asks all questions, one after the other.
func (t *evalTrial) ask(ctx context.Context, queries []queryLine, form string, report *evalReport) (map[string][]trial.Ranked, error) {
	rankings := make(map[string][]trial.Ranked, len(queries))
	began := time.Now()
	for _, q := range queries {
		found, err := t.Search(ctx, q.query(form))
		if err != nil {
			return nil, err
		}
		rankings[q.name()] = found[:min(ranked, len(found))]
	}
	report.QueriesPerSecond = float64(len(queries)) / time.Since(began).Seconds()
	return rankings, nil
}

func documentsOf(rankings map[string][]trial.Ranked) map[string][]string {
	documents := make(map[string][]string, len(rankings))
	for question, ranking := range rankings {
		for _, r := range ranking {
			documents[question] = append(documents[question], r.DocumentID)
		}
	}
	return documents
}

// write writes the rankings, if they are wanted.
func (cmd *evalRetrievalCmd) write(queries []queryLine, rankings map[string][]trial.Ranked) (err error) {
	if cmd.Output == "" {
		return nil
	}
	file, err := os.Create(filepath.Clean(cmd.Output))
	if err != nil {
		return err
	}
	defer func() {
		if closing := file.Close(); err == nil {
			err = closing
		}
	}()
	w := bufio.NewWriter(file)
	for _, q := range queries {
		for _, r := range rankings[q.name()] {
			fmt.Fprintf(w, "%s\t%s\t%s\n", q.name(), r.DocumentID, strconv.FormatFloat(r.Score, 'g', 9, 64))
		}
	}
	return w.Flush()
}

func (cmd *evalRetrievalCmd) show(out io.Writer, report evalReport) error {
	rows := [][2]string{
		{"questions", strconv.Itoa(report.Questions)},
		{"documents", strconv.Itoa(report.Documents)},
		{"passages", strconv.Itoa(report.Passages)},
		{"query", report.Query},
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

// query is what a question asks in one of its forms.
func (q queryLine) query(form string) retrieval.Query {
	query := retrieval.Query{Text: q.Text, Limit: 2 * ranked}
	switch {
	case q.Rewrite == "":
	case form == "rewrite":
		query.Text = q.Rewrite
	case form == "rewritten":
		query.Text += "\n" + q.Rewrite
	}
	if form == "conversation" || form == "rewritten" {
		for _, turn := range q.History {
			if turn.Speaker == "user" || turn.Speaker == "" {
				query.Context = append(query.Context, turn.Text)
			}
		}
	}
	query.Text = strings.TrimSpace(query.Text)
	return query
}
