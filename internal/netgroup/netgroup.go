// Package netgroup decides which addresses count as one client. An IPv4 address counts
// alone. An IPv6 client has a whole /64 to itself, and often a /48, so a limit on
// single addresses would not constrain it.
package netgroup

import "net/netip"

const (
	clientBits = 64
	siteBits   = 48
)

// Of returns the network of one client: an IPv4 address as a /32, an IPv6 address as
// its /64 (RFC 6177). An IPv4 address mapped into IPv6 counts as IPv4, and zones are
// dropped. For the zero Addr it returns the zero Prefix.
func Of(address netip.Addr) netip.Prefix { return group(address, clientBits) }

// Site returns the wider network that one customer of a provider may hold: an
// IPv4 address as a /32, an IPv6 address as its /48. Limits on it should be
// looser than those on [Of].
func Site(address netip.Addr) netip.Prefix { return group(address, siteBits) }

func group(address netip.Addr, bits int) netip.Prefix {
	address = address.Unmap().WithZone("")
	if !address.Is6() {
		bits = address.BitLen()
	}
	network, err := address.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // the zero Addr
	}
	return network
}
