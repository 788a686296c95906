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

	"parley/internal/bench"
)

// page is where the figures are kept.
const page = "docs/performance.md"

type commands struct {
	Run          runCommand     `cmd:"" default:"withargs" help:"Measure."`
	Upstream     upstreamServer `cmd:"" hidden:""`
	BareRelay    bareRelay      `cmd:"" hidden:""`
	DurableRelay durableRelay   `cmd:"" hidden:""`
}

type runCommand struct {
	Quick      bool          `help:"One round of 1 s a cell: to try it, not for figures to keep."`
	Duration   time.Duration `default:"5s" help:"Counted time of a cell."`
	WarmUp     time.Duration `default:"1s" help:"Uncounted time before it."`
	Rounds     int           `default:"3" help:"Rounds; the report has the medians."`
	Clients    []int         `default:"1,64,256" help:"Numbers of clients."`
	Streams    int           `default:"1000" help:"Open streams for the measure of memory; 0 leaves it out."`
	Databases  []string      `default:"sqlite,postgres" enum:"sqlite,postgres" help:"Databases."`
	Parley     string        `type:"existingfile" placeholder:"PATH" help:"A built program; without it, ./cmd/parley is built."`
	OnlyRelays bool          `help:"Leave Parley out."`
	StreamChat bool          `help:"Let the relays ask the model server for a stream for /chat, too, as Parley does."`
	JSON       string        `name:"json" type:"path" placeholder:"FILE" help:"Write the figures as JSON, too."`
	Markdown   string        `type:"path" placeholder:"FILE" help:"Write the figures between the marks of a Markdown file. A run that leaves nothing out and is not quick writes ${page}."`
}

func main() {
	var c commands
	run := kong.Parse(&c, kong.Name("bench"), kong.Vars{"page": page},
		kong.Description("Measures Parley against a fake model server, and relays that do less beside it."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	run.BindTo(ctx, (*context.Context)(nil))
	err := run.Run()
	stop()
	run.FatalIfErrorf(err)
}

// Run measures, prints the figures and writes them to files.
func (c *runCommand) Run(ctx context.Context) error {
	report, err := bench.Run(ctx, c.settings(), os.Stderr)
	if err != nil {
		return err
	}
	figures := report.Markdown()
	fmt.Print(figures)
	if c.JSON != "" {
		if err := writeJSON(c.JSON, report); err != nil {
			return err
		}
	}
	if report.Failed() {
		return errors.New(`requests failed, so no page gets the figures: see the column "failed"`)
	}
	if path := c.page(); path != "" {
		return bench.WriteFigures(path, figures)
	}
	return nil
}

// page is the file that gets the figures, if any does.
func (c *runCommand) page() string {
	if c.Markdown == "" && !c.Quick && !c.OnlyRelays && !c.StreamChat && len(c.Databases) == 2 && c.Streams > 0 {
		return page
	}
	return c.Markdown
}

func (c *runCommand) settings() bench.Settings {
	s := bench.Settings{
		WarmUp: c.WarmUp, Duration: c.Duration, Rounds: c.Rounds,
		Clients: c.Clients, Streams: c.Streams, Databases: c.Databases,
		Parley: c.Parley, OnlyRelays: c.OnlyRelays, StreamChat: c.StreamChat,
		Settle: time.Second, Command: c.command(),
	}
	if c.Quick {
		s.WarmUp, s.Duration, s.Rounds = 300*time.Millisecond, time.Second, 1
	}
	return s
}

// command is what was run, without the files: they change no figure.
func (c *runCommand) command() string {
	command := "go run ./internal/bench/cmd --databases=" + strings.Join(c.Databases, ",")
	if c.Quick {
		command += " --quick"
	}
	if c.OnlyRelays {
		command += " --only-relays"
	}
	if c.StreamChat {
		command += " --stream-chat"
	}
	if c.page() == page {
		return "make bench"
	}
	return command
}

func writeJSON(path string, report bench.Report) error {
	encoded, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(encoded, '\n'), 0o644)
}
