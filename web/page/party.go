package page

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/account/factor"
)

// Party returns the site that passkeys are made for, and false where browsers make none:
// they want a domain with HTTPS, or localhost. The site is the one in BASE_URL, whatever
// Host a request names. A server without a BASE_URL is reached on its own machine, where
// people may write localhost.
func (s *Base) Party(c *fiber.Ctx) (factor.Party, bool) {
	base, err := url.Parse(s.BaseURL)
	if err != nil {
		return factor.Party{}, false
	}
	host := base.Hostname()
	if address, err := netip.ParseAddr(host); err == nil {
		here := &url.URL{Scheme: base.Scheme, Host: strings.ToLower(string(c.Request().URI().Host()))}
		if !address.IsLoopback() || here.Hostname() != localhost {
			return factor.Party{}, false
		}
		return factor.Party{ID: localhost, Origin: OriginOf(here.String())}, true
	}
	if base.Scheme != "https" && host != localhost {
		return factor.Party{}, false
	}
	return factor.Party{ID: strings.ToLower(host), Origin: OriginOf(s.BaseURL)}, true
}

const localhost = "localhost"
