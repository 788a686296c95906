package main

import (
	"context"
	"time"

	"parley/core/fault"
	"parley/internal/app"
)

type doctorCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

const doctorWithin = 10 * time.Second

// Run checks each part, and fails if one does not work.
func (cmd *doctorCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	ctx, cancel := context.WithTimeout(ctx, doctorWithin)
	defer cancel()
	found := app.Diagnose(ctx, config)
	err := showTable(io.out, cmd.JSON, found, []string{"part", "state", "detail"}, func(d app.Diagnosis) []string {
		if d.OK {
			return []string{d.Part, "ok", d.Detail}
		}
		return []string{d.Part, "FAILED", d.Detail + " – " + d.Remedy}
	})
	if err != nil {
		return err
	}
	for _, d := range found {
		if !d.OK {
			return fault.New(fault.Unavailable, "Something needs your attention: see above.")
		}
	}
	return nil
}
