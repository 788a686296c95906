// Package retrieval measures the speed of retrieval: how long questions take
// beside the indexing of another chatbot, and how fast documents go in, on
// both indexes, with yardsticks that do less in the same run.
//
// It owns the synthetic documents and questions, the systems and their
// figures. It does not own aims and tables (package bench), nor whether the
// right passages are found: the lab measures that.
package retrieval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"parley/core/knowledge/trial"
	"parley/text/encode/words"
	"parley/text/split"
	"parley/text/tokens"
)

// The indexes that can be measured.
const (
	EmbeddedIndex = "embedded"
	WeaviateIndex = "weaviate"
)

// distinctChatbots is how many of the many chatbots have texts of their own.
// The others have the same ones.
const distinctChatbots = 50

// questionsAsked is how many different questions there are.
const questionsAsked = 2_000

// Settings say what to measure, and for how long.
type Settings struct {
	// Indexes are some of [EmbeddedIndex] and [WeaviateIndex].
	Indexes []string `json:"indexes"`
	// Embedded and Weaviate are the sizes on each index, and Yardstick the
	// sizes on plain FTS5.
	Embedded  Sizes `json:"embedded"`
	Weaviate  Sizes `json:"weaviate"`
	Yardstick Sizes `json:"yardstick"`
	// WarmUp and Duration are the time of each cell in each round, uncounted
	// and counted.
	WarmUp   time.Duration `json:"warm_up_ns"`
	Duration time.Duration `json:"duration_ns"`
	// Rounds is how often each cell is measured. Its figures are of the times
	// of all rounds.
	Rounds int `json:"rounds"`
	// Calm is how long to wait at most for work that goes on after loading.
	Calm time.Duration `json:"calm_ns"`
	// Server is the Weaviate to measure.
	Server Server `json:"-"`
}

// Sizes say how much there is to search. All are rounded up to whole
// documents of 20 passages.
type Sizes struct {
	// Passages is the number of passages of the one large chatbot.
	Passages int `json:"passages"`
	// Chatbots is the number of many chatbots, with Each passages each.
	Chatbots int `json:"chatbots"`
	Each     int `json:"each"`
	// Alone is how many passages one writer puts in alone.
	Alone int `json:"alone"`
}

// Results are what a run found.
type Results struct {
	Cells   []Cell  `json:"cells"`
	Loads   []Load  `json:"loads"`
	Indexes []Index `json:"indexes"`
}

// bench is one run of the benchmark.
type bench struct {
	Settings
	say       func(format string, args ...any)
	dir       string
	ports     trial.Ports
	corpus    *corpus
	questions []question
	others    []split.Document
	results   Results
	// prefix is the prefix of the collections that Weaviate has at present.
	prefix string
}

// Run measures, in files below dir, and tells progress what it is at.
func Run(ctx context.Context, settings Settings, dir string, progress io.Writer) (Results, error) {
	if slices.Contains(settings.Indexes, WeaviateIndex) && settings.Server.URL == "" {
		return Results{}, errNoServer
	}
	b := newRun(settings, progress)
	var err error
	if b.dir, err = os.MkdirTemp(dir, "retrieval-"); err != nil {
		return Results{}, err
	}
	err = b.run(ctx)
	return b.results, errors.Join(err, os.RemoveAll(b.dir))
}

func newRun(settings Settings, progress io.Writer) *bench {
	return &bench{
		Settings: settings, corpus: newCorpus(),
		ports: trial.Ports{Embedder: words.Embedder{}, Tokens: tokens.Count, Encoder: newEncoder()},
		say:   func(format string, args ...any) { _, _ = fmt.Fprintf(progress, format+"\n", args...) },
	}
}

func (b *bench) run(ctx context.Context) (err error) {
	b.say("retrieval: making questions and documents")
	if b.questions, err = questions(ctx, b.corpus, b.ports.Embedder, questionsAsked); err != nil {
		return err
	}
	b.others = b.corpus.documents(aboutOthers, 0, 100)
	if slices.Contains(b.Indexes, EmbeddedIndex) {
		err = b.index(ctx, b.Embedded, b.openEmbedded)
	}
	if err == nil && slices.Contains(b.Indexes, WeaviateIndex) {
		err = b.index(ctx, b.Weaviate, b.openWeaviate)
	}
	return err
}

// index measures one index in all ways.
func (b *bench) index(ctx context.Context, sizes Sizes, open opener) error {
	if err := b.alone(ctx, sizes, open); err != nil {
		return err
	}
	if err := b.stage(ctx, b.large(sizes), open); err != nil {
		return err
	}
	return b.stage(ctx, b.many(sizes), open)
}
