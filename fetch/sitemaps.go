package fetch

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"

	"parley/core/fault"
	"parley/fetch/sitemap"
)

const (
	// maxSitemaps and maxSitemapDepth bound the files that an index leads to.
	maxSitemaps     = 50
	maxSitemapDepth = 3
)

// survey collects pages from sitemaps: of at most 50 files, three levels deep. An index leads
// only to files on its own site. It does not ask robots.txt for permission to read sitemaps,
// because they are made for robots.
type survey struct {
	fetcher *Fetcher
	// wants says which pages to keep. Nil: all.
	wants   func(u *url.URL) bool
	limit   int
	found   []string // in the form of [Normalize]
	problem error    // the first one

	files map[string]bool
	pages map[string]bool
}

func newSurvey(f *Fetcher, wants func(*url.URL) bool) *survey {
	return &survey{
		fetcher: f, wants: wants, limit: sitemap.MaxAddresses,
		files: make(map[string]bool), pages: make(map[string]bool),
	}
}

// read adds the pages of a sitemap. It skips a sitemap that it has read, so an
// index that leads to itself ends.
func (s *survey) read(ctx context.Context, u *url.URL, depth int) {
	switch {
	case s.files[u.String()]:
		return
	case s.full():
		s.fail(s.tooMany())
		return
	case depth > maxSitemapDepth:
		s.fail(fault.New(fault.Invalid, "The site's sitemaps are nested more than %d deep.", maxSitemapDepth))
		return
	case len(s.files) == maxSitemaps:
		s.fail(fault.New(fault.Invalid, "The site has more than %d sitemaps. Parley does not read the rest.", maxSitemaps))
		return
	}
	s.files[u.String()] = true
	file, at, err := s.fetcher.sitemapFile(ctx, u)
	if err != nil {
		s.fail(err)
	}
	for _, page := range file.Pages {
		if ctx.Err() != nil {
			s.fail(stopped(ctx))
			return
		}
		s.add(page)
	}
	s.readAll(ctx, file.Sitemaps, at, depth+1)
}

// readAll reads the files of an index at u.
func (s *survey) readAll(ctx context.Context, sitemaps []string, u *url.URL, depth int) {
	for _, child := range sitemaps {
		if ctx.Err() != nil {
			s.fail(stopped(ctx))
			return
		}
		next, err := resolve(u, child)
		if err == nil && !sameSite(next.Hostname(), u.Hostname()) {
			err = fault.New(fault.Invalid, "A sitemap of the site points to another site. Parley does not follow it.")
		}
		if err != nil {
			s.fail(err)
			continue
		}
		s.read(ctx, next, depth)
	}
}

func (s *survey) add(page string) {
	u, err := normalize("", page)
	if err != nil {
		return
	}
	address := u.String()
	if s.pages[address] || s.wants != nil && !s.wants(u) {
		return
	}
	if s.full() {
		s.fail(s.tooMany())
		return
	}
	s.pages[address] = true
	s.found = append(s.found, address)
}

func (s *survey) full() bool { return len(s.found) >= s.limit }

func (s *survey) tooMany() error {
	return fault.New(fault.Invalid, "The site's sitemaps list more than %d pages. Parley does not read the rest.", s.limit)
}

func (s *survey) fail(err error) {
	if s.problem == nil {
		s.problem = err
	}
}

// sitemapFile fetches one sitemap, and returns its address after redirects.
func (f *Fetcher) sitemapFile(ctx context.Context, u *url.URL) (sitemap.File, *url.URL, error) {
	trip := &trip{
		fetcher: f, left: f.config.Timeout, limit: f.config.Bytes,
		robots:  slowly,
		inspect: func(http.Header, *url.URL) error { return nil },
	}
	answer, err := trip.follow(ctx, u)
	if err == nil {
		err = answer.statusFault()
	}
	if err != nil {
		return sitemap.File{}, u, err
	}
	file, err := sitemap.Read(bytes.NewReader(answer.body))
	return file, answer.url, sitemapFault(err)
}

func sitemapFault(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sitemap.ErrNone):
		return fault.Wrap(fault.Invalid, err, "The address holds no sitemap.")
	case errors.Is(err, sitemap.ErrTooLarge):
		return fault.Wrap(fault.Invalid, err, "A sitemap of the site is larger than %d MB or names more than %d pages. Parley reads only its beginning.",
			sitemap.MaxBytes>>20, sitemap.MaxAddresses)
	}
	return fault.Wrap(fault.Invalid, err, "A sitemap of the site is damaged. Parley reads only its beginning.")
}
