package weaviate

import (
	"regexp"
	"strings"

	"parley/core/fault"
	"parley/index/weaviate/nodes"
)

// Config says where the server is.
type Config struct {
	// URL is the URL of the REST interface, such as http://weaviate:8080, or
	// several URLs for the nodes of a cluster, with commas between them. With
	// https, gRPC is encrypted too.
	URL string
	// GRPC is the host and port of the gRPC interface, or one for each URL, in
	// the same order. Empty means port 50051 of the host in each URL.
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
	addresses nodes.Addresses
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
	var err error
	if c.addresses, err = nodes.Parse(c.URL, c.GRPC); err != nil {
		return c, err
	}
	if c.APIKey == "" && !c.addresses.Here {
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
