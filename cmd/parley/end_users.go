package main

import (
	"context"

	"parley/app"
	"parley/core/fault"
	"parley/core/privacy"
)

type endUserCmd struct {
	Export   endUserExportCmd   `cmd:"" help:"Write a ZIP with everything that a workspace stores of an end user to standard output."`
	Erase    endUserEraseCmd    `cmd:"" help:"Erase everything that a workspace stores of an end user, and print the receipt."`
	Receipts endUserReceiptsCmd `cmd:"" help:"Print the receipts of an end user's erasures."`
}

// endUser is one of a workspace, by the name that calling programs give.
type endUser struct {
	Workspace      string `arg:"" help:"ID of the workspace."`
	ExternalUserID string `arg:"" help:"external_user_id of the end user."`
}

type endUserExportCmd struct{ endUser }

// Run exports an end user.
func (cmd *endUserExportCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		if err := p.Privacy.Exports.HasEndUser(ctx, cmd.Workspace, cmd.ExternalUserID); err != nil {
			return err
		}
		object := privacy.EndUserObject(cmd.Workspace, cmd.ExternalUserID)
		if err := p.Privacy.Exports.Record(ctx, cmd.Workspace, object, "Everything that is stored of one end user."); err != nil {
			return err
		}
		return p.Privacy.Exports.EndUser(ctx, cmd.Workspace, cmd.ExternalUserID, io.out)
	})
}

type endUserEraseCmd struct {
	endUser
	Yes  bool `help:"Confirm that it cannot be undone."`
	JSON bool `name:"json" help:"Print JSON."`
}

var errUnconfirmed = fault.New(fault.Invalid, "This cannot be undone. Add --yes to confirm.")

// Run erases an end user.
func (cmd *endUserEraseCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	if !cmd.Yes {
		return errUnconfirmed
	}
	return withProgram(ctx, config, func(p *app.Program) error {
		if _, err := p.Tenants.Workspaces.Workspace(ctx, cmd.Workspace); err != nil {
			return err
		}
		receipt, err := p.Privacy.EndUsers.Erase(app.LongRunning(ctx), cmd.Workspace, cmd.ExternalUserID)
		if err != nil {
			return err
		}
		return showReceipt(io, cmd.JSON, receipt)
	})
}

type endUserReceiptsCmd struct {
	endUser
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints receipts.
func (cmd *endUserReceiptsCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		receipts, err := p.Privacy.Receipts.Find(ctx, privacy.EndUserHash(cmd.Workspace, cmd.ExternalUserID))
		if err != nil {
			return err
		}
		for _, receipt := range receipts {
			if err := showReceipt(io, cmd.JSON, receipt); err != nil {
				return err
			}
		}
		return nil
	})
}

type userExportCmd struct {
	Email string `arg:"" help:"E-mail address."`
}

// Run exports an account.
func (cmd *userExportCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		user, err := p.Tenants.Users.ByEmail(ctx, cmd.Email)
		if err != nil {
			return err
		}
		if err := p.Privacy.Exports.Record(ctx, "", privacy.AccountObject(user), "Everything that is stored of the account."); err != nil {
			return err
		}
		return p.Privacy.Exports.Account(ctx, user, io.out)
	})
}

type userDeleteCmd struct {
	Email string `arg:"" help:"E-mail address."`
	Yes   bool   `help:"Confirm that it cannot be undone."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run deletes an account.
func (cmd *userDeleteCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	if !cmd.Yes {
		return errUnconfirmed
	}
	return withProgram(ctx, config, func(p *app.Program) error {
		user, err := p.Tenants.Users.ByEmail(ctx, cmd.Email)
		if err != nil {
			return err
		}
		receipt, err := p.Privacy.Persons.DeleteProven(app.LongRunning(ctx), user)
		if err != nil {
			return err
		}
		return showReceipt(io, cmd.JSON, receipt)
	})
}

type workspaceExportCmd struct {
	ID string `arg:"" help:"ID of the workspace."`
}

// Run exports a workspace.
func (cmd *workspaceExportCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		workspace, err := p.Tenants.Workspaces.Workspace(ctx, cmd.ID)
		if err != nil {
			return err
		}
		if err := p.Privacy.Exports.Record(ctx, workspace.ID, privacy.WorkspaceObject(workspace), "Everything in the workspace."); err != nil {
			return err
		}
		return p.Privacy.Exports.Workspace(ctx, workspace.ID, "", io.out)
	})
}
