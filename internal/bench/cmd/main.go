// Command cmd is the benchmark behind `make bench`. It reads the command line;
// package bench does the rest.
//
// The model server and the relays are commands of the same program, which it
// starts itself.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"parley/internal/bench"
)

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
	Parley     string        `placeholder:"PATH" help:"A built program; without it, ./cmd/parley is built."`
	OnlyRelays bool          `help:"Leave Parley out."`
	StreamChat bool          `help:"Let the relays ask the model server for a stream for /chat, too, as Parley does."`
	JSON       string        `name:"json" placeholder:"FILE" help:"Write the figures as JSON, too."`
	Markdown   string        `placeholder:"FILE" help:"Write the figures between the marks of a Markdown file, such as docs/performance.md."`
}

func main() {
	var c commands
	run := kong.Parse(&c, kong.Name("bench"),
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
		return fmt.Errorf("requests failed, so the figures are not written: see the column \"failed\"")
	}
	if c.Markdown != "" {
		return bench.WriteFigures(c.Markdown, figures)
	}
	return nil
}

func (c *runCommand) settings() bench.Settings {
	s := bench.Settings{
		WarmUp: c.WarmUp, Duration: c.Duration, Rounds: c.Rounds,
		Clients: c.Clients, Streams: c.Streams, Databases: c.Databases,
		Parley: c.Parley, OnlyRelays: c.OnlyRelays, StreamChat: c.StreamChat,
		Command: strings.Join(append([]string{"make bench"}, os.Args[1:]...), " "),
	}
	if c.Quick {
		s.WarmUp, s.Duration, s.Rounds = 300*time.Millisecond, time.Second, 1
	}
	return s
}

func writeJSON(path string, report bench.Report) error {
	encoded, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(encoded, '\n'), 0o644)
}
