package weaviate

import (
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"parley/core/fault"
)

// grpcPort is Weaviate's default.
const grpcPort = "50051"

// Config says where the server is.
type Config struct {
	// URL is that of the REST interface, such as http://weaviate:8080. With
	// https, gRPC is encrypted too.
	URL string
	// GRPC is the host and port of the gRPC interface. Empty means port 50051
	// of the host in URL.
	GRPC string
	// APIKey authenticates this program. It may be empty on loopback only.
	APIKey string
	// Replicas is how many nodes of the cluster hold each passage; 0 means 1.
	// It takes effect when collections are made: rebuild after a change. With
	// more than one, changes wait for all of them, and searches ask one.
	Replicas int
	// Prefix begins the names of all collections, so that several programs
	// can share a server. It is empty, or letters and digits that begin with
	// a capital.
	Prefix string

	// Set by checked.
	host   string
	secure bool
}

var prefix = regexp.MustCompile(`^([A-Z][A-Za-z0-9]{0,40})?$`)

// Check returns a failure of kind Invalid, with the field, if no server can be
// reached by the config. It does not ask the server.
func (c Config) Check() error {
	_, err := c.checked()
	return err
}

// checked returns the config with its defaults, or a failure of kind Invalid
// that says what is wrong.
func (c Config) checked() (Config, error) {
	address, err := url.Parse(c.URL)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Hostname() == "" || address.Port() != "" && !isPort(address.Port()) {
		return c, fault.InField("URL", "Give Weaviate's address as http://host:port or https://host:port.")
	}
	if strings.Trim(address.Path, "/") != "" || address.RawQuery != "" || address.User != nil || address.Fragment != "" {
		return c, fault.InField("URL", "Give Weaviate's address without a path, a query or a password.")
	}
	c.host, c.secure = address.Host, address.Scheme == "https"
	if c.GRPC == "" {
		c.GRPC = net.JoinHostPort(address.Hostname(), grpcPort)
	}
	host, port, err := net.SplitHostPort(c.GRPC)
	if err != nil || host == "" || !isPort(port) {
		return c, fault.InField("GRPC", "Give the address of Weaviate's gRPC interface as host:port.")
	}
	if c.APIKey == "" && !(loopback(address.Hostname()) && loopback(host)) {
		return c, fault.InField("APIKey", "Give Weaviate's API key. Only a server on this machine may go without.")
	}
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return c, fault.InField("APIKey", "Weaviate's API key has characters that no key has, such as a line break.")
	}
	if c.Replicas == 0 {
		c.Replicas = 1
	}
	if c.Replicas < 0 || c.Replicas > 99 {
		return c, fault.InField("Replicas", "Give the number of replicas, from 1 to the number of Weaviate's nodes.")
	}
	if !prefix.MatchString(c.Prefix) {
		return c, fault.InField("Prefix", "Give a prefix of letters and digits that begins with a capital.")
	}
	return c, nil
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
