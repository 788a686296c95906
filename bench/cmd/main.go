// Command cmd is the benchmark behind `make bench`. It reads the command line;
// package bench does the rest.
//
// The model server and the relays are commands of the same program, which it
// starts itself.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"parley/bench"
)

type commands struct {
	Run          runCommand     `cmd:"" default:"withargs" help:"Measure."`
	Compare      compareCommand `cmd:"" help:"Measure two programs of Parley beside each other, to see what a change costs."`
	Upstream     upstreamServer `cmd:"" hidden:""`
	BareRelay    bareRelay      `cmd:"" hidden:""`
	DurableRelay durableRelay   `cmd:"" hidden:""`
	Hold         holder         `cmd:"" hidden:""`
}

type runCommand struct {
	Only       string        `enum:"chat,retrieval,pages,scale,held," default:"" help:"Measure one part: chat, retrieval, pages, scale or held. Without it, all but scale, which takes long, and held, which takes much memory."`
	Quick      bool          `help:"One round of at most 1 s a cell, and little to search: to try it, not for figures to keep."`
	Duration   time.Duration `default:"5s" help:"Counted time of a cell of conversations."`
	WarmUp     time.Duration `default:"1s" help:"Uncounted time before it."`
	Rounds     int           `default:"3" help:"Rounds of each cell."`
	Clients    []int         `default:"1,64,256" help:"Numbers of clients."`
	Streams    int           `default:"1000" help:"Open streams for the measure of memory; 0 leaves it out."`
	Steady     int           `default:"1000" help:"Streams that start at a pace of 100 a second; 0 leaves that out."`
	Databases  []string      `default:"sqlite,postgres" enum:"sqlite,postgres" help:"Databases."`
	Parley     string        `type:"existingfile" placeholder:"PATH" help:"A built program; without it, ./cmd/parley is built."`
	OnlyRelays bool          `help:"Leave Parley out."`
	StreamChat bool          `help:"Let the relays ask the model server for a stream for /chat, too."`
	JSON       string        `name:"json" type:"path" placeholder:"FILE" help:"Write the figures as JSON, too."`

	Retrieval retrievalFlags `embed:""`
	Pages     pagesFlags     `embed:""`
	Scale     scaleFlags     `embed:""`
	Held      heldFlags      `embed:""`
}

func main() {
	var c commands
	run := kong.Parse(&c, kong.Name("bench"),
		kong.Description("Measures conversations against a fake model server, retrieval on both indexes, and the pages of the dashboard, beside yardsticks that do less."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	run.BindTo(ctx, (*context.Context)(nil))
	err := run.Run()
	stop()
	run.FatalIfErrorf(err)
}

// output is what the command writes as JSON.
type output struct {
	*bench.Report
	Retrieval *bench.RetrievalReport `json:"retrieval,omitempty"`
	Pages     *bench.PagesReport     `json:"pages,omitempty"`
	Scale     *bench.ScaleReport     `json:"scale,omitempty"`
	Held      *bench.HeldReport      `json:"held,omitempty"`
}

// Run measures, and prints the figures.
func (c *runCommand) Run(ctx context.Context) error {
	var measured output
	settings, err := c.retrievalSettings()
	if err != nil { // before the conversations take their time
		return err
	}
	if c.measures("chat") {
		if err := c.chat(ctx, &measured); err != nil {
			return err
		}
	}
	if c.measures("retrieval") {
		if err := c.retrieval(ctx, settings, &measured); err != nil {
			return err
		}
	}
	if c.measures("pages") {
		if err := c.pages(ctx, &measured); err != nil {
			return err
		}
	}
	if c.Only == "scale" {
		if err := c.scale(ctx, &measured); err != nil {
			return err
		}
	}
	if c.Only == "held" {
		if err := c.held(ctx, &measured); err != nil {
			return err
		}
	}
	if c.JSON != "" {
		return writeJSON(c.JSON, measured)
	}
	return nil
}

// measures reports whether a part is measured.
func (c *runCommand) measures(part string) bool { return c.Only == "" || c.Only == part }

// chat measures the conversations.
func (c *runCommand) chat(ctx context.Context, into *output) error {
	report, err := bench.Run(ctx, c.settings(), os.Stderr)
	if err != nil {
		return err
	}
	into.Report = &report
	if report.Failed() {
		fmt.Print(report.Markdown())
		return errors.New(`requests failed, so the figures mean nothing: see the column "failed"`)
	}
	show(report)
	return nil
}

// report is what a part of the benchmark found.
type report interface {
	Markdown() string
	Aims() []bench.Aim
}

// show prints the figures of a part, and which of its aims were met.
func show(found report) {
	fmt.Print(found.Markdown(), bench.Verdicts(found.Aims()))
}

// isWhole reports whether the conversations are measured with nothing left out.
func (c *runCommand) isWhole() bool {
	return !c.Quick && !c.OnlyRelays && !c.StreamChat && len(c.Databases) == 2 && c.Streams > 0 && c.Steady > 0
}

func (c *runCommand) settings() bench.Settings {
	s := bench.Settings{
		WarmUp: c.WarmUp, Duration: c.Duration, Rounds: c.Rounds,
		Clients: c.Clients, Streams: c.Streams, Steady: c.Steady, Databases: c.Databases,
		Parley: c.Parley, OnlyRelays: c.OnlyRelays, StreamChat: c.StreamChat,
		Settle: time.Second, Command: c.command(),
	}
	if c.Quick {
		s.WarmUp, s.Duration, s.Rounds = 300*time.Millisecond, time.Second, 1
		s.Steady = min(s.Steady, 100)
	}
	return s
}

// command is the command line without the files: they change no figure.
func (c *runCommand) command() string {
	command := "scripts/bench.sh --databases=" + strings.Join(c.Databases, ",")
	if c.Quick {
		command += " --quick"
	}
	if c.OnlyRelays {
		command += " --only-relays"
	}
	if c.StreamChat {
		command += " --stream-chat"
	}
	if c.isWhole() {
		return c.whole()
	}
	return command
}

// whole is the command of the conversations with nothing left out.
func (c *runCommand) whole() string {
	if c.Only == "" {
		return "make bench"
	}
	return "PARLEY_PG_DURABLE=1 scripts/with-postgres.sh scripts/bench.sh --only=chat"
}

func writeJSON(path string, report output) error {
	encoded, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(encoded, '\n'), 0o644)
}
