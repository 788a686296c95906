package fetch

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"parley/core/fault"
	"parley/fetch/target"
)

// ignored lists the characters that browsers drop from an address.
var ignored = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// parseURL reads an absolute web address, or refuses it with a reason.
func parseURL(raw string) (*url.URL, error) {
	return resolve(nil, raw)
}

// resolve reads an address as written in a page at base, and normalizes it
// (RFC 3986, section 6.2.2, and 6.2.3 for ports and paths).
func resolve(base *url.URL, raw string) (*url.URL, error) {
	raw = ignored.Replace(strings.TrimSpace(raw))
	if len(raw) > maxURLBytes {
		return nil, invalidURL(nil, "The address is longer than %d characters.", maxURLBytes)
	}
	u, err := url.Parse(target.Canonical(raw))
	if err != nil {
		return nil, invalidURL(err, "This is not a web address.")
	}
	if base == nil {
		base = &url.URL{}
	}
	u = base.ResolveReference(u)
	if err := check(u); err != nil {
		return nil, err
	}
	u.Host, err = hostPort(u)
	if err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment, u.ForceQuery = "", "", false
	if u.Path == "" {
		u.Path = "/"
	}
	if len(u.String()) > maxURLBytes {
		return nil, invalidURL(nil, "The address is longer than %d characters.", maxURLBytes)
	}
	return u, nil
}

func check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return invalidURL(nil, "Parley fetches only addresses that begin with http:// or https://.")
	case u.User != nil:
		return invalidURL(nil, "Parley does not fetch addresses that contain a user name or password.")
	case u.Opaque != "" || u.Hostname() == "":
		return invalidURL(nil, "The address has no host, such as www.example.com.")
	}
	return nil
}

// hostPort returns the normalized host of the address, with its port if that is
// not the scheme's own.
func hostPort(u *url.URL) (string, error) {
	host, err := normalHost(u.Hostname())
	if err != nil {
		return "", err
	}
	port := u.Port()
	if port == "" {
		return host, nil
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 {
		return "", invalidURL(err, "The address has a port that does not exist.")
	}
	if u.Scheme == "http" && number == 80 || u.Scheme == "https" && number == 443 {
		return host, nil
	}
	return host + ":" + strconv.FormatUint(number, 10), nil
}

// profile maps what people type to the form that DNS uses, as browsers do
// (UTS #46, non-transitional). It leaves underscores to normalHost.
var profile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false))

// normalHost returns the host in lower case and in ASCII, an IPv6 address in
// brackets. It refuses numbers that only some resolvers treat as an address, such
// as 2130706433, 0x7f.1 and 127.1.
func normalHost(host string) (string, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return normalAddress(address)
	}
	ascii, err := profile.ToASCII(host)
	if err != nil || !utf8.ValidString(host) {
		return "", invalidURL(err, "The address has a host name that cannot exist.")
	}
	ascii = strings.TrimSuffix(ascii, ".")
	if address, err := netip.ParseAddr(ascii); err == nil {
		return normalAddress(address)
	}
	if !isName(ascii) || endsInNumber(ascii) {
		return "", invalidURL(nil, "The address has a host name that cannot exist.")
	}
	return ascii, nil
}

func normalAddress(address netip.Addr) (string, error) {
	if address.Zone() != "" {
		return "", invalidURL(nil, "The address has a host name that cannot exist.")
	}
	address = address.Unmap()
	if address.Is6() {
		return "[" + address.String() + "]", nil
	}
	return address.String(), nil
}

// isName checks the characters of DNS host names; underscores occur.
func isName(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for _, c := range []byte(label) {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	return true
}

// endsInNumber is the URL standard's test for what means an IPv4 address
// (https://url.spec.whatwg.org/#ends-in-a-number-checker).
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if digits, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

func invalidURL(cause error, sentence string, args ...any) error {
	return &fault.Error{
		Kind: fault.Invalid, Field: "url", Cause: cause,
		Message: fault.New(fault.Invalid, sentence, args...).Message,
	}
}
