package fetch

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"syscall"

	"code.dny.dev/ssrf"
)

// metadata are addresses outside of IANA's special-purpose registries at which
// a cloud answers its machines. Azure's is a public one
// (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16);
// those of the others lie in special networks: 169.254.169.254, fd00:ec2::254,
// fd20:ce::254, 100.100.100.200 and 192.0.0.192.
var metadata = netip.MustParsePrefix("168.63.129.16/32")

// SafeDialer returns a dialer that reaches public addresses only, and only on
// the configured ports. The address is judged after the name was looked up and
// right before the connection is made, so that a name cannot be given another
// address in between. What is public follows IANA's special-purpose address
// registries for IPv4 and IPv6 (RFC 6890) and, for IPv6, 2000::/3.
func SafeDialer(config Config) func(ctx context.Context, network, address string) (net.Conn, error) {
	return safeDialer(config.withDefaults())
}

// safeDialer is SafeDialer for a configuration that no ports are added to.
func safeDialer(config Config) func(ctx context.Context, network, address string) (net.Conn, error) {
	g := newGuard(config)
	dialer := &net.Dialer{
		Timeout:  min(connectTime, config.Timeout),
		Resolver: config.Resolver,
		Control:  g.control,
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if err := g.literal(address); err != nil {
			return nil, err
		}
		return dialer.DialContext(ctx, network, address)
	}
}

// guard judges addresses.
type guard struct{ guardian *ssrf.Guardian }

// newGuard admits the ports that are configured, or any if none are.
func newGuard(config Config) guard {
	allow4, allow6 := families(config.Allow)
	deny4, deny6 := families(config.Deny)
	ports := make([]uint16, 0, len(config.Ports))
	for _, port := range config.Ports {
		ports = append(ports, uint16(port))
	}
	portsAllowed := ssrf.WithPorts(ports...)
	if len(ports) == 0 {
		portsAllowed = ssrf.WithAnyPort()
	}
	return guard{ssrf.New(
		ssrf.WithAllowedV4Prefixes(allow4...),
		ssrf.WithAllowedV6Prefixes(allow6...),
		ssrf.WithDeniedV4Prefixes(append(deny4, metadata)...),
		ssrf.WithDeniedV6Prefixes(deny6...),
		portsAllowed,
	)}
}

func families(prefixes []netip.Prefix) (v4, v6 []netip.Prefix) {
	for _, prefix := range prefixes {
		if prefix.Addr().Is4() {
			v4 = append(v4, prefix.Masked())
		} else {
			v6 = append(v6, prefix.Masked())
		}
	}
	return slices.Clip(v4), slices.Clip(v6)
}

// literal judges an address that is no name before a socket is made for it, so
// that a machine without IPv6 refuses the same addresses for the same reason.
func (g guard) literal(address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil // a name: control judges what it stands for
	}
	return g.guardian.SafeAddrPort(netip.AddrPortFrom(to.Addr().Unmap(), to.Port()))
}

// control is called with the address that is about to be connected to.
func (g guard) control(network, address string, conn syscall.RawConn) error {
	if err := g.guardian.Safe(network, address, conn); err != nil {
		return err
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	return g.embedded(to.Addr())
}

// embedded judges the IPv4 address that a NAT64 gateway would connect to. It
// matters where an operator has allowed the gateway's prefix (RFC 6052): that
// must not open the private networks behind it.
func (g guard) embedded(address netip.Addr) error {
	if !ssrf.IPv6NAT64Prefix.Contains(address) {
		return nil
	}
	octets := address.As16()
	return g.guardian.SafeAddr(netip.AddrFrom4([4]byte(octets[12:])))
}
