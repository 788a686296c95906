package fetch

import (
	"net/url"
	"strings"
)

// Normalize returns the one form of an address by which a crawl tells pages
// apart. href is as it stands in a page at base; base may be empty for an
// absolute one. Scheme and host are lower case, international names in ASCII,
// the scheme's own port and the fragment are dropped, dot segments resolved,
// and percent-encoding is in one form.
//
// Parameters that only tell where a visitor came from are dropped, see
// isTracking. The others keep their order: it can mean something, and sorting
// would ask a site for addresses that it never published.
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

// isTracking knows the parameters of Google, Microsoft, Meta, Yandex, HubSpot
// and Mailchimp that say which advertisement or letter led to a page.
func isTracking(name string) bool {
	switch name {
	case "gclid", "gclsrc", "gbraid", "wbraid", "dclid", "msclkid", "fbclid", "igshid", "yclid",
		"mc_cid", "mc_eid", "_hsenc", "_hsmi":
		return true
	}
	return strings.HasPrefix(name, "utm_")
}
