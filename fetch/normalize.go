package fetch

import (
	"net/url"
	"strings"
)

// Normalize returns the canonical form of an address, by which a crawl recognizes
// pages. href is the address as written in a page at base; base may be empty if
// href is absolute. Normalize lowercases scheme and host, converts international
// names to ASCII, drops the scheme's own port and the fragment, resolves dot
// segments, and unifies percent-encoding.
//
// It drops parameters that only say where a visitor came from, see isTracking. The
// others keep their order: it can have a meaning, and sorting would request
// addresses that the site never published.
func Normalize(base, href string) (string, error) {
	u, err := normalize(base, href)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

func normalize(base, href string) (*url.URL, error) {
	var from *url.URL
	if base != "" {
		var err error
		if from, err = parseURL(base); err != nil {
			return nil, err
		}
	}
	u, err := resolve(from, href)
	if err != nil {
		return nil, err
	}
	u.RawQuery = withoutTracking(u.RawQuery)
	return u, nil
}

func withoutTracking(query string) string {
	if query == "" {
		return ""
	}
	kept := make([]string, 0, strings.Count(query, "&")+1)
	for parameter := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(parameter, "=")
		if parameter != "" && !isTracking(strings.ToLower(name)) {
			kept = append(kept, parameter)
		}
	}
	return strings.Join(kept, "&")
}

// isTracking recognizes the parameters with which Google, Microsoft, Meta, Yandex,
// HubSpot and Mailchimp mark the advertisement or mail that led to a page.
func isTracking(name string) bool {
	switch name {
	case "gclid", "gclsrc", "gbraid", "wbraid", "dclid", "msclkid", "fbclid", "igshid", "yclid",
		"mc_cid", "mc_eid", "_hsenc", "_hsmi":
		return true
	}
	return strings.HasPrefix(name, "utm_")
}
