package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"parley/bench"
	"parley/bench/scale"
)

// scaleFlags are the flags of the part about large installations.
type scaleFlags struct {
	Workspaces    int           `default:"100000" help:"Workspaces with one chatbot each that fill the database of the part scale."`
	Messages      int           `default:"10000000" help:"Messages that they have together."`
	ScaleRequests int           `default:"20" help:"Requests of each page on each system of the part scale."`
	Chores        time.Duration `default:"10m" help:"Time that the part scale gives the chores that run after the start."`
}

// scale measures a large installation. It is not part of a run without --only: it takes
// an hour and 20 GB.
func (c *runCommand) scale(ctx context.Context, into *output) error {
	report, err := bench.RunScale(ctx, c.scaleSettings(), os.Stderr)
	if err != nil {
		return err
	}
	into.Scale = &report
	for _, s := range report.Systems {
		if s.Failures > 0 {
			fmt.Print(report.Markdown())
			return errors.New(`questions failed, so the figures mean nothing: see the column "failed"`)
		}
	}
	show(report)
	return nil
}

func (c *runCommand) scaleSettings() bench.ScaleSettings {
	f := c.Scale
	s := bench.ScaleSettings{
		Sizes:  scale.Sizes{Workspaces: f.Workspaces, Messages: f.Messages},
		Rounds: c.Rounds, Duration: c.Duration, Requests: f.ScaleRequests, Chores: f.Chores,
		Databases: c.Databases, Parley: c.Parley,
		Command: "PARLEY_PG_DURABLE=1 scripts/with-postgres.sh scripts/bench.sh --only=scale --databases=" + strings.Join(c.Databases, ","),
	}
	if c.Quick {
		s.Sizes, s.Rounds, s.Duration, s.Requests, s.Chores = scale.Sizes{Workspaces: 1_000, Messages: 20_000}, 1, time.Second, 3, 61*time.Second
		s.Command += " --quick"
		return s
	}
	s.Command += fmt.Sprintf(" --workspaces=%d --messages=%d --rounds=%d --duration=%v --scale-requests=%d --chores=%v",
		f.Workspaces, f.Messages, c.Rounds, c.Duration, f.ScaleRequests, f.Chores)
	return s
}
