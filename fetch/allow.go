package fetch

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Target is a destination outside the public network that an operator allows:
// the addresses of a network, or a host by its name, whatever its address.
type Target struct {
	// Name is a host name in lower case. If it is set, Network has no effect.
	Name    string
	Network netip.Prefix
	// Ports are the open ports. Empty means all.
	Ports []uint16
}

// webPorts are open if a target names no port.
var webPorts = []uint16{80, 443}

var errTarget = errors.New("not a host or network with a port")

// ParseTarget reads a target: "wiki.internal:8080", "10.0.0.0/8:443",
// "10.1.2.3", "[fd00::/8]:443" or "fd00::/8". Without a port, it opens 80 and 443;
// the port "*" opens all. The error does not quote the text.
func ParseTarget(text string) (Target, error) {
	where, port := splitTarget(strings.TrimSpace(text))
	target := Target{}
	switch number, err := strconv.ParseUint(port, 10, 16); {
	case port == "":
		target.Ports = webPorts
	case port == "*":
	case err != nil || number == 0:
		return Target{}, errTarget
	default:
		target.Ports = []uint16{uint16(number)}
	}
	if address, err := netip.ParseAddr(where); err == nil && address.Zone() == "" {
		target.Network = netip.PrefixFrom(address.Unmap(), address.Unmap().BitLen())
		return target, nil
	}
	if network, err := netip.ParsePrefix(where); err == nil {
		target.Network = network.Masked()
		return target, nil
	}
	name, err := normalHost(where)
	if err != nil || strings.Contains(where, "/") {
		return Target{}, errTarget
	}
	target.Name = name
	return target, nil
}

// splitTarget splits off the port, which is empty if there is none. It does not
// mistake the colons of IPv6 without brackets for a port's.
func splitTarget(text string) (where, port string) {
	if inner, after, found := strings.Cut(strings.TrimPrefix(text, "["), "]"); found && strings.HasPrefix(text, "[") {
		if after == "" {
			return inner, ""
		}
		if port, isPort := strings.CutPrefix(after, ":"); isPort && port != "" {
			return inner, port
		}
		return "", ""
	}
	if strings.Count(text, ":") != 1 {
		return text, ""
	}
	where, port, _ = strings.Cut(text, ":")
	if port == "" {
		return "", ""
	}
	return where, port
}

func (t Target) opens(port uint16) bool {
	return len(t.Ports) == 0 || slices.Contains(t.Ports, port)
}

// opensName reports whether the operator opened a host by its name.
func opensName(targets []Target, host string, port uint16) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return slices.ContainsFunc(targets, func(t Target) bool { return t.Name != "" && t.Name == host && t.opens(port) })
}

// opensAddress reports whether the operator opened the network of an address.
func opensAddress(targets []Target, to netip.AddrPort) bool {
	return slices.ContainsFunc(targets, func(t Target) bool { return t.Name == "" && t.Network.Contains(to.Addr()) && t.opens(to.Port()) })
}
