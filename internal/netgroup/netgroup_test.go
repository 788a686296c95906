package netgroup

import (
	"net/netip"
	"testing"
)

func TestGroups(t *testing.T) {
	groups := []struct{ name, address, client, site string }{
		{"an IPv4 address counts alone", "192.0.2.7", "192.0.2.7/32", "192.0.2.7/32"},
		{"IPv4 mapped into IPv6 counts as IPv4", "::ffff:192.0.2.7", "192.0.2.7/32", "192.0.2.7/32"},
		{"an IPv6 address counts with its /64", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"},
		{"so does its neighbor in the /64", "2001:db8:1:2:ffff::1", "2001:db8:1:2::/64", "2001:db8:1::/48"},
		{"a neighbor in the /48 is another client of the same site", "2001:db8:1:3::1", "2001:db8:1:3::/64", "2001:db8:1::/48"},
		{"a zone is dropped", "fe80::1%eth0", "fe80::/64", "fe80::/48"},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			address := netip.MustParseAddr(g.address)
			if client, site := Of(address).String(), Site(address).String(); client != g.client || site != g.site {
				t.Errorf("%s belongs to the client %s and the site %s", address, client, site)
			}
		})
	}
	t.Run("no address is in no group", func(t *testing.T) {
		if client, site := Of(netip.Addr{}), Site(netip.Addr{}); client.IsValid() || site.IsValid() {
			t.Errorf("it belongs to %s and %s", client, site)
		}
	})
}
