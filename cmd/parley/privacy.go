package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"parley/app"
	"parley/core/fault"
	"parley/core/privacy"
)

// receiptView is the receipt of an erasure.
type receiptView struct {
	ID          string           `json:"id"`
	Kind        string           `json:"kind"`
	WorkspaceID *string          `json:"workspace_id"`
	SubjectHash string           `json:"subject_hash"`
	Erased      map[string]int64 `json:"erased"`
	Remaining   map[string]int64 `json:"remaining"`
	Exceptions  []string         `json:"exceptions"`
	CreatedAt   time.Time        `json:"created_at"`
	DoneAt      *time.Time       `json:"done_at"`
}

func viewReceipt(e privacy.Erasure) receiptView {
	v := receiptView{
		ID: e.ID, Kind: string(e.Kind), SubjectHash: e.SubjectHash, Erased: e.Erased, Remaining: e.Remaining,
		Exceptions: privacy.Exceptions(e.Kind), CreatedAt: e.CreatedAt, DoneAt: e.DoneAt,
	}
	if e.WorkspaceID != "" {
		v.WorkspaceID = &e.WorkspaceID
	}
	return v
}

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
	return showRecord(io.out, json, viewReceipt(e), rows)
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
			receipt, err := p.Privacy.Workspaces.DeleteNow(app.LongRunning(ctx), cmd.ID)
			if err != nil {
				return err
			}
			return showReceipt(io, cmd.JSON, receipt)
		}
		ending, err := p.Privacy.Workspaces.Delete(ctx, cmd.ID)
		if err != nil {
			return err
		}
		return showRecord(io.out, cmd.JSON, map[string]any{"id": ending.ID, "delete_at": ending.DeleteAt}, [][2]string{
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
		return showRecord(io.out, cmd.JSON, map[string]any{"id": cmd.ID}, [][2]string{{"restored", cmd.ID}})
	})
}
