package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"parley/api/wire"
	"parley/app"
	"parley/core/fault"
	"parley/core/privacy"
)

// showReceipt prints a receipt: what was erased, and what remains.
func showReceipt(io streams, json bool, e privacy.Erasure) error {
	rows := [][2]string{{"receipt", e.ID}, {"done", "not yet: the server goes on with it every minute"}}
	if e.DoneAt != nil {
		rows[1][1] = e.DoneAt.UTC().Format(time.RFC3339)
	}
	for _, kind := range slices.Sorted(maps.Keys(e.Erased)) {
		if e.Erased[kind] > 0 || e.Remaining[kind] > 0 {
			rows = append(rows, [2]string{kind, fmt.Sprintf("%d erased, %d remaining", e.Erased[kind], e.Remaining[kind])})
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(e.Remaining)) { // what servers have counted in indexes of their own
		if _, known := e.Erased[kind]; !known {
			rows = append(rows, [2]string{kind, fmt.Sprintf("%d remaining", e.Remaining[kind])})
		}
	}
	for _, exception := range privacy.Exceptions(e.Kind) {
		rows = append(rows, [2]string{"except", exception})
	}
	return showRecord(io.out, json, wire.ErasureToWire(e), rows)
}

type workspaceDeleteCmd struct {
	ID   string `arg:"" help:"ID of the workspace."`
	Now  bool   `help:"Erase everything at once. This cannot be undone."`
	Yes  bool   `help:"Confirm --now."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Run deletes a workspace.
func (cmd *workspaceDeleteCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	if cmd.Now && !cmd.Yes {
		return fault.New(fault.Invalid, "--now erases everything in the workspace, and cannot be undone. Add --yes to confirm.")
	}
	return withProgram(ctx, config, func(p *app.Program) error {
		if cmd.Now {
			receipt, err := p.Privacy.Workspaces.DeleteNow(app.Background(ctx), cmd.ID)
			if err != nil {
				return err
			}
			return showReceipt(io, cmd.JSON, receipt)
		}
		ending, err := p.Privacy.Workspaces.Delete(ctx, cmd.ID)
		if err != nil {
			return err
		}
		return showRecord(io.out, cmd.JSON, wire.WorkspaceToWire(ending), [][2]string{
			{"id", ending.ID}, {"name", ending.Name}, {"erased on", ending.DeleteAt.UTC().Format(time.RFC3339)},
		})
	})
}

type workspaceRestoreCmd struct {
	ID   string `arg:"" help:"ID of the workspace."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Run takes the deletion of a workspace back.
func (cmd *workspaceRestoreCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		if err := p.Privacy.Workspaces.Restore(ctx, cmd.ID, ""); err != nil {
			return err
		}
		return showRecord(io.out, cmd.JSON, wire.Changed{ID: cmd.ID, Status: "restored"}, [][2]string{{"restored", cmd.ID}})
	})
}
