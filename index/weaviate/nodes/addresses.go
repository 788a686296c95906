package nodes

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"parley/core/fault"
)

// grpcPort is Weaviate's default.
const grpcPort = "50051"

// Addresses are the addresses of all nodes of a cluster.
type Addresses struct {
	Nodes []Address
	// Secure says that both interfaces use TLS.
	Secure bool
	// Here says that all nodes are on this machine.
	Here bool
}

// Parse reads the addresses of the REST interfaces, such as http://w1:8080, and of the gRPC
// interfaces, such as w1:50051. Commas separate the addresses of several nodes. Without
// gRPC addresses, the gRPC interfaces are at port 50051 of the same hosts. Its failures are
// of kind Invalid, in the field URL or GRPC.
func Parse(urls, interfaces string) (Addresses, error) {
	rest, grpc := strings.Split(urls, ","), strings.Split(interfaces, ",")
	if interfaces == "" {
		grpc = make([]string, len(rest))
	}
	all := Addresses{Here: true}
	if len(grpc) != len(rest) {
		return all, fault.InField("GRPC", "Give as many addresses of gRPC interfaces as there are addresses of Weaviate's nodes, in the same order.")
	}
	for i, text := range rest {
		address, err := parseURL(strings.TrimSpace(text))
		if err != nil {
			return all, err
		}
		secure := address.Scheme == "https"
		if i > 0 && secure != all.Secure {
			return all, fault.InField("URL", "Give either http or https for all of Weaviate's nodes.")
		}
		all.Secure = secure
		to := strings.TrimSpace(grpc[i])
		if interfaces == "" {
			to = net.JoinHostPort(address.Hostname(), grpcPort)
		}
		host, port, err := net.SplitHostPort(to)
		if err != nil || host == "" || !isPort(port) {
			return all, fault.InField("GRPC", "Give the address of Weaviate's gRPC interface as host:port.")
		}
		all.Nodes = append(all.Nodes, Address{REST: address.Host, GRPC: to})
		all.Here = all.Here && loopback(address.Hostname()) && loopback(host)
	}
	return all, nil
}

func parseURL(text string) (*url.URL, error) {
	address, err := url.Parse(text)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Hostname() == "" || address.Port() != "" && !isPort(address.Port()) {
		return nil, fault.InField("URL", "Give Weaviate's address as http://host:port or https://host:port.")
	}
	if strings.Trim(address.Path, "/") != "" || address.RawQuery != "" || address.User != nil || address.Fragment != "" {
		return nil, fault.InField("URL", "Give Weaviate's address without a path, a query or a password.")
	}
	return address, nil
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
