package config

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"

	"parley/store"
)

// Serving configures the server's addresses and where its data is.
type Serving struct {
	Listen      string `name:"listen" env:"LISTEN_ADDR" placeholder:"ADDRESS" help:"Address to listen on. Default: 127.0.0.1:8080, or all interfaces on PORT if only PORT is set."`
	Port        int    `name:"port" env:"PORT" range:"1-65535" help:"Port to listen on, on all interfaces, if LISTEN_ADDR is unset."`
	DataDir     string `name:"data-dir" env:"DATA_DIR" default:"./data" help:"Folder of the embedded database and index."`
	BaseURL     string `name:"base-url" env:"BASE_URL" placeholder:"URL" help:"Address under which people reach the server, such as https://parley.example.com. Default: http:// and the address to listen on. With https, browsers send cookies over TLS only."`
	DatabaseURL string `name:"database-url" env:"DATABASE_URL" placeholder:"URL" secret:"url" help:"PostgreSQL database, as postgres://user:password@host:5432/name. Default: SQLite in the data folder."`

	DatabaseOwnerURL string `name:"database-owner-url" env:"DATABASE_OWNER_URL" placeholder:"URL" secret:"url" help:"PostgreSQL URL of the role that owns the tables and migrates them, if DATABASE_URL is that of a role with fewer rights."`
	RowLevelSecurity string `name:"row-level-security" env:"ROW_LEVEL_SECURITY" default:"required" help:"Whether PostgreSQL itself must keep workspaces apart: required, or optional where it does not let Parley have the roles for it. Then only the queries do, and parley serve warns."`

	DatabaseTimeout time.Duration `name:"database-timeout" env:"DATABASE_TIMEOUT" range:"100ms-5m" default:"10s" help:"How long a request waits for a connection to PostgreSQL, and for each of its answers, before it gets 503. Work in the background, and the deletion of chatbots and workspaces, may take longer."`
}

func (c *Serving) check() error {
	if c.BaseURL != "" && !isWebOrigin(c.BaseURL) {
		return errors.New("BASE_URL must be a scheme and host, such as https://parley.example.com")
	}
	if !isListenAddress(c.ListenAddress()) {
		return errors.New("LISTEN_ADDR must be an address and port, such as 127.0.0.1:8080")
	}
	if err := store.CheckURL(c.Database()); err != nil {
		return errors.New("DATABASE_URL must be postgres://user:password@host:5432/name, or sqlite: with the path of a file")
	}
	if c.RowLevelSecurity != "required" && c.RowLevelSecurity != wallOptional {
		return errors.New("ROW_LEVEL_SECURITY must be required or optional")
	}
	if c.DatabaseOwnerURL != "" && (strings.HasPrefix(c.Database(), "sqlite:") || store.CheckURL(c.DatabaseOwnerURL) != nil || strings.HasPrefix(c.DatabaseOwnerURL, "sqlite:")) {
		return errors.New("DATABASE_OWNER_URL must be postgres://owner:password@host:5432/name, and DATABASE_URL must name the same database")
	}
	return nil
}

// wallOptional lets a server work without row-level security.
const wallOptional = "optional"

const defaultListen = "127.0.0.1:8080"

// ListenAddress returns the address to listen on.
func (c *Serving) ListenAddress() string {
	switch {
	case c.Listen != "":
		return c.Listen
	case c.Port != 0:
		return fmt.Sprintf(":%d", c.Port)
	}
	return defaultListen
}

// PublicURL returns the address under which people reach a server that listens on
// address.
func (c *Serving) PublicURL(address string) string {
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

// Database returns the URL of the database.
func (c *Serving) Database() string {
	if c.DatabaseURL != "" {
		return c.DatabaseURL
	}
	return "sqlite:" + filepath.Join(c.DataDir, "parley.db")
}

// OwnersDatabase returns the URL with which tables are made.
func (c *Serving) OwnersDatabase() string {
	if c.DatabaseOwnerURL != "" {
		return c.DatabaseOwnerURL
	}
	return c.Database()
}

// Store returns how the database is used.
func (c *Serving) Store() store.Options {
	return store.Options{AnswerWithin: c.DatabaseTimeout, OwnerURL: c.DatabaseOwnerURL, MayLackWall: c.RowLevelSecurity == wallOptional}
}

// DataDirs returns the folders that only one server may use at a time: the data folder and,
// if it is elsewhere, the folder of a SQLite database.
func (c *Serving) DataDirs() []string {
	dirs := []string{filepath.Clean(c.DataDir)}
	if path, isFile := strings.CutPrefix(c.Database(), "sqlite:"); isFile {
		path, _, _ = strings.Cut(path, "?")
		if dir := filepath.Dir(path); dir != dirs[0] {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// IndexPath returns the path of the embedded index.
func (c *Serving) IndexPath() string { return filepath.Join(c.DataDir, "index.db") }

// KeyPath returns where a server on SQLite keeps its own key.
func (c *Serving) KeyPath() string { return filepath.Join(c.DataDir, "secret.key") }

// UserAgent returns the name that the crawler sends.
func (c *Serving) UserAgent() string {
	if c.BaseURL == "" {
		return "Parley/1.0"
	}
	return "Parley/1.0 (+" + strings.TrimRight(c.BaseURL, "/") + ")"
}

// webhookPath is the route of Stripe's events.
const webhookPath = "/api/webhooks/stripe"

// WebhookURL returns the address to which Stripe sends events.
func (c *Serving) WebhookURL() string { return strings.TrimRight(c.BaseURL, "/") + webhookPath }
