package main

import (
	"context"
	"fmt"
	"io"

	"parley/app"
	"parley/core/audit/export"
	"parley/internal/demo"
)

type serveCmd struct {
	Demo bool `help:"Prepare the demo at the first start: a workspace, a chatbot that knows the help pages of a bicycle shop, and a token."`
	JSON bool `name:"json" help:"Print the server's address as JSON, with the demo's facts if it is new."`
}

// Run serves until it is stopped.
func (cmd *serveCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	if err := config.CheckServing(); err != nil {
		return err
	}
	log := app.NewLog(config)
	app.LimitMemory(log)
	if cmd.Demo {
		config.LetOwnersChangePlans()
	}
	// Before opening the database, which a newer version would migrate while
	// another server uses it.
	unlock, err := app.Lock(config)
	if err != nil {
		return err
	}
	defer unlock()
	options := app.Options{Version: version}
	if config.AuditStdout {
		options.Audited = export.To(io.out, log)
	}
	p, err := app.OpenWith(ctx, config, log, options)
	if err != nil {
		return err
	}
	defer p.Close()
	if err := p.InterruptCut(ctx); err != nil {
		return err
	}
	s, err := app.Listen(p)
	if err != nil {
		return err
	}
	if err := welcome(ctx, s, *cmd, io.out); err != nil {
		return fmt.Errorf("cannot prepare the demo: %w", err)
	}
	p.WarnOfSettings()
	log.Info("listening", "address", s.Addr().String(), "version", version, "model", p.Answers.ModelName())
	return s.Serve(ctx)
}

// welcome prepares the demo and prints the addresses.
func welcome(ctx context.Context, s *app.Server, cmd serveCmd, out io.Writer) error {
	base := s.BaseURL()
	if !cmd.Demo {
		return show1(out, cmd.JSON, map[string]any{"base_url": base}, "Parley is at "+base)
	}
	facts, err := s.PrepareDemo(ctx, base, false)
	if err != nil {
		return err
	}
	if cmd.JSON {
		return showJSON(out, facts)
	}
	if facts.Password == nil {
		fmt.Fprintf(out, "Parley is at %s\nThe demo already exists; sign in as %s. For a new API token run: parley demo --json\n", base, facts.Email)
		return nil
	}
	fmt.Fprintf(out, welcomeText, base, facts.DashboardURL, facts.Email, *facts.Password,
		app.DemoChatbot, base, *facts.Token, demo.Question, base, *facts.Token, demo.SecondQuestion)
	return nil
}

const welcomeText = `
Parley is at %s

Sign in at   %s
  e-mail     %s
  password   %s      (shown once)

Ask the chatbot "%s", which knows the help pages of a bicycle shop (the token is shown once):

curl -s %s/api/v1/chat -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{"message":"%s"}'

curl -sN %s/api/v1/chat/stream -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{"message":"%s"}'

`

type migrateCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run applies the migrations, which opening the program does.
func (cmd *migrateCmd) Run(ctx context.Context, config *app.Config, io streams) error {
	p, err := app.Open(ctx, config, app.NewLog(config))
	if err != nil {
		return err
	}
	defer p.Close()
	return show1(io.out, cmd.JSON, map[string]any{"status": "current"}, "The database has this version's schema.")
}

type versionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints the version.
func (cmd *versionCmd) Run(io streams) error {
	return show1(io.out, cmd.JSON, map[string]any{"version": version}, version)
}
