package knowledge

import (
	"context"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/internal/plain"
)

// readAddress fetches the page of a document and keeps what it says. What a
// site's page links to joins the source.
func (s *Service) readAddress(ctx context.Context, bot chatbot.Chatbot, d *Document) error {
	source, err := s.store.Source(ctx, d.WorkspaceID, d.ChatbotID, d.SourceID)
	if err != nil {
		return err
	}
	if err := s.enter(ctx, d, Fetching); err != nil {
		return err
	}
	request := Fetch{URL: d.URL}
	if d.Live > 0 {
		request.ETag, request.LastModified = d.ETag, d.LastModified
	}
	page, err := s.fetcher.Get(ctx, request)
	if err != nil {
		return err
	}
	now := s.now()
	d.FetchedAt = &now
	switch {
	case page.Gone && d.Live > 0:
		return s.vanish(ctx, *d)
	case page.Gone:
		return fault.New(fault.Invalid, "The server says that this page does not exist.")
	case page.NotModified: // but perhaps it is to be split in another way
		return s.keep(ctx, bot, d, *d)
	}
	if err := s.enter(ctx, d, Extracting); err != nil {
		return err
	}
	extracted, err := s.extractor.Extract(ctx, File{Name: page.URL, ContentType: page.ContentType, URL: page.URL, Body: page.Body})
	if err != nil {
		return err
	}
	if source.Kind == Site {
		if err := s.follow(ctx, source, *d, extracted.Links); err != nil {
			return err
		}
	}
	if extracted.NoIndex {
		return fault.New(fault.Invalid, "The page asks not to be read by machines (noindex).")
	}
	next := filled(*d, extracted)
	next.ETag, next.LastModified = fitting(page.ETag, 1024), fitting(page.LastModified, 100)
	if title := plain.Shorten(plain.Line(extracted.Title), maxTitle); title != "" {
		next.Title = title
	}
	return s.keep(ctx, bot, d, next)
}

// vanish removes a document whose page has gone.
func (s *Service) vanish(ctx context.Context, d Document) error {
	return s.inWorkspace(ctx, d.WorkspaceID, []string{IndexWork}, func(ctx context.Context) error { return s.markRemoving(ctx, d) })
}

// follow adds the pages that a page links to and the rules admit.
func (s *Service) follow(ctx context.Context, source Source, d Document, links []string) error {
	if d.Depth >= source.Rules.MaxDepth {
		return nil
	}
	seen := map[string]bool{}
	var found []Document
	for _, link := range links {
		address, ok := s.fetcher.Admit(source.URL, link, source.Rules)
		if ok && !seen[address] {
			seen[address] = true
			found = append(found, s.newPage(source, address, d.Depth+1))
		}
	}
	return s.addFound(ctx, source, found)
}

// addFound adds documents to a source, as many as its rules admit.
func (s *Service) addFound(ctx context.Context, source Source, found []Document) error {
	if len(found) == 0 {
		return nil
	}
	return s.whileThere(ctx, source, func(ctx context.Context) error {
		room, err := s.roomForPages(ctx, source.WorkspaceID, len(found))
		if err != nil {
			return err
		}
		_, err = s.store.CreateFound(ctx, source.WorkspaceID, source, found, source.Rules.MaxPages, room)
		return err
	})
}

// fitting returns a header's value, or nothing if it has no room: without it
// the page is fetched whole.
func fitting(value string, limit int) string {
	if len(value) > limit || !plain.Storable(value) {
		return ""
	}
	return value
}
