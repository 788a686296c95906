package main

import (
	"fmt"

	"parley/app"
)

type configCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
	Docs bool `name:"docs" help:"Print docs/config.md."`
	Env  bool `name:"env" help:"Print .env.example."`
}

// Run prints the current configuration.
func (cmd *configCmd) Run(config *app.Config, io streams) error {
	if cmd.Docs {
		_, err := fmt.Fprint(io.out, config.Reference())
		return err
	}
	if cmd.Env {
		_, err := fmt.Fprint(io.out, config.EnvExample())
		return err
	}
	values := map[string]string{}
	var rows [][2]string
	for _, s := range config.Settings() {
		values[s.Env] = s.Value
		rows = append(rows, [2]string{s.Env, s.Value})
	}
	return showRecord(io.out, cmd.JSON, values, rows)
}
