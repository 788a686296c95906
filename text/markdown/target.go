package markdown

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// Hosts are the hosts that images may come from, such as "cdn.example.com". A
// host covers neither its subdomains nor another port than https has, and case
// does not matter. An internationalised name is given in its ASCII form.
type Hosts []string

// allow reports whether an image may be fetched. Everything but letters, digits,
// dots and hyphens is refused in a host, because browsers fold many other
// characters into these.
func (h Hosts) allow(u *url.URL) bool {
	if u.Scheme != "https" || u.User != nil || strings.Trim(u.Host, hostCharacters) != "" {
		return false
	}
	return slices.ContainsFunc(h, func(host string) bool {
		return asciiLower(host) == asciiLower(u.Host)
	})
}

const hostCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-"

// asciiLower leaves characters outside ASCII alone, unlike [strings.ToLower],
// which makes an ASCII k of the Kelvin sign.
func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// linkTarget is where a link or image leads, nil if nowhere we would send anyone.
func linkTarget(destination []byte) *url.URL {
	return absolute(util.URLEscape(destination, true))
}

// autoLinkTarget is the same for an address that is its own text.
func autoLinkTarget(link *ast.AutoLink, source []byte) *url.URL {
	address := util.URLEscape(link.URL(source), false)
	if link.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(address, []byte("mailto:")) {
		address = append([]byte("mailto:"), address...)
	}
	return absolute(address)
}

// absolute parses an absolute http, https or mailto address. Relative ones mean
// nothing outside the page they were copied from, and a name before the host
// ("https://bank.example@evil.example") is there to deceive.
func absolute(address []byte) *url.URL {
	u, err := url.Parse(string(address))
	if err != nil {
		return nil
	}
	switch {
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil:
		return u
	case u.Scheme == "mailto" && u.Opaque != "":
		return u
	}
	return nil
}
