package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"parley/api/wire"
	"parley/app"
	"parley/core/fault"
)

type workspaceCmd struct {
	Create workspaceCreateCmd `cmd:"" help:"Create a workspace for a user, who owns it."`
	List   workspaceListCmd   `cmd:"" help:"List all workspaces."`

	Export  workspaceExportCmd  `cmd:"" help:"Write a ZIP with everything in a workspace to standard output."`
	Delete  workspaceDeleteCmd  `cmd:"" help:"Delete a workspace. It can be restored for seven days, unless --now is given."`
	Restore workspaceRestoreCmd `cmd:"" help:"Restore a workspace that is being deleted."`
}

type workspaceCreateCmd struct {
	Name  string `arg:"" help:"Name of the workspace."`
	Owner string `required:"" placeholder:"EMAIL" help:"E-mail address of the user who owns it."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run creates a workspace.
func (cmd *workspaceCreateCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		user, err := p.Tenants.Users.ByEmail(ctx, cmd.Owner)
		if err != nil {
			return err
		}
		workspace, err := p.Tenants.Workspaces.Create(ctx, user, cmd.Name)
		if err != nil {
			return err
		}
		return show1(io.out, cmd.JSON, wire.WorkspaceToWire(workspace), workspace.ID)
	})
}

type workspaceListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run lists the workspaces.
func (cmd *workspaceListCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		return showList(io.out, cmd.JSON, p.Tenants.Workspaces.All(ctx), wire.WorkspaceToWire, []string{"id", "name", "plan"},
			func(w wire.Workspace) []string { return []string{w.ID, w.Name, w.Plan} })
	})
}

type userCmd struct {
	Create   userCreateCmd   `cmd:"" help:"Create a user."`
	List     userListCmd     `cmd:"" help:"List all users."`
	Confirm  userConfirmCmd  `cmd:"" help:"Confirm a user's e-mail address on your word."`
	Password userPasswordCmd `cmd:"" help:"Set a user's password and sign them out everywhere."`
	Export   userExportCmd   `cmd:"" help:"Write a ZIP with everything that is stored of a user to standard output."`
	Delete   userDeleteCmd   `cmd:"" help:"Erase a user's account, and print the receipt. Workspaces in which nobody else is are deleted, too."`

	ResetSecondFactor userFactorCmd `cmd:"" help:"Remove all second factors of a user who has lost them, and sign them out everywhere."`
}

type userCreateCmd struct {
	Email         string `arg:"" help:"E-mail address."`
	PasswordStdin bool   `help:"Read the password from standard input. Default: generate one and print it."`
	JSON          bool   `name:"json" help:"Print JSON."`
}

// Run creates a user.
func (cmd *userCreateCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		password, shown, err := choosePassword(p, io, cmd.PasswordStdin)
		if err != nil {
			return err
		}
		user, err := p.Tenants.SignUps.CreateUser(ctx, cmd.Email, password)
		if err != nil {
			return err
		}
		rows := [][2]string{{"id", user.ID}, {"e-mail", user.Email}}
		if shown != "" {
			rows = append(rows, [2]string{"password", shown})
		}
		return showRecord(io.out, cmd.JSON, wire.NewPasswordToWire(user, shown), rows)
	})
}

// choosePassword reads a password or generates one, which the caller then shows.
func choosePassword(p *app.Program, io streams, fromStdin bool) (password, shown string, err error) {
	if !fromStdin {
		password = p.Tenants.Passwords.Random()
		return password, password, nil
	}
	line, err := bufio.NewReader(io.in).ReadString('\n')
	if err != nil && line == "" {
		return "", "", fault.New(fault.Invalid, "Standard input has no password.")
	}
	return strings.TrimRight(line, "\r\n"), "", nil
}

type userListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run lists the users.
func (cmd *userListCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		return showList(io.out, cmd.JSON, p.Tenants.Users.All(ctx), wire.UserToWire, []string{"id", "e-mail", "confirmed"},
			func(u wire.User) []string { return []string{u.ID, u.Email, yesOrNo(u.Confirmed)} })
	})
}

func yesOrNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

type userConfirmCmd struct {
	Email string `arg:"" help:"E-mail address."`
}

// Run confirms an address.
func (cmd *userConfirmCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		if err := p.Tenants.Addresses.Vouch(ctx, cmd.Email); err != nil {
			return err
		}
		_, err := fmt.Fprintf(io.out, "The address %s is confirmed.\n", cmd.Email)
		return err
	})
}

type userPasswordCmd struct {
	Email         string `arg:"" help:"E-mail address."`
	PasswordStdin bool   `help:"Read the password from standard input. Default: generate one and print it."`
	JSON          bool   `name:"json" help:"Print JSON."`
}

// Run replaces a password.
func (cmd *userPasswordCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		user, err := p.Tenants.Users.ByEmail(ctx, cmd.Email)
		if err != nil {
			return err
		}
		password, shown, err := choosePassword(p, io, cmd.PasswordStdin)
		if err != nil {
			return err
		}
		if err := p.Tenants.Passwords.Reset(ctx, cmd.Email, password); err != nil {
			return err
		}
		rows := [][2]string{{"e-mail", user.Email}}
		if shown != "" {
			rows = append(rows, [2]string{"password", shown})
		}
		return showRecord(io.out, cmd.JSON, wire.NewPasswordToWire(user, shown), rows)
	})
}

type userFactorCmd struct {
	Email string `arg:"" help:"E-mail address."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run removes the second factors of a user.
func (cmd *userFactorCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		user, err := p.Tenants.Factors.Resets.Reset(ctx, cmd.Email)
		if err != nil {
			return err
		}
		return showRecord(io.out, cmd.JSON, wire.UserToWire(user), [][2]string{{"id", user.ID}, {"e-mail", user.Email}})
	})
}

// withProgram opens the program for one command.
func withProgram(ctx context.Context, config *app.Config, do func(*app.Program) error) error {
	p, err := app.Open(ctx, config, app.NewLog(config))
	if err != nil {
		return err
	}
	defer p.Close()
	return do(p)
}
