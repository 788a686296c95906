package chatbot

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley/core/fault"
)

// TokenKind says where a token may be kept.
type TokenKind string

// The kinds of tokens.
const (
	// SecretToken is for programs that keep it to themselves.
	SecretToken TokenKind = "secret"
	// PublishableToken is for web pages, where everyone can read it: it only asks
	// questions, from the pages of its origins.
	PublishableToken TokenKind = "publishable"
)

// Restrictions say from where a token may be used, and how much. The zero value
// adds nothing to what the plan says.
type Restrictions struct {
	// IPRanges are the networks from which it may be used; none means all.
	IPRanges []netip.Prefix
	// Origins are the origins of the pages that may use a publishable token, as
	// browsers write them. A secret token has none.
	Origins []string
	// Limits for all its uses together; zero is none.
	RequestsPerMinute, MessagesPerMonth int
	// VisitorRequestsPerMinute is for each network that sends requests with a
	// publishable token. A secret token has none.
	VisitorRequestsPerMinute int
}

// DefaultVisitorRequests is what a publishable token admits a minute for each
// network unless it was created with another number.
const DefaultVisitorRequests = 20

const (
	maxRanges           = 50
	maxOrigins          = 50
	maxOrigin           = 300
	maxRequestsLimit    = 1_000_000
	maxMessagesLimit    = 1_000_000_000
	maxNote             = 1_000
	maxHost, maxPortNum = 253, 65_535
)

// ParseRange reads a network such as 192.0.2.0/24 or 2001:db8::/32. Host bits are
// dropped, and IPv4 networks written as IPv6 become IPv4.
func ParseRange(text string) (netip.Prefix, error) {
	network, err := netip.ParsePrefix(strings.TrimSpace(text))
	if err != nil {
		return netip.Prefix{}, fault.InField("ip_ranges", "%q is no range of addresses. Write it in CIDR notation, such as 192.0.2.0/24 or 192.0.2.7/32.", short(text)).Named(fault.BadIPRange)
	}
	if address := network.Addr(); address.Is4In6() && network.Bits() >= 96 {
		network = netip.PrefixFrom(address.Unmap(), network.Bits()-96)
	}
	return network.Masked(), nil
}

// ParseOrigin reads the origin of a page, such as https://example.com, and returns
// it as browsers write it: in lower case, without the usual port of its scheme.
func ParseOrigin(text string) (string, error) {
	text = strings.TrimSpace(text)
	wrong := fault.InField("origins", "%q is no origin. Write a scheme and a host, such as https://www.example.com, without a path.", short(text)).Named(fault.BadOrigin)
	u, err := url.Parse(text)
	if err != nil || len(text) > maxOrigin || u.Scheme != "http" && u.Scheme != "https" || text != u.Scheme+"://"+u.Host && !strings.EqualFold(text, u.Scheme+"://"+u.Host) {
		return "", wrong
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	address, notAddress := netip.ParseAddr(host)
	bracketed := strings.HasPrefix(u.Host, "[")
	switch {
	case bracketed && (notAddress != nil || !address.Is6() || address.Zone() != ""):
		return "", wrong
	case bracketed:
		host = "[" + address.String() + "]"
	case len(host) > maxHost || !hostName.MatchString(host) && host != "localhost" && notAddress != nil:
		return "", wrong
	}
	if strings.HasSuffix(u.Host, ":") {
		return "", wrong
	}
	if port == "" || u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		return u.Scheme + "://" + host, nil
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > maxPortNum || strconv.Itoa(n) != port {
		return "", wrong
	}
	return u.Scheme + "://" + host + ":" + port, nil
}

// short is the beginning of a text for a message.
func short(text string) string {
	if runes := []rune(text); len(runes) > 80 {
		return string(runes[:80]) + "…"
	}
	return text
}

// check refuses restrictions that a token of a kind cannot have. Of what is given
// twice one is kept.
func (r Restrictions) check(kind TokenKind) (Restrictions, error) {
	var ranges []netip.Prefix
	for _, network := range r.IPRanges {
		if !slices.Contains(ranges, network) {
			ranges = append(ranges, network)
		}
	}
	var origins []string
	for _, written := range r.Origins {
		origin, err := ParseOrigin(written)
		if err != nil {
			return r, err
		}
		if !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
	}
	r.IPRanges, r.Origins = ranges, origins
	switch {
	case len(ranges) > maxRanges:
		return r, fault.InField("ip_ranges", "Give at most %d ranges of addresses.", maxRanges)
	case len(origins) > maxOrigins:
		return r, fault.InField("origins", "Give at most %d origins.", maxOrigins)
	}
	for field, limit := range map[string][2]int{
		"requests_per_minute": {r.RequestsPerMinute, maxRequestsLimit}, "messages_per_month": {r.MessagesPerMonth, maxMessagesLimit},
		"visitor_requests_per_minute": {r.VisitorRequestsPerMinute, maxRequestsLimit},
	} {
		if limit[0] < 0 || limit[0] > limit[1] {
			return r, fault.InField(field, "Give a whole number from 1 to %d, or 0 for no limit of its own.", limit[1])
		}
	}
	return r.checkKind(kind)
}

func (r Restrictions) checkKind(kind TokenKind) (Restrictions, error) {
	if kind == SecretToken {
		switch {
		case len(r.Origins) > 0:
			return r, fault.InField("origins", "Only a publishable token has origins: a secret token is never used by a web page.")
		case r.VisitorRequestsPerMinute > 0:
			return r, fault.InField("visitor_requests_per_minute", "Only a publishable token has a limit for each network.")
		}
		return r, nil
	}
	if len(r.Origins) == 0 {
		return r, fault.InField("origins", "Give at least one origin, such as https://www.example.com: the token works on its pages alone.").Named(fault.OriginsRequired)
	}
	if r.VisitorRequestsPerMinute == 0 {
		r.VisitorRequestsPerMinute = DefaultVisitorRequests
	}
	return r, nil
}
