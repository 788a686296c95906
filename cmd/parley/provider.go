package main

import (
	"context"
	"fmt"

	"parley/core/fault"
	"parley/internal/app"
)

type providerCmd struct {
	Reseal resealCmd `cmd:"" help:"Encrypt the keys of workspaces' model providers and the secrets of their webhooks and of their single sign-on again with the first key in SECRET_KEY."`
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
		return cmd.print(io, sealed, webhooks, connections, ids)
	})
}

func (cmd *resealCmd) print(io streams, sealed, webhooks, connections int, unreadable []string) error {
	result := struct {
		Sealed     int      `json:"sealed"`
		Webhooks   int      `json:"webhooks"`
		SSO        int      `json:"sso"`
		Unreadable []string `json:"unreadable"`
	}{sealed, webhooks, connections, unreadable}
	rows := [][2]string{{"sealed", fmt.Sprint(sealed)}, {"webhooks", fmt.Sprint(webhooks)}, {"sso", fmt.Sprint(connections)}}
	for _, id := range unreadable {
		rows = append(rows, [2]string{"unreadable", id})
	}
	if err := showRecord(io.out, cmd.JSON, result, rows); err != nil {
		return err
	}
	if len(unreadable) > 0 {
		return fault.New(fault.Unavailable, "Some keys or secrets cannot be read. Add the key that encrypted them to SECRET_KEY, after a comma. Otherwise ask their owners to enter the keys again, and to rotate the secrets of webhooks.")
	}
	return nil
}
