package main

import (
	"context"
	"strconv"

	"parley/api/wire"
	"parley/app"
	"parley/core/sso"
)

type ssoCmd struct {
	List     ssoListCmd     `cmd:"" help:"List the identity providers of workspaces and their domains."`
	Confirm  ssoConfirmCmd  `cmd:"" help:"Confirm that a domain belongs to the workspace that names it, without its DNS record."`
	Withdraw ssoWithdrawCmd `cmd:"" help:"Withdraw the confirmation of a domain: nobody signs in by its connection any more."`
	Unlink   ssoUnlinkCmd   `cmd:"" help:"Unlink an account from identity providers. The next sign-in links it again by its address."`
}

type ssoListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run lists the connections.
func (cmd *ssoListCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		view := func(c sso.SealedConnection) wire.Connection { return wire.ConnectionToWire(c.Connection) }
		return showList(io.out, cmd.JSON, p.SSO.Connections.All(ctx), view, []string{"workspace", "domain", "issuer", "confirmed", "required"},
			func(c wire.Connection) []string {
				return []string{c.WorkspaceID, c.Domain, c.Issuer, strconv.FormatBool(c.ConfirmedAt != nil), strconv.FormatBool(c.Required)}
			})
	})
}

type ssoConfirmCmd struct {
	Domain    string `arg:"" help:"Domain of e-mail addresses, such as example.com."`
	Workspace string `placeholder:"ID" help:"Workspace, if several name the domain."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run confirms a domain.
func (cmd *ssoConfirmCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		confirmed, err := p.SSO.Domains.Confirm(ctx, cmd.Domain, cmd.Workspace)
		if err != nil {
			return err
		}
		return showRecord(io.out, cmd.JSON, wire.ConnectionToWire(confirmed), [][2]string{{"confirmed", confirmed.Domain}, {"workspace", confirmed.WorkspaceID}})
	})
}

type ssoWithdrawCmd struct {
	Domain string `arg:"" help:"Domain of e-mail addresses, such as example.com."`
	JSON   bool   `name:"json" help:"Print JSON."`
}

// Run withdraws the confirmation of a domain.
func (cmd *ssoWithdrawCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		withdrawn, err := p.SSO.Domains.Withdraw(ctx, cmd.Domain)
		if err != nil {
			return err
		}
		return showRecord(io.out, cmd.JSON, wire.ConnectionToWire(withdrawn),
			[][2]string{{"withdrawn", withdrawn.Domain}, {"workspace", withdrawn.WorkspaceID}})
	})
}

type ssoUnlinkCmd struct {
	Email string `arg:"" help:"E-mail address of the account."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run removes the links of an account.
func (cmd *ssoUnlinkCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		removed, err := p.SSO.SignIns.Unlink(ctx, cmd.Email)
		if err != nil {
			return err
		}
		return showRecord(io.out, cmd.JSON, map[string]any{"email": cmd.Email, "unlinked": removed}, [][2]string{{"e-mail", cmd.Email}, {"unlinked", strconv.Itoa(removed)}})
	})
}
