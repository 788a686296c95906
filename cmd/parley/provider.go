package main

import (
	"context"
	"fmt"

	"parley/core/fault"
	"parley/internal/app"
)

type providerCmd struct {
	Reseal resealCmd `cmd:"" help:"Encrypt the keys of workspaces' model providers again with the first key in SECRET_KEY."`
}

type resealCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints how many keys it encrypted, and fails if it cannot read some.
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
		return cmd.print(io, sealed, ids)
	})
}

func (cmd *resealCmd) print(io streams, sealed int, unreadable []string) error {
	result := struct {
		Sealed     int      `json:"sealed"`
		Unreadable []string `json:"unreadable"`
	}{sealed, unreadable}
	rows := [][2]string{{"sealed", fmt.Sprint(sealed)}}
	for _, id := range unreadable {
		rows = append(rows, [2]string{"unreadable", id})
	}
	if err := showRecord(io.out, cmd.JSON, result, rows); err != nil {
		return err
	}
	if len(unreadable) > 0 {
		return fault.New(fault.Unavailable, "Some keys cannot be read. Add the key that encrypted them to SECRET_KEY, after a comma, or ask their owners to enter them again.")
	}
	return nil
}
