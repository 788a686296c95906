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

type compareCommand struct {
	Before    string        `arg:"" type:"existingfile" help:"The earlier program, built."`
	Duration  time.Duration `default:"2s" help:"Counted time of a cell."`
	WarmUp    time.Duration `default:"300ms" help:"Uncounted time before it."`
	Rounds    int           `default:"7" help:"Rounds of each load: two cells of each program."`
	Clients   []int         `default:"64" help:"Numbers of clients."`
	Databases []string      `default:"sqlite,postgres" enum:"sqlite,postgres" help:"Databases."`
	Parley    string        `type:"existingfile" placeholder:"PATH" help:"The program of now; without it, ./cmd/parley is built."`
}

// Run measures both programs and prints what the change costs.
func (c *compareCommand) Run(ctx context.Context) error {
	settings := bench.Settings{
		WarmUp: c.WarmUp, Duration: c.Duration, Rounds: c.Rounds, Clients: c.Clients, Databases: c.Databases, Parley: c.Parley,
		Command: "PARLEY_PG_DURABLE=1 scripts/with-postgres.sh scripts/bench.sh compare --databases=" + strings.Join(c.Databases, ",") + " ../before/parley",
	}
	compared, err := bench.Compare(ctx, settings, c.Before, os.Stderr)
	if err != nil {
		return err
	}
	fmt.Print(compared.Markdown())
	if compared.Failed() {
		return errors.New(`requests failed, so the figures mean nothing: see the column "failed"`)
	}
	return nil
}
