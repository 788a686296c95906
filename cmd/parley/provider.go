package main

import (
	"context"
	"fmt"

	"parley/app"
	"parley/core/fault"
)

type providerCmd struct {
	Reseal resealCmd `cmd:"" help:"Encrypt everything that is sealed with SECRET_KEY again with its first key: the keys of workspaces' model providers, the secrets of their webhooks and of their single sign-on, and those of people's authenticator apps. After that no former key is needed."`
}

type resealCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints how many keys and secrets it encrypted, and fails if it cannot read some.
func (cmd *resealCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	return withProgram(ctx, config, func(p *app.Program) error {
		sealed, unreadable, err := p.Chatbots.Providers.ResealKeys(ctx)
		if err != nil {
			return err
		}
		ids := make([]string, len(unreadable))
		for i, provider := range unreadable {
			ids[i] = provider.WorkspaceID + "/" + provider.ID
		}
		webhooks, closed, err := p.Webhooks.Resealer.Reseal(ctx)
		if err != nil {
			return err
		}
		for _, endpoint := range closed {
			ids = append(ids, endpoint.WorkspaceID+"/"+endpoint.ID)
		}
		connections, lost, err := p.SSO.Connections.Reseal(ctx)
		if err != nil {
			return err
		}
		for _, connection := range lost {
			ids = append(ids, connection.WorkspaceID+"/"+connection.ID)
		}
		apps, people, err := p.Tenants.Factors.Resealer.Reseal(ctx)
		if err != nil {
			return err
		}
		for _, user := range people {
			ids = append(ids, user.Email)
		}
		return cmd.print(io, resealed{sealed, webhooks, connections, apps, ids})
	})
}

// resealed counts what was encrypted again.
type resealed struct {
	// Sealed are the keys of providers.
	Sealed     int      `json:"sealed"`
	Webhooks   int      `json:"webhooks"`
	SSO        int      `json:"sso"`
	Apps       int      `json:"apps"`
	Unreadable []string `json:"unreadable"`
}

func (cmd *resealCmd) print(io streams, result resealed) error {
	rows := [][2]string{
		{"sealed", fmt.Sprint(result.Sealed)}, {"webhooks", fmt.Sprint(result.Webhooks)}, {"sso", fmt.Sprint(result.SSO)}, {"apps", fmt.Sprint(result.Apps)},
	}
	for _, id := range result.Unreadable {
		rows = append(rows, [2]string{"unreadable", id})
	}
	if err := showRecord(io.out, cmd.JSON, result, rows); err != nil {
		return err
	}
	if len(result.Unreadable) > 0 {
		return fault.New(fault.Unavailable, "Some keys or secrets cannot be read. Add the key that encrypted them to SECRET_KEY, after a comma. Otherwise ask their owners to enter the keys again and to rotate the secrets of webhooks, and remove the second factors of people with parley user reset-second-factor.")
	}
	return nil
}
