package fetch

import (
	"net/url"
	"strings"

	"parley/core/fault"
	"parley/fetch/target"
)

const (
	maxPatterns     = 100
	maxPatternBytes = 1000
)

// Rules decide which pages of a site belong to a source.
type Rules struct {
	// Host is the site's host, such as "example.com". A leading "www." makes no
	// difference. Other subdomains are other sites.
	Host string
	// Include and Exclude are patterns of paths. Exclude takes precedence, and
	// an empty Include admits every page. "/docs" means the page and all below
	// it ("/docs/a", not "/docs-old"). A pattern with "*", which stands for any
	// characters, must match the whole path: "/docs/*.html". A pattern with "?"
	// is compared with path and query. Case matters.
	Include, Exclude []string
	// MaxPages is how many pages a source may have. Discover returns no more; a
	// caller that crawls counts itself. 0: any number.
	MaxPages int
}

// Check returns what is wrong with the rules, or nil.
func (r Rules) Check() error {
	if _, err := normalHost(hostname(r.Host)); err != nil || strings.ContainsAny(r.Host, "/@?#") {
		return fault.InField("host", "The site needs a host name, such as www.example.com.")
	}
	if r.MaxPages < 0 {
		return fault.New(fault.Invalid, "The limits of a crawl cannot be negative.")
	}
	if err := checkPatterns("include", r.Include); err != nil {
		return err
	}
	return checkPatterns("exclude", r.Exclude)
}

func checkPatterns(field string, patterns []string) error {
	if len(patterns) > maxPatterns {
		return fault.InField(field, "A site has at most %d paths to include or exclude.", maxPatterns)
	}
	for _, pattern := range patterns {
		if len(pattern) > maxPatternBytes {
			return fault.InField(field, "A path is at most %d characters long.", maxPatternBytes)
		}
		if !strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "*") {
			return fault.InField(field, "A path must begin with / or *, such as /docs.")
		}
	}
	return nil
}

// Admits returns nil if a page belongs to the source, and otherwise the
// reason. It does not check robots.txt.
func (r Rules) Admits(address string) error {
	u, err := normalize("", address)
	if err != nil {
		return err
	}
	return r.admits(u)
}

func (r Rules) admits(u *url.URL) error {
	if !sameSite(u.Hostname(), hostname(r.Host)) {
		return fault.New(fault.Invalid, "The page is on another site.")
	}
	if pattern, ok := matchingPattern(r.Exclude, u); ok {
		return fault.New(fault.Invalid, "The page is excluded by %s.", pattern)
	}
	if _, ok := matchingPattern(r.Include, u); len(r.Include) > 0 && !ok {
		return fault.New(fault.Invalid, "The page is not among the paths to include.")
	}
	return nil
}

// hostname returns the host without its port.
func hostname(host string) string {
	return (&url.URL{Host: strings.TrimSpace(host)}).Hostname()
}

func sameSite(a, b string) bool {
	host, err := normalHost(b)
	if err != nil {
		return false
	}
	return bare(a) == bare(strings.Trim(host, "[]"))
}

func bare(host string) string { return strings.TrimPrefix(host, "www.") }

func matchingPattern(patterns []string, u *url.URL) (string, bool) {
	for _, pattern := range patterns {
		subject := u.EscapedPath()
		if strings.Contains(pattern, "?") {
			subject = u.RequestURI()
		}
		if matches(pattern, subject) {
			return pattern, true
		}
	}
	return "", false
}

func matches(pattern, path string) bool {
	// A dollar sign has no meaning here, but would have one in target.Compile.
	text := strings.ReplaceAll(pattern, "$", "%24")
	if strings.Contains(text, "*") || strings.Contains(text, "?") {
		return target.Compile(text + "$").Matches(target.For(path))
	}
	page := strings.TrimRight(text, "/")
	subject := target.For(path)
	return target.Compile(page+"$").Matches(subject) || target.Compile(page+"/").Matches(subject)
}
