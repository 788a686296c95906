package config

import (
	"cmp"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"parley/internal/clientaddr"
	"parley/internal/socket"
)

// Clients configures how clients are distinguished, and how much they may use at once.
type Clients struct {
	Proxies        []string      `name:"trusted-proxies" env:"TRUSTED_PROXIES" placeholder:"ADDRESS" help:"Addresses or networks of the reverse proxies in front of this server, separated by commas. Parley believes only them when they name the client. Set it wherever BASE_URL begins with https: without it all clients count as one."`
	ProxyHeader    string        `name:"client-address-header" env:"CLIENT_ADDRESS_HEADER" default:"X-Forwarded-For" placeholder:"NAME" help:"Header in which trusted proxies pass on the client's address, such as Fly-Client-IP or CF-Connecting-IP."`
	MaxConnections int           `name:"max-connections" env:"MAX_CONNECTIONS" range:"10-1048576" placeholder:"N" help:"Number of connections that may be open at once. At the limit, Parley closes the connection that has been silent longest. Default: half of the files that the process may open, at most 16384."`
	MaxPerClient   int           `name:"max-connections-per-client" env:"MAX_CONNECTIONS_PER_CLIENT" range:"1-1048576" placeholder:"N" help:"Number of connections from one IPv4 address or one IPv6 network of 64 bits. Trusted proxies are exempt. Default: half of MAX_CONNECTIONS, at most 500."`
	BodyMemory     int           `name:"body-memory" env:"BODY_MEMORY" range:"128-1048576" placeholder:"N" help:"Memory in MiB that the bodies of requests may take at once, and large answers half of. One client may take a quarter. Default: a quarter of the memory limit, from 128 to 256."`
	MaxAnswers     int           `name:"max-answers" env:"MAX_ANSWERS" placeholder:"N" range:"1-1000000" help:"Number of answers that this process works on at once. It refuses more with 503. Default: 2000."`
	DrainTimeout   time.Duration `name:"drain-timeout" env:"DRAIN_TIMEOUT" range:"1s-24h" default:"20s" help:"How long running answers may go on after SIGTERM before Parley ends them."`
}

const (
	// mostConnections is the default if the limit of open files allows more:
	// each connection may take 25 KiB.
	mostConnections = 16_384
	mostPerClient   = 500
	// The default is a quarter of the memory limit within these bounds, in MiB.
	leastBodyMemory, mostBodyMemory = 128, 256
	// proxyIdle is how long a trusted proxy may keep a connection for later. It
	// must exceed the proxy's own time, or requests get lost.
	proxyIdle = 2 * time.Minute
)

// Connections returns the limits of connections. By default they may use half of
// the files that the process may open. The other half is for the database, for
// documents and for connections to models.
func (c *Clients) Connections(proxies clientaddr.Proxies, log *slog.Logger) socket.Limits {
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
func (c *Clients) BodyBytes() int64 {
	fits := int(debug.SetMemoryLimit(-1) >> 20 / 4)
	return int64(cmp.Or(c.BodyMemory, min(max(fits, leastBodyMemory), mostBodyMemory))) << 20
}

// check refuses malformed proxies, and more connections than the process may have.
func (c *Clients) check() error {
	if _, err := c.TrustedProxies(); err != nil {
		return err
	}
	if files := openFiles(); c.MaxConnections > files {
		return fmt.Errorf("MAX_CONNECTIONS must be at most %d, which is how many files this process may open", files)
	}
	return nil
}

// TrustedProxies returns the proxies that may name the client.
func (c *Clients) TrustedProxies() (clientaddr.Proxies, error) {
	if _, err := clientaddr.Parse(nil, c.ProxyHeader); err != nil {
		return clientaddr.Proxies{}, fmt.Errorf("CLIENT_ADDRESS_HEADER: %w", err)
	}
	proxies, err := clientaddr.Parse(c.Proxies, c.ProxyHeader)
	if err != nil {
		return clientaddr.Proxies{}, fmt.Errorf("TRUSTED_PROXIES: %w", err)
	}
	return proxies, nil
}
