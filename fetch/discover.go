package fetch

import (
	"context"
	"net/url"

	"parley/core/fault"
	"parley/fetch/robots"
)

// Discovery is what a site says about its own pages.
type Discovery struct {
	// Entries are the pages to begin with: those of the sitemaps that the
	// rules and robots.txt admit or, without any, the start page alone.
	Entries []Entry
	// FromSitemap says that they come from sitemaps.
	FromSitemap bool
	// Problem is why sitemaps were not read in full. A page that is missing
	// then from Entries may still exist. Nil when there are none, or all were
	// read.
	Problem error
}

// Discover finds the pages of a site: robots.txt names its sitemaps, otherwise
// /sitemap.xml is tried. Rules without a host are taken for the start page's.
// It fails when not even the start page may be read.
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
		return rules.admits(u, 0) == nil && allows(robotsTxt, start, u)
	})
	if rules.MaxPages > 0 {
		s.limit = min(s.limit, rules.MaxPages)
	}
	s.readSite(ctx, start, robotsTxt)
	if len(s.entries) > 0 {
		return Discovery{Entries: s.entries, FromSitemap: true, Problem: s.problem}, nil
	}
	if ctx.Err() != nil {
		return Discovery{}, stopped(ctx)
	}
	if !robotsTxt.Allows(start.RequestURI()) {
		return Discovery{}, disallowed()
	}
	return Discovery{Entries: []Entry{{URL: start.String()}}, Problem: s.problem}, nil
}

// allows asks the robots.txt that is at hand. Pages of the same site under
// another origin, such as http for https, are asked about when they are
// fetched: their file is another one.
func allows(rules *robots.Rules, start, u *url.URL) bool {
	return u.Scheme != start.Scheme || u.Host != start.Host || rules.Allows(u.RequestURI())
}

// readSite reads the sitemaps that robots.txt names, wherever they are: naming
// them there is the proof that they are the site's (sitemaps.org, "Sitemaps &
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
	// Nobody promised that there would be one.
	if len(s.entries) == 0 && fault.Is(s.problem, fault.Invalid) {
		s.problem = nil
	}
}
