package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"parley/bench"
)

// heldFlags are the flags of the part about open streams.
type heldFlags struct {
	Held int `default:"20000" help:"Streams that the part held opens at the same time, in as many processes of Parley as may open the files."`
}

// holder is a load program of the part about open streams.
type holder struct {
	Address string `required:"" help:"The server's host:port."`
	Token   string `required:""`
	Streams int    `required:""`
}

// Run holds streams until the program that started it says so.
func (h *holder) Run() error { return bench.Hold(h.Address, h.Token, h.Streams, os.Stdin, os.Stdout) }

// held measures very many open streams. It is not part of a run without --only: it
// needs 4 GB of memory.
func (c *runCommand) held(ctx context.Context, into *output) error {
	settings := bench.HeldSettings{
		Streams: c.Held.Held, Within: 30 * time.Second, Settle: 5 * time.Second, Databases: c.Databases, Parley: c.Parley,
		Command: fmt.Sprintf("scripts/bench.sh --only=held --held=%d --databases=%s", c.Held.Held, strings.Join(c.Databases, ",")),
	}
	if len(c.Databases) > 1 || c.Databases[0] == bench.Postgres {
		settings.Command = "PARLEY_PG_DURABLE=1 scripts/with-postgres.sh " + settings.Command
	}
	report, err := bench.RunHeld(ctx, settings, os.Stderr)
	if err != nil {
		return err
	}
	into.Held = &report
	fmt.Print(report.Markdown())
	if report.Failed() {
		return errors.New("streams failed, so the figures mean nothing")
	}
	return nil
}
