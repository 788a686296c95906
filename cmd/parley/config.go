package main

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"parley/web"
)

// Config is the whole configuration, by flags and environment. The reference
// in docs/config.md is generated from it.
type Config struct {
	Listen       string        `name:"listen" env:"LISTEN_ADDR" placeholder:"ADDRESS" help:"Address to listen on. Default: 127.0.0.1:8080, or all interfaces on PORT when only that is set."`
	Port         int           `name:"port" env:"PORT" help:"Port to listen on, on all interfaces, when no address is given."`
	DataDir      string        `name:"data-dir" env:"DATA_DIR" default:"./data" help:"Folder of the embedded database and index."`
	BaseURL      string        `name:"base-url" env:"BASE_URL" placeholder:"URL" help:"Address under which people reach the server, such as https://parley.example.com. Default: http:// and the address listened on. With https, cookies are sent over TLS only."`
	DatabaseURL  string        `name:"database-url" env:"DATABASE_URL" placeholder:"URL" secret:"url" help:"PostgreSQL database, as postgres://user:password@host:5432/name. Default: SQLite in the data folder."`
	WeaviateURL  string        `name:"weaviate-url" env:"WEAVIATE_URL" placeholder:"URL" help:"Weaviate that holds the retrieval index. Not part of this version: unset means the embedded index, and the server refuses to start with it set."`
	LLMBaseURL   string        `name:"llm-base-url" env:"LLM_BASE_URL" placeholder:"URL" secret:"url" help:"OpenAI-compatible server, such as https://api.openai.com/v1. Default: OpenAI's when a key or model is set; without any of the three, answers are extracted from the passages without a model."`
	LLMAPIKey    string        `name:"llm-api-key" env:"LLM_API_KEY" placeholder:"KEY" secret:"text" help:"Key for the model's server."`
	LLMModel     string        `name:"llm-model" env:"LLM_MODEL" placeholder:"NAME" help:"Name of the model. Default: gpt-4o-mini when a server or key is set."`
	LLMTimeout   time.Duration `name:"llm-timeout" env:"LLM_TIMEOUT" default:"2m" help:"Longest time for a whole answer of the model."`
	LLMFirst     time.Duration `name:"llm-first-token-timeout" env:"LLM_FIRST_TOKEN_TIMEOUT" default:"30s" help:"Longest time until the model's first token."`
	StripeKey    string        `name:"stripe-secret-key" env:"STRIPE_SECRET_KEY" placeholder:"KEY" secret:"text" help:"Stripe's secret key. With it owners can no longer change plans by hand on the plan page; the operator still can, with parley plan set."`
	SignUp       bool          `name:"sign-up" env:"SIGN_UP" default:"true" negatable:"" help:"Whether anybody may sign up. The first visitor of an empty server always may."`
	Proxies      []string      `name:"trusted-proxies" env:"TRUSTED_PROXIES" placeholder:"ADDRESS" help:"Addresses or networks of proxies whose X-Forwarded-For is believed, separated by commas."`
	DrainTimeout time.Duration `name:"drain-timeout" env:"DRAIN_TIMEOUT" default:"20s" help:"How long running answers may go on after SIGTERM before they are ended."`
	LogFormat    string        `name:"log-format" env:"LOG_FORMAT" enum:"text,json" default:"text" help:"Format of the log on standard error: text or json."`
	LogLevel     string        `name:"log-level" env:"LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"Least level that is logged: debug, info, warn or error."`
}

const (
	defaultListen = "127.0.0.1:8080"
	defaultLLM    = "https://api.openai.com/v1"
	defaultModel  = "gpt-4o-mini"
)

