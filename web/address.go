package web

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// Proxies are the networks of the proxies before this server.
type Proxies []netip.Prefix

// ParseProxies reads addresses and networks, such as 10.0.0.1 and 10.0.0.0/8.
func ParseProxies(list []string) (Proxies, error) {
	proxies := make(Proxies, 0, len(list))
	for _, text := range list {
		network, err := netip.ParsePrefix(text)
		if address, wrong := netip.ParseAddr(text); wrong == nil {
			network, err = address.Prefix(address.BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address, such as 10.0.0.1, nor a network, such as 10.0.0.0/8", text)
		}
		proxies = append(proxies, network)
	}
	return proxies, nil
}

// clientOf returns the address that a request comes from: the last one in
// X-Forwarded-For that is not a proxy's. A client can write itself whatever
// stands before that.
func (p Proxies) clientOf(c *fiber.Ctx) string {
	var forwarded []string
	for _, line := range c.Request().Header.PeekAll(fiber.HeaderXForwardedFor) {
		forwarded = append(forwarded, strings.Split(string(line), ",")...)
	}
	client, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	client = client.Unmap()
	for i := len(forwarded) - 1; i >= 0 && p.contain(client); i-- {
		before, err := netip.ParseAddr(strings.TrimSpace(forwarded[i]))
		if err != nil {
			break
		}
		client = before.Unmap().WithZone("")
	}
	return client.String()
}

func (p Proxies) contain(address netip.Addr) bool {
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}
