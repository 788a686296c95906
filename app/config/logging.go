package config

import "errors"

// Logging configures the log.
type Logging struct {
	LogFormat string `name:"log-format" env:"LOG_FORMAT" default:"text" help:"Format of the log on standard error: text or json."`
	LogLevel  string `name:"log-level" env:"LOG_LEVEL" default:"info" help:"Lowest level that is logged: debug, info, warn or error."`
}

func (c *Logging) check() error {
	switch c.LogFormat {
	case "", "text", "json":
	default:
		return errors.New("LOG_FORMAT must be text or json")
	}
	switch c.LogLevel {
	case "", "debug", "info", "warn", "error":
	default:
		return errors.New("LOG_LEVEL must be debug, info, warn or error")
	}
	return nil
}
