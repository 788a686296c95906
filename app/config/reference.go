package config

import (
	"fmt"
	"strings"
)

// Reference returns docs/config.md.
func (c *Config) Reference() string {
	var b strings.Builder
	b.WriteString("# Configuration\n\nEvery setting is a flag of `parley` and an environment variable; the flag wins. " +
		"`parley config` prints what is in force. This page is generated: `make generate`.\n\n" +
		"| variable | flag | default | meaning |\n|---|---|---|---|\n")
	for _, s := range c.Settings() {
		fallback := "–"
		if s.Default != "" {
			fallback = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `--%s` | %s | %s |\n", s.Env, s.Flag, fallback, s.Help)
	}
	return b.String()
}

// EnvExample returns .env.example: every setting as a comment, with its meaning.
func (c *Config) EnvExample() string {
	var b strings.Builder
	b.WriteString("# Settings of Parley, with their defaults. Copy this file to .env, remove the # of a setting and give it a value.\n" +
		"# compose.yaml and systemd's EnvironmentFile read such a file; the program itself reads its environment.\n" +
		"# The head of compose.yaml names what it needs beside these. This file is generated: make generate.\n")
	for _, s := range c.Settings() {
		fmt.Fprintf(&b, "\n# %s\n#%s=%s\n", s.Help, s.Env, s.Default)
	}
	return b.String()
}
