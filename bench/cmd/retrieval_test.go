package main

import (
	"testing"

	"github.com/alecthomas/kong"

	"parley/bench/retrieval"
)

// parse reads a command line.
func parse(t *testing.T, line ...string) runCommand {
	t.Helper()
	var c commands
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(line); err != nil {
		t.Fatal(err)
	}
	return c.Run
}

func TestRetrievalSettings(t *testing.T) {
	t.Setenv(retrieval.ServerVariable, "")
	t.Run("the sizes are those of the aims", func(t *testing.T) {
		c := parse(t, "--indexes=embedded")
		s, err := c.retrievalSettings()
		want := retrieval.Sizes{Passages: 100_000, Chatbots: 1000, Each: 1000, Alone: 10_000}
		if err != nil || s.Embedded != want || s.Rounds != 3 {
			t.Errorf("%+v, %v", s, err)
		}
	})
	t.Run("a part is whole unless something is left out of it", func(t *testing.T) {
		for _, c := range []struct {
			line            string
			chat, retrieval bool
		}{
			{"--only=chat", true, true},
			{"--indexes=embedded", true, false},
			{"--databases=sqlite", false, true},
			{"--quick", false, false},
			{"--passages=5000", true, false},
		} {
			got := parse(t, c.line)
			if got.isWhole() != c.chat || got.isWholeRetrieval() != c.retrieval {
				t.Errorf("%s: %v, %v", c.line, got.isWhole(), got.isWholeRetrieval())
			}
		}
	})
	t.Run("without a Weaviate it fails, unless it is left out", func(t *testing.T) {
		for line, fails := range map[string]bool{"--only=retrieval": true, "--quick": true, "--only=chat": false, "--indexes=embedded": false} {
			c := parse(t, line)
			if _, err := c.retrievalSettings(); (err != nil) != fails {
				t.Errorf("%s: %v", line, err)
			}
		}
	})
}
