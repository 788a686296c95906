package fetch

import (
	"errors"
	"net/netip"
	"testing"

	"code.dny.dev/ssrf"
)

// special holds the first and last address of each range that IANA's registries
// and related documents set aside, as of
// https://www.iana.org/assignments/iana-ipv4-special-registry,
// https://www.iana.org/assignments/iana-ipv6-special-registry and
// https://www.iana.org/assignments/ipv6-address-space.
var special = map[string][]string{
	"unspecified and this network":     {"0.0.0.0", "0.0.0.1", "0.255.255.255"},
	"private (RFC 1918)":               {"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"},
	"shared, CGNAT (RFC 6598)":         {"100.64.0.0", "100.127.255.255"},
	"loopback":                         {"127.0.0.0", "127.0.0.1", "127.255.255.255"},
	"link-local (RFC 3927)":            {"169.254.0.0", "169.254.255.255"},
	"protocol assignments (RFC 6890)":  {"192.0.0.0", "192.0.0.170", "192.0.0.255"},
	"documentation (RFC 5737)":         {"192.0.2.0", "192.0.2.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255"},
	"AS112 (RFC 7534, RFC 7535)":       {"192.31.196.1", "192.175.48.1", "2620:4f:8000::1", "2001:4:112::1"},
	"AMT (RFC 7450)":                   {"192.52.193.1", "2001:3::1"},
	"6to4 relays (RFC 7526)":           {"192.88.99.0", "192.88.99.255"},
	"benchmarking (RFC 2544)":          {"198.18.0.0", "198.19.255.255", "2001:2::1"},
	"multicast":                        {"224.0.0.0", "239.255.255.255", "ff00::", "ff02::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	"reserved and broadcast":           {"240.0.0.0", "255.255.255.254", "255.255.255.255"},
	"IPv6 unspecified and loopback":    {"::", "::1"},
	"IPv4-mapped":                      {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254"},
	"IPv4-compatible":                  {"::127.0.0.1", "::10.0.0.1", "::ffff"},
	"IPv4-translated (RFC 2765)":       {"::ffff:0:127.0.0.1"},
	"NAT64 (RFC 6052, RFC 8215)":       {"64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::8.8.8.8", "64:ff9b:1::10.0.0.1", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"},
	"discard only (RFC 6666)":          {"100::", "100::ffff:ffff:ffff:ffff", "100:0:0:1::1"},
	"IETF protocol assignments":        {"2001::", "2001:1::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"},
	"Teredo (RFC 4380)":                {"2001::1", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"},
	"IPv6 documentation":               {"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"},
	"6to4 (RFC 3056)":                  {"2002::", "2002:7f00:1::1", "2002:a00:1::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	"SRv6 SIDs (RFC 9602)":             {"5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	"unique local (RFC 4193)":          {"fc00::", "fd00::1", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	"link-local IPv6":                  {"fe80::", "fe80::1", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	"site-local (RFC 3879)":            {"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	"never assigned":                   {"200::1", "400::1", "1fff::1", "4000::1", "8000::1", "e000::1", "f000::1"},
	"metadata of AWS, Google and many": {"169.254.169.254", "169.254.170.2", "fd00:ec2::254", "fd20:ce::254"},
	"metadata of Alibaba":              {"100.100.100.200"},
	"metadata of Oracle":               {"192.0.0.192"},
	"metadata of Azure":                {"168.63.129.16"},
}

func TestSpecialAddresses(t *testing.T) {
	g := newGuard(Config{}.withDefaults())
	for name, addresses := range special {
		t.Run(name+" cannot be reached", func(t *testing.T) {
			for _, address := range addresses {
				err := control(g, address, 80)
				if !errors.Is(err, ssrf.ErrProhibitedIP) {
					t.Errorf("%s: %v", address, err)
				}
			}
		})
	}
	t.Run("the public addresses beside them can", func(t *testing.T) {
		for _, address := range []string{
			"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
			"169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.167.255.255",
			"192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.15",
			"2000::1", "2001:200::1", "2001:db7::1", "2001:db9::1", "2003::1", "2606:4700::1", "3ffe::1", "3fff:1000::1",
		} {
			if err := control(g, address, 443); err != nil {
				t.Errorf("%s: %v", address, err)
			}
		}
	})
	t.Run("an address with a zone cannot be reached", func(t *testing.T) {
		for _, address := range []string{"fe80::1%lo", "::1%lo", "2606:4700::1%lo"} {
			if err := control(g, address, 80); err == nil {
				t.Error(address)
			}
		}
	})
}

func control(g guard, address string, port uint16) error {
	to := netip.AddrPortFrom(netip.MustParseAddr(address), port)
	network := "tcp6"
	if to.Addr().Is4() {
		network = "tcp4"
	}
	return g.control(network, to.String(), nil)
}

func TestWhatOperatorsDecide(t *testing.T) {
	t.Run("other ports are refused unless the operator names them", func(t *testing.T) {
		g := newGuard(Config{}.withDefaults())
		for _, port := range []uint16{0, 22, 25, 8080, 6379} {
			if err := control(g, "1.1.1.1", port); !errors.Is(err, ssrf.ErrProhibitedPort) {
				t.Errorf("%d: %v", port, err)
			}
		}
		if err := control(newGuard(Config{Ports: []int{8080}}), "1.1.1.1", 8080); err != nil {
			t.Error(err)
		}
	})
	t.Run("an operator can allow an intranet, and nothing else is opened", func(t *testing.T) {
		g := newGuard(Config{Ports: []int{80}, Allow: opened("10.1.0.0/16", "fd12::/16")})
		for address, allowed := range map[string]bool{"10.1.2.3": true, "10.2.0.1": false, "fd12::1": true, "fd13::1": false, "::ffff:10.1.2.3": false} {
			if err := control(g, address, 80); (err == nil) != allowed {
				t.Errorf("%s: %v", address, err)
			}
		}
	})
	t.Run("an operator can deny a public network", func(t *testing.T) {
		g := newGuard(Config{Ports: []int{80}, Deny: []netip.Prefix{netip.MustParsePrefix("1.1.1.0/24"), netip.MustParsePrefix("2606:4700::/32")}})
		for address, allowed := range map[string]bool{"1.1.1.1": false, "1.1.2.1": true, "2606:4700::1": false, "2606:4800::1": true} {
			if err := control(g, address, 80); (err == nil) != allowed {
				t.Errorf("%s: %v", address, err)
			}
		}
	})
	t.Run("an allowed NAT64 gateway leads to public addresses only", func(t *testing.T) {
		g := newGuard(Config{Ports: []int{80}, Allow: opened("64:ff9b::/96")})
		for address, allowed := range map[string]bool{"64:ff9b::8.8.8.8": true, "64:ff9b::10.0.0.1": false, "64:ff9b::169.254.169.254": false, "64:ff9b::127.0.0.1": false} {
			if err := control(g, address, 80); (err == nil) != allowed {
				t.Errorf("%s: %v", address, err)
			}
		}
	})
	t.Run("networks other than TCP are refused", func(t *testing.T) {
		dial := SafeDialer(Config{})
		for network, address := range map[string]string{"udp": "1.1.1.1:80", "unix": "/tmp/socket", "ip4:icmp": "1.1.1.1"} {
			if conn, err := dial(t.Context(), network, address); err == nil {
				conn.Close()
				t.Error(network)
			}
		}
	})
}
