package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// metadata is the address outside IANA's special-purpose registries at which
// Azure answers its machines' requests for metadata
// (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
// Other clouds use special networks: 169.254.169.254, fd00:ec2::254,
// fd20:ce::254, 100.100.100.200 and 192.0.0.192.
var metadata = netip.MustParsePrefix("168.63.129.16/32")

// refusalTime is the least time before a name is refused, so that the time does
// not reveal whether the name exists.
const refusalTime = time.Second

// noSite is the failure of every connection refused for its address, and of every
// name that does not exist: nobody outside may learn which of the two it was.
// Therefore it hides its cause from [errors.As].
type noSite struct{ cause error }

// Error states the cause, which is only for the operator's log.
func (e *noSite) Error() string { return "no public site: " + e.cause.Error() }

// Is makes both cases look like a private address.
func (e *noSite) Is(target error) bool { return target == ErrPrivate || target == ssrf.ErrProhibitedIP }

// SafeDialer returns a dialer that reaches only public addresses on the configured
// ports, and the targets of Allow. It checks the address after the name was looked
// up and right before it connects, so that nobody can change the name's address in
// between. What is public follows IANA's special-purpose address registries for
// IPv4 and IPv6 (RFC 6890) and, for IPv6, 2000::/3.
func SafeDialer(config Config) func(ctx context.Context, network, address string) (net.Conn, error) {
	return safeDialer(config.withDefaults())
}

// safeDialer is SafeDialer without default ports.
func safeDialer(config Config) func(ctx context.Context, network, address string) (net.Conn, error) {
	d := &dialer{guard: newGuard(config), refuseAfter: refusalTime}
	d.trusted = net.Dialer{Timeout: min(connectTime, config.Timeout), Resolver: config.Resolver}
	d.judged = d.trusted
	d.judged.Control = d.guard.control
	if config.Refused == nil {
		return d.dial
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := d.dial(ctx, network, address)
		if isRefusal(err) {
			config.Refused(ctx, address)
		}
		return conn, err
	}
}

// isRefusal distinguishes a refused target from a name that does not exist, which
// look alike to everybody else.
func isRefusal(err error) bool {
	var hiding *noSite
	if errors.As(err, &hiding) {
		err = hiding.cause
	}
	return errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedPort)
}

// dialer connects to what its guard admits.
type dialer struct {
	guard guard
	// trusted connects to hosts that the operator named, judged to all others.
	trusted, judged net.Dialer
	refuseAfter     time.Duration
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, err
	}
	if opensName(d.guard.allow, host, uint16(port)) {
		return d.trusted.DialContext(ctx, network, address)
	}
	// Before the look-up, because the result must not depend on it.
	if !d.guard.mayOpen(uint16(port)) {
		return nil, prohibitedPort(uint16(port))
	}
	if literal, err := netip.ParseAddr(host); err == nil {
		// Before opening a socket, so that a machine without IPv6 refuses the
		// same addresses for the same reason.
		if err := d.guard.judge(netip.AddrPortFrom(literal.Unmap(), uint16(port))); err != nil {
			return nil, hidden(err)
		}
		conn, err := d.judged.DialContext(ctx, network, address)
		return conn, hidden(err)
	}
	earliest := time.NewTimer(d.refuseAfter)
	defer earliest.Stop()
	conn, err := d.judged.DialContext(ctx, network, address)
	refusal := hidden(err)
	if errors.Is(refusal, ErrPrivate) {
		select {
		case <-earliest.C:
		case <-ctx.Done():
		}
	}
	return conn, refusal
}

// hidden gives an address that is not public and a name that does not exist the
// same failure.
func hidden(err error) error {
	var dns *net.DNSError
	if errors.Is(err, ssrf.ErrProhibitedIP) || errors.As(err, &dns) && dns.IsNotFound {
		return &noSite{err}
	}
	return err
}

// guard checks addresses.
type guard struct {
	guardian *ssrf.Guardian
	allow    []Target
	ports    []uint16
}

// newGuard admits the configured ports, or all ports if none are configured.
func newGuard(config Config) guard {
	deny4, deny6 := families(config.Deny)
	g := guard{allow: config.Allow}
	for _, port := range config.Ports {
		g.ports = append(g.ports, uint16(port))
	}
	g.guardian = ssrf.New(
		ssrf.WithDeniedV4Prefixes(append(deny4, metadata)...),
		ssrf.WithDeniedV6Prefixes(deny6...),
		ssrf.WithAnyPort(),
	)
	return g
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

// mayOpen reports whether a port is open at any address.
func (g guard) mayOpen(port uint16) bool {
	return g.public(port) || slices.ContainsFunc(g.allow, func(t Target) bool { return t.opens(port) })
}

// public reports whether a port is open at public addresses.
func (g guard) public(port uint16) bool {
	return len(g.ports) == 0 || slices.Contains(g.ports, port)
}

func prohibitedPort(port uint16) error {
	return fmt.Errorf("%w: %d", ssrf.ErrProhibitedPort, port)
}

// control checks the address right before the connection is made.
func (g guard) control(network, address string, conn syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return errors.Join(err, g.guardian.Safe(network, address, conn))
	}
	return g.judge(to)
}

// judge checks the address before the port: nobody may learn which ports a
// non-public address has.
func (g guard) judge(to netip.AddrPort) error {
	if opensAddress(g.allow, to) {
		return g.embedded(to)
	}
	if err := g.guardian.SafeAddr(to.Addr()); err != nil {
		return err
	}
	if !g.public(to.Port()) {
		return prohibitedPort(to.Port())
	}
	return nil
}

// embedded checks the IPv4 address to which a NAT64 gateway would connect. It
// matters if an operator has allowed the gateway's prefix (RFC 6052), which must
// not open the private networks behind it.
func (g guard) embedded(to netip.AddrPort) error {
	if !ssrf.IPv6NAT64Prefix.Contains(to.Addr()) {
		return nil
	}
	octets := to.Addr().As16()
	behind := netip.AddrPortFrom(netip.AddrFrom4([4]byte(octets[12:])), to.Port())
	if opensAddress(g.allow, behind) {
		return nil
	}
	return g.guardian.SafeAddr(behind.Addr())
}