// Validate is called by kong after parsing.
func (c *Config) Validate() error {
	if c.WeaviateURL != "" {
		return fmt.Errorf("WEAVIATE_URL is set, but this version has the embedded index only; unset it")
	}
	if c.BaseURL != "" {
		u, err := url.Parse(c.BaseURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || !isOrigin(u) {
			return fmt.Errorf("BASE_URL must be a scheme and host, such as https://parley.example.com")
		}
	}
	if c.Port < 0 || c.Port > 65535 {
		return fmt.Errorf("PORT must be from 1 to 65535")
	}
	if _, _, err := net.SplitHostPort(c.listenAddress()); err != nil {
		return fmt.Errorf("LISTEN_ADDR must be an address and port, such as 127.0.0.1:8080")
	}
	_, err := c.proxies()
	return err
}

func (c *Config) proxies() (web.Proxies, error) {
	proxies, err := web.ParseProxies(c.Proxies)
	if err != nil {
		return nil, fmt.Errorf("TRUSTED_PROXIES: %w", err)
	}
	return proxies, nil
}

// isOrigin says that a URL has nothing but a scheme, a host and a port.
func isOrigin(u *url.URL) bool {
	return strings.Trim(u.Path, "/") == "" && u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

func (c *Config) listenAddress() string {
	switch {
	case c.Listen != "":
		return c.Listen
	case c.Port != 0:
		return fmt.Sprintf(":%d", c.Port)
	}
	return defaultListen
}

// baseURL is where people reach a server that listens on address.
func (c *Config) baseURL(address string) string {
	if c.BaseURL != "" {
		return strings.TrimRight(c.BaseURL, "/")
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "http://" + address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

func (c *Config) databaseURL() string {
	if c.DatabaseURL != "" {
		return c.DatabaseURL
	}
	return "sqlite:" + filepath.Join(c.DataDir, "parley.db")
}

// dataDirs are the folders that one server at a time may use: that of the index
// and that of a SQLite database elsewhere.
func (c *Config) dataDirs() []string {
	dirs := []string{filepath.Clean(c.DataDir)}
	if path, isFile := strings.CutPrefix(c.databaseURL(), "sqlite:"); isFile {
		path, _, _ = strings.Cut(path, "?")
		if dir := filepath.Dir(path); dir != dirs[0] {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func (c *Config) indexPath() string { return filepath.Join(c.DataDir, "index.db") }

// hasModel says whether a language model answers.
func (c *Config) hasModel() bool {
	return c.LLMBaseURL != "" || c.LLMAPIKey != "" || c.LLMModel != ""
}

// setting is one field of the configuration.
type setting struct {
	Flag, Env, Default, Help, Value string
}

// settings returns the fields with their values, secrets masked.
func (c *Config) settings() []setting {
	v := reflect.ValueOf(*c)
	var all []setting
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		all = append(all, setting{
			Flag: tag.Get("name"), Env: tag.Get("env"), Default: tag.Get("default"), Help: tag.Get("help"),
			Value: masked(tag.Get("secret"), show(v.Field(i).Interface())),
		})
	}
	return all
}

func show(value any) string {
	switch value := value.(type) {
	case []string:
		return strings.Join(value, ",")
	case int:
		if value == 0 {
			return ""
		}
	}
	return fmt.Sprint(value)
}

const mask = "********"

func masked(kind, value string) string {
	switch {
	case value == "" || kind == "":
		return value
	case kind == "url":
		return maskedURL(value)
	}
	return mask
}

// maskedURL keeps what cannot be secret of a database's URL: in another form
// than the one asked for, a password could be anywhere.
func maskedURL(value string) string {
	u, err := url.Parse(value)
	switch {
	case err != nil, strings.Contains(value, " "):
		return mask
	case u.Scheme == "sqlite":
		file, _, _ := strings.Cut(value, "?")
		return file
	case u.Host == "":
		return mask
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if _, has := u.User.Password(); !has {
		shown.User = u.User
		return shown.String()
	}
	shown.User = url.UserPassword(u.User.Username(), "MASK")
	return strings.Replace(shown.String(), ":MASK@", ":"+mask+"@", 1)
}

// reference is docs/config.md.
func (c *Config) reference() string {
	var b strings.Builder
	b.WriteString("# Configuration\n\nEvery setting is a flag of `parley` and an environment variable; the flag wins. " +
		"`parley config` prints what is in force. This page is generated: `make generate`.\n\n" +
		"| variable | flag | default | meaning |\n|---|---|---|---|\n")
	for _, s := range c.settings() {
		fallback := "–"
		if s.Default != "" {
			fallback = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `--%s` | %s | %s |\n", s.Env, s.Flag, fallback, s.Help)
	}
	return b.String()
}
