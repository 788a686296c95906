package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"parley/bench"
	"parley/bench/pages"
)

// pagesFlags are the flags of the part about the dashboard.
type pagesFlags struct {
	Documents     int `default:"10000" help:"Documents of the chatbot that owners look at."`
	Conversations int `default:"10000" help:"Conversations with it."`
	Tokens        int `default:"300" help:"API tokens of it."`
	Requests      int `default:"50" help:"Requests of each page on each database."`
}

// pages measures the dashboard.
func (c *runCommand) pages(ctx context.Context, into *output) error {
	report, err := bench.RunPages(ctx, c.pagesSettings(), os.Stderr)
	if err != nil {
		return err
	}
	into.Pages = &report
	show(report)
	return nil
}

// isWholePages reports whether the dashboard is measured with nothing left out, at the
// sizes that the aims are about.
func (c *runCommand) isWholePages() bool {
	f := c.Pages
	return !c.Quick && len(c.Databases) == 2 && f.Documents >= 10_000 && f.Conversations >= 10_000 && f.Tokens >= 300
}

func (c *runCommand) pagesSettings() bench.PagesSettings {
	f := c.Pages
	s := bench.PagesSettings{
		Sizes:    pages.Sizes{Documents: f.Documents, Conversations: f.Conversations, Tokens: f.Tokens},
		Requests: f.Requests, Databases: c.Databases, Parley: c.Parley, Command: c.pagesCommand(),
	}
	if c.Quick {
		s.Sizes, s.Requests = pages.Sizes{Documents: 200, Conversations: 200, Tokens: 20}, 3
	}
	return s
}

// pagesCommand is the command line without the files: they change no figure.
func (c *runCommand) pagesCommand() string {
	if c.isWholePages() {
		if c.Only == "" {
			return "make bench"
		}
		return "make bench BENCH=--only=pages"
	}
	f := c.Pages
	command := "scripts/bench.sh --only=pages --databases=" + strings.Join(c.Databases, ",")
	if c.Quick {
		return command + " --quick"
	}
	return command + fmt.Sprintf(" --documents=%d --conversations=%d --tokens=%d --requests=%d", f.Documents, f.Conversations, f.Tokens, f.Requests)
}
