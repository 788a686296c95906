package main

import (
	"context"
	"fmt"
	"io"

	"parley/internal/demo"
)

type serveCmd struct {
	Demo bool `help:"Prepare the demo at the first start: a workspace, a chatbot that knows the help pages of a bicycle shop, and a token."`
	JSON bool `name:"json" help:"Print where the server is as JSON, with the demo's facts when it is new."`
}

// Run serves until it is told to stop.
func (cmd *serveCmd) Run(ctx context.Context, config *Config, io streams) error {
	if err := config.validateServing(); err != nil {
		return err
	}
	log := newLog(config)
	if cmd.Demo && config.PlanChanges == "" {
		config.PlanChanges = byOwner
	}
	// Before the database is opened, which a newer version would migrate under
	// the server that is running.
	for _, dir := range config.dataDirs() {
		unlock, err := lockDataDir(dir)
		if err != nil {
			return err
		}
		defer unlock()
	}
	p, err := openProgram(ctx, config, log)
	if err != nil {
		return err
	}
	defer p.close()
	if p.store.IsSQLite() { // this process is the only server on the database
		if err := p.chat.InterruptAll(ctx); err != nil {
			return err
		}
	}
	s, err := newServer(p)
	if err != nil {
		return err
	}
	if err := s.welcome(ctx, *cmd, io.out); err != nil {
		return fmt.Errorf("the demo cannot be prepared: %w", err)
	}
	if config.clientsAreOne() {
		log.Warn(clientsAreOneFault, "remedy", clientsAreOneRemedy)
	}
	if config.linksLeadNowhere() {
		log.Warn(linksLeadNowhereFault, "remedy", linksLeadNowhereRemedy)
	}
	log.Info("listening", "address", s.listener.Addr().String(), "version", version, "model", p.chat.ModelName())
	return s.run(ctx)
}

// welcome prepares the demo and prints where to go.
func (s *server) welcome(ctx context.Context, cmd serveCmd, out io.Writer) error {
	base := s.baseURL()
	if !cmd.Demo {
		return show1(out, cmd.JSON, map[string]any{"base_url": base}, "Parley is at "+base)
	}
	facts, err := s.prepareDemo(ctx, base, false)
	if err != nil {
		return err
	}
	if cmd.JSON {
		return showJSON(out, facts)
	}
	if facts.Password == nil {
		fmt.Fprintf(out, "Parley is at %s\nThe demo is there already; sign in as %s. A new API token: parley demo --json\n", base, facts.Email)
		return nil
	}
	fmt.Fprintf(out, welcomeText, base, facts.DashboardURL, facts.Email, *facts.Password,
		demoChatbot, base, *facts.Token, demo.Question, base, *facts.Token, demo.SecondQuestion)
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

// Run applies the migrations: opening the program does.
func (cmd *migrateCmd) Run(ctx context.Context, config *Config, io streams) error {
	p, err := openProgram(ctx, config, newLog(config))
	if err != nil {
		return err
	}
	defer p.close()
	return show1(io.out, cmd.JSON, map[string]any{"status": "current"}, "The database has this version's schema.")
}

type versionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints the version.
func (cmd *versionCmd) Run(io streams) error {
	return show1(io.out, cmd.JSON, map[string]any{"version": version}, version)
}
