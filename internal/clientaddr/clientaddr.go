// Package clientaddr finds the address from which a request comes, behind any number of
// reverse proxies. It does not decide what is limited by address.
package clientaddr

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Proxies are the reverse proxies in front of this server, and how they name the
// client. The zero value trusts no proxy.
type Proxies struct {
	networks []netip.Prefix
	header   string
}

// headerName matches a field name of RFC 9110 §5.1, without the characters that no
// proxy uses.
var headerName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// Parse reads the addresses and networks of proxies, such as 10.0.0.1 and 10.0.0.0/8,
// and the name of the header in which they pass on the client's address. An empty name
// means X-Forwarded-For.
func Parse(networks []string, header string) (Proxies, error) {
	if header == "" {
		header = fiber.HeaderXForwardedFor
	}
	if !headerName.MatchString(header) {
		return Proxies{}, fmt.Errorf("%q is not the name of a header, such as X-Forwarded-For", header)
	}
	proxies := Proxies{header: header}
	for _, text := range networks {
		network, err := netip.ParsePrefix(text)
		if address, wrong := netip.ParseAddr(text); wrong == nil {
			network, err = address.Prefix(address.BitLen())
		}
		if err != nil {
			return Proxies{}, fmt.Errorf("%q is neither an address, such as 10.0.0.1, nor a network, such as 10.0.0.0/8", text)
		}
		proxies.networks = append(proxies.networks, network)
	}
	return proxies, nil
}

// Any reports whether any proxy is trusted.
func (p Proxies) Any() bool { return len(p.networks) > 0 }

// Contain reports whether an address belongs to a trusted proxy.
func (p Proxies) Contain(address netip.Addr) bool {
	for _, network := range p.networks {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// Of returns the address from which a request comes: the last one in the header that
// is not a proxy's. A client can forge whatever comes before it. Without a trusted
// proxy it is the address of the connection.
func (p Proxies) Of(c *fiber.Ctx) netip.Addr {
	client, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	client = client.Unmap()
	if !p.Contain(client) {
		return client
	}
	var forwarded []string
	for _, line := range c.Request().Header.PeekAll(p.header) {
		forwarded = append(forwarded, strings.Split(string(line), ",")...)
	}
	for i := len(forwarded) - 1; i >= 0 && p.Contain(client); i-- {
		before, err := netip.ParseAddr(strings.TrimSpace(forwarded[i]))
		if err != nil {
			break
		}
		client = before.Unmap().WithZone("")
	}
	return client
}
