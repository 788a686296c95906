package main

import (
	"context"

	"parley/app"
)

type demoCmd struct {
	JSON bool `name:"json" help:"Print the facts as JSON."`
}

// Run prepares the demo and issues a token. It also works while a server is running.
func (cmd *demoCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	p, err := app.Open(ctx, config, app.NewLog(config))
	if err != nil {
		return err
	}
	defer p.Close()
	facts, err := p.PrepareDemo(ctx, config.PublicURL(config.ListenAddress()), true)
	if err != nil {
		return err
	}
	rows := [][2]string{
		{"sign in", facts.DashboardURL},
		{"e-mail", facts.Email},
		{"workspace", facts.WorkspaceID},
		{"chatbot", facts.ChatbotID},
		{"token", *facts.Token},
	}
	if facts.Password != nil {
		rows = append(rows, [2]string{"password", *facts.Password})
	}
	return showRecord(io.out, cmd.JSON, facts, rows)
}
