package main

import (
	"context"
	"time"

	"parley/api/wire"
	"parley/app"
	"parley/core/fault"
)

type doctorCmd struct {
	Parts     doctorPartsCmd     `cmd:"" default:"withargs" help:"Check the database, index, models, keys, Stripe and the mail server, and say what to do. The default."`
	Isolation doctorIsolationCmd `cmd:"" help:"Try to cross from one throw-away workspace to another on the server that runs, in every way there is, and take both away again."`
}

type doctorPartsCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

const doctorWithin = 30 * time.Second

// Run checks each part, and fails if one does not work.
func (cmd *doctorPartsCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	ctx, cancel := context.WithTimeout(ctx, doctorWithin)
	defer cancel()
	found := app.Diagnose(ctx, config)
	err := showTable(io.out, cmd.JSON, found, []string{"part", "state", "detail"}, wire.MapSlice(found, func(d app.Diagnosis) []string {
		if d.Unchecked {
			return []string{d.Part, "not checked", d.Detail}
		}
		if d.OK {
			return []string{d.Part, "ok", d.Detail}
		}
		return []string{d.Part, "FAILED", d.Detail + " – " + d.Remedy}
	}))
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
