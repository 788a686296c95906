package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"parley/bench"
	"parley/bench/retrieval"
)

// retrievalFlags are the flags of the part about retrieval.
type retrievalFlags struct {
	Indexes           []string      `default:"embedded,weaviate" enum:"embedded,weaviate" help:"Indexes. Weaviate is that of scripts/with-services.sh."`
	Passages          int           `default:"100000" help:"Passages of the one large chatbot, embedded and in plain FTS5."`
	Chatbots          int           `default:"1000" help:"Number of many chatbots, embedded."`
	Each              int           `default:"1000" help:"Passages of each of them, wherever they are."`
	YardstickChatbots int           `default:"50" help:"Number of many chatbots in plain FTS5, which loads slowly."`
	WeaviatePassages  int           `default:"20000" help:"Passages of the one large chatbot in Weaviate."`
	WeaviateChatbots  int           `default:"50" help:"Number of many chatbots in Weaviate."`
	AskFor            time.Duration `default:"3s" help:"Counted time of questions in each round of a cell."`
	Alone             int           `default:"10000" help:"Passages that one writer puts in alone."`
}

// retrieval measures retrieval.
func (c *runCommand) retrieval(ctx context.Context, settings bench.RetrievalSettings, into *output) error {
	report, err := bench.RunRetrieval(ctx, settings, os.Stderr)
	if err != nil {
		return err
	}
	into.Retrieval = &report
	show(report)
	return nil
}

// isWholeRetrieval reports whether retrieval is measured with nothing left out,
// at the sizes that the aims are about.
func (c *runCommand) isWholeRetrieval() bool {
	f := c.Retrieval
	return !c.Quick && len(f.Indexes) == 2 && f.Passages >= 100_000 && f.Chatbots >= 1000 && f.Each >= 1000
}

func (c *runCommand) retrievalSettings() (bench.RetrievalSettings, error) {
	f := c.Retrieval
	s := bench.RetrievalSettings{Command: c.retrievalCommand()}
	s.Indexes, s.WarmUp, s.Duration, s.Rounds, s.Calm = f.Indexes, min(c.WarmUp, f.AskFor/6), f.AskFor, c.Rounds, time.Minute
	s.Embedded = retrieval.Sizes{Passages: f.Passages, Chatbots: f.Chatbots, Each: f.Each, Alone: f.Alone}
	s.Yardstick = retrieval.Sizes{Passages: f.Passages, Chatbots: f.YardstickChatbots, Each: f.Each}
	s.Weaviate = retrieval.Sizes{Passages: f.WeaviatePassages, Chatbots: f.WeaviateChatbots, Each: f.Each, Alone: f.Alone / 5}
	if c.Quick {
		s.Embedded = retrieval.Sizes{Passages: 5_000, Chatbots: 20, Each: 200, Alone: 1_000}
		s.Yardstick = s.Embedded
		s.Weaviate = retrieval.Sizes{Passages: 1_000, Chatbots: 5, Each: 200, Alone: 200}
		s.WarmUp, s.Duration, s.Rounds, s.Calm = 50*time.Millisecond, 250*time.Millisecond, 1, 500*time.Millisecond
	}
	if !c.measures("retrieval") || !slices.Contains(f.Indexes, retrieval.WeaviateIndex) {
		return s, nil
	}
	var err error
	s.Server, err = retrieval.ServerOf(os.Getenv(retrieval.ServerVariable), os.Getenv(retrieval.KeyVariable))
	return s, err
}

// retrievalCommand is the command line without the files: they change no
// figure.
func (c *runCommand) retrievalCommand() string {
	if c.Only == "" && c.isWholeRetrieval() {
		return "make bench"
	}
	f := c.Retrieval
	command := "scripts/with-weaviate.sh scripts/bench.sh --only=retrieval --indexes=" + strings.Join(f.Indexes, ",")
	if c.Quick {
		return command + " --quick"
	}
	return command + fmt.Sprintf(" --rounds=%d --ask-for=%v --passages=%d --chatbots=%d --each=%d --yardstick-chatbots=%d --weaviate-passages=%d --weaviate-chatbots=%d",
		c.Rounds, f.AskFor, f.Passages, f.Chatbots, f.Each, f.YardstickChatbots, f.WeaviatePassages, f.WeaviateChatbots)
}
