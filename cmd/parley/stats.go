package main

import (
	"context"
	"fmt"
	"time"

	"parley/app"
)

type statsCmd struct {
	Rebuild statsRebuildCmd `cmd:"" help:"Make the statistics of all chatbots again from what is stored. The server may run meanwhile."`
}

type statsRebuildCmd struct {
	Since string `placeholder:"TIME" help:"Begin with the month of this time: a date (2026-01-31), or how long ago (720h). The new statistics lack the users, topics and documents of conversations that were deleted meanwhile. Default: everything."`
}

// Run makes the statistics again.
func (cmd *statsRebuildCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	since, err := parseSince(cmd.Since)
	if err != nil {
		return err
	}
	if since.IsZero() {
		since = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return withProgram(ctx, config, func(p *app.Program) error {
		months, err := p.RebuildStats(ctx, since)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(io.out, "The statistics of %d months were made again. Each chatbot counts its own months.\n", months)
		return err
	})
}
