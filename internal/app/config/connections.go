package config

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"parley/internal/clientaddr"
	"parley/internal/socket"
)

// ConnectionConfig is the part of the configuration about connections and the
// bodies that come over them.
type ConnectionConfig struct {
	MaxConnections int `name:"max-connections" env:"MAX_CONNECTIONS" range:"10-1048576" placeholder:"N" help:"Connections that may be open at once. When there is no room, the one that has been silent longest is closed. Default: half of the files that the process may open, at most 16384."`
	MaxPerClient   int `name:"max-connections-per-client" env:"MAX_CONNECTIONS_PER_CLIENT" range:"1-1048576" placeholder:"N" help:"Connections of one IPv4 address, or of one IPv6 network of 64 bits. Trusted proxies have no such limit. Default: half of MAX_CONNECTIONS, at most 500."`
	BodyMemory     int `name:"body-memory" env:"BODY_MEMORY" range:"128-1048576" placeholder:"N" help:"Memory in MiB that the bodies of requests may take at once. One client may take a quarter of it. Default: 256."`
}

const (
	// mostConnections is the default where the limit of open files allows
	// more: each may take 25 KiB.
	mostConnections   = 16_384
	mostPerClient     = 500
	defaultBodyMemory = 256 // MiB
	// proxyIdle is how long a trusted proxy may keep a connection for later.
	// It has to be longer than the proxy's own time, else requests are lost.
	proxyIdle = 2 * time.Minute
)

// Connections returns how many connections there may be. The other half of
// the files is for the database, for documents and for connections to models.
func (c *Config) Connections(proxies clientaddr.Proxies, log *slog.Logger) socket.Limits {
	limits := socket.Limits{
		Connections: c.MaxConnections, PerClient: c.MaxPerClient,
		Proxy: proxies.Contain, ProxyIdle: proxyIdle, Log: log,
	}
	if limits.Connections == 0 {
		limits.Connections = min(openFiles()/2, mostConnections)
	}
	if limits.PerClient == 0 {
		limits.PerClient = min(limits.Connections/2, mostPerClient)
	}
	return limits
}

// BodyBytes is how many bytes the bodies of requests may take at once.
func (c *Config) BodyBytes() int64 { return int64(cmp.Or(c.BodyMemory, defaultBodyMemory)) << 20 }

// validateConnections refuses more connections than the process may have.
func (c *Config) validateConnections() error {
	if files := openFiles(); c.MaxConnections > files {
		return fmt.Errorf("MAX_CONNECTIONS must be at most %d, which is how many files this process may open", files)
	}
	return nil
}
