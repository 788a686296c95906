// Package measure measures retrieval, strict grounding and answers without a language
// model on questions with judgments, in a separate index beside the ones in use.
package measure

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"parley/app"
	"parley/core/fault"
	"parley/core/knowledge/trial"
	"parley/core/retrieval"
	"parley/lab/evaluation"
)

// ranked is how many documents of a ranking are measured and written.
const ranked = 100

// RetrievalReport holds the measurements of retrieval.
type RetrievalReport struct {
	evaluation.Report
	Query     string `json:"query"`
	Documents int    `json:"documents"`
	Passages  int    `json:"passages"`
	// IndexSeconds is the time from the first document to a complete index, and
	// IndexBytes its size on disk, zero if unknown.
	IndexSeconds     float64 `json:"index_seconds"`
	IndexBytes       int64   `json:"index_bytes"`
	QueriesPerSecond float64 `json:"queries_per_second"`
	// Reranked counts the questions whose first documents were put in another order.
	Reranked int `json:"reranked,omitzero"`
}

// Files are questions with judgments, in BEIR's formats. Each may be gzipped.
type Files struct{ Corpus, Queries, Judgments string }

// Options configure the measurement of retrieval.
type Options struct {
	// Index is embedded, or weaviate for the configured one.
	Index string
	// Query is what to search for: last, conversation, rewrite or rewritten.
	Query string
	// Rankings is the file for the rankings, if any.
	Rankings string
	// Depths are the depths of the measures.
	Depths []int
	// Rerank puts the first documents of each ranking in another order.
	Rerank Rerank
}

// Retrieval indexes the corpus as a chatbot's knowledge, searches, and measures.
func Retrieval(ctx context.Context, config *app.Config, files Files, options Options) (RetrievalReport, error) {
	var report RetrievalReport
	for _, k := range options.Depths {
		if k < 1 || k > ranked {
			return report, fault.New(fault.Invalid, "--k must be from 1 to %d.", ranked)
		}
	}
	queries, err := readQueries(files.Queries)
	if err != nil {
		return report, err
	}
	judged, err := readJudgments(files.Judgments)
	if err != nil {
		return report, err
	}
	folder, err := os.MkdirTemp("", "parley-eval-")
	if err != nil {
		return report, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	t, err := openTrial(ctx, config, options.Index, folder, false)
	if err != nil {
		return report, err
	}
	defer t.close()
	report, err = t.index(ctx, files.Corpus)
	if err != nil {
		return report, err
	}
	rankings, err := t.ask(ctx, queries, options.Query, &report)
	if err != nil {
		return report, err
	}
	if err := write(options.Rankings, queries, rankings); err != nil {
		return report, err
	}
	report.Query = options.Query
	documents := documentsOf(rankings)
	if report.Reranked, err = options.Rerank.apply(rankings, documents, judged); err != nil {
		return report, err
	}
	report.Report = evaluation.Mean(judged, documents, options.Depths)
	return report, nil
}

// index puts the corpus into the index.
func (t *indexed) index(ctx context.Context, corpus string) (RetrievalReport, error) {
	var report RetrievalReport
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

// ask searches for all questions, one after the other.
func (t *indexed) ask(ctx context.Context, queries []queryLine, form string, report *RetrievalReport) (map[string][]trial.Ranked, error) {
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

// write writes the rankings, if requested.
func write(name string, queries []queryLine, rankings map[string][]trial.Ranked) (err error) {
	if name == "" {
		return nil
	}
	file, err := os.Create(filepath.Clean(name))
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

// query returns the query of a question in one of its forms.
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
				query.AddEarlier(turn.Text)
			} else {
				query.AddReply(turn.Text)
			}
		}
	}
	query.Text = strings.TrimSpace(query.Text)
	return query
}
