package fetch

import (
	"context"
	"net/url"

	"parley/core/fault"
	"parley/fetch/robots"
)

// Discovery is what a site says about its own pages.
type Discovery struct {
	// Pages are those to start with: those in the sitemaps that the
	// rules and robots.txt admit or, if there are none, only the start page.
	Pages []string
	// Problem says why the sitemaps were not read completely. A page may then
	// exist although Pages lacks it. Nil means that there are no sitemaps, or
	// that all were read.
	Problem error
}

// Discover finds the pages of a site from the sitemaps that robots.txt names, or
// else from /sitemap.xml. Rules without a host apply to the start page's host. It
// fails if even the start page may not be read.
func (f *Fetcher) Discover(ctx context.Context, site string, rules Rules) (Discovery, error) {
	start, err := normalize("", site)
	if err != nil {
		return Discovery{}, err
	}
	if rules.Host == "" {
		rules.Host = start.Host
	}
	if err := rules.Check(); err != nil {
		return Discovery{}, err
	}
	robotsTxt, err := f.rules(ctx, start)
	if err != nil {
		return Discovery{}, err
	}
	s := newSurvey(f, func(u *url.URL) bool {
		return rules.admits(u) == nil && allows(robotsTxt, start, u)
	})
	if rules.MaxPages > 0 {
		s.limit = min(s.limit, rules.MaxPages)
	}
	limited, cancel := context.WithTimeout(ctx, f.config.Longest)
	defer cancel()
	s.readSite(limited, start, robotsTxt)
	if limited.Err() != nil && ctx.Err() == nil {
		s.problem = fault.New(fault.Upstream, "The site's sitemaps take too long to read. Parley does not read the rest.")
	}
	if len(s.found) > 0 {
		return Discovery{Pages: s.found, Problem: s.problem}, nil
	}
	if ctx.Err() != nil {
		return Discovery{}, stopped(ctx)
	}
	if !robotsTxt.Allows(start.RequestURI()) {
		return Discovery{}, disallowed()
	}
	return Discovery{Pages: []string{start.String()}, Problem: s.problem}, nil
}

// allows checks the robots.txt already fetched. Pages of the same site under
// another origin, such as http instead of https, have their own file, which is
// checked when they are fetched.
func allows(rules *robots.Rules, start, u *url.URL) bool {
	return u.Scheme != start.Scheme || u.Host != start.Host || rules.Allows(u.RequestURI())
}

// readSite reads the sitemaps that robots.txt names, wherever they are: naming
// them there proves that they belong to the site (sitemaps.org, "Sitemaps &
// Cross Submits").
func (s *survey) readSite(ctx context.Context, start *url.URL, rules *robots.Rules) {
	for _, address := range rules.Sitemaps {
		u, err := resolve(start, address)
		if err != nil {
			s.fail(err)
			continue
		}
		s.read(ctx, u, 1)
	}
	if len(rules.Sitemaps) > 0 {
		return
	}
	usual := &url.URL{Scheme: start.Scheme, Host: start.Host, Path: "/sitemap.xml"}
	s.read(ctx, usual, 1)
	// The site has not promised that there is one.
	if len(s.found) == 0 && fault.Is(s.problem, fault.Invalid) {
		s.problem = nil
	}
}
