package knowledge

import (
	"context"
	"errors"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/tenant"
)

// putAddress adds the page at an address. The page is a document at once, and is
// read by itself.
func (s *Catalog) putAddress(ctx context.Context, workspaceID, chatbotID string, request PutRequest) (document Document, result Result, err error) {
	switch {
	case request.Content != "" || request.File != nil:
		return document, "", fault.InField("url", "Give the text, a file or a url: one of them.")
	case request.Title != "" || request.Kind != "":
		return document, "", fault.InField("url", "A page says itself what its title and kind are. Leave out title and kind.")
	}
	checked, err := s.sources.check(NewSource{URL: request.URL})
	if err != nil {
		return document, "", err
	}
	source := s.sources.newSource(workspaceID, chatbotID, checked)
	source.State, source.SyncedAt, source.DueAt = SourceReady, &source.CreatedAt, nil // its one page is known
	err = s.sources.workspaces.change(ctx, workspaceID, []string{FetchWork}, func(ctx context.Context) error {
		if err := s.sources.admit(ctx, source); err != nil {
			return err
		}
		if request.ExternalID != "" {
			document, result, err = s.refresh(ctx, source, request.ExternalID)
			if err == nil {
				return s.documents.recordPut(ctx, putResult{Document: document, result: result})
			}
			if !fault.Is(err, fault.NotFound) {
				return err
			}
		}
		document, result, err = s.addPage(ctx, source, request.ExternalID)
		if err != nil || result != Created {
			return err
		}
		return s.documents.removals.record(ctx, workspaceID, audit.SourceAdded, audit.Object{Kind: "source", ID: document.SourceID}, chatbotID)
	})
	return document, result, err
}

// refresh has the page that has an external ID read again, from the address of the
// source. It is NotFound if there is no such document.
func (s *Catalog) refresh(ctx context.Context, source Source, externalID string) (Document, Result, error) {
	for range 5 { // a worker may move it between the read and the change
		known, err := s.documents.documents.DocumentByExternalID(ctx, source.WorkspaceID, source.ChatbotID, externalID)
		if err != nil {
			return Document{}, "", err
		}
		now := s.crawler.now()
		next, moves := known, known.URL != source.URL
		next.State, next.Reason, next.Attempts, next.Begun, next.DueAt, next.UpdatedAt = Pending, "", 0, 0, &now, now
		switch {
		case known.SourceID == "":
			return Document{}, "", errOtherKind
		case moves:
			if err := s.move(ctx, known, source); err != nil {
				return Document{}, "", err
			}
			next.URL, next.ETag, next.LastModified, next.ContentHash, next.Version = source.URL, "", "", "", known.Version+1
		case !known.State.Settled() && known.Attempts == 0: // it is being read
			return known, Unchanged, nil
		}
		err = taken(s.documents.documents.UpdateDocument(ctx, known.WorkspaceID, known.State, next, false))
		if errors.Is(err, errTaken) {
			continue
		}
		if moves {
			return next, Replaced, err
		}
		return next, ReadAgain, err
	}
	return Document{}, "", errBusy
}

// move gives the source of a page another address.
func (s *Catalog) move(ctx context.Context, page Document, to Source) error {
	other, known, err := s.sources.withAddress(ctx, to)
	if err != nil {
		return err
	}
	if known && other.ID != page.SourceID {
		return errAddressExists
	}
	source, err := s.sources.sources.Source(ctx, page.WorkspaceID, page.ChatbotID, page.SourceID)
	if err != nil {
		return err
	}
	source.URL = to.URL
	return s.sources.sources.UpdateSource(ctx, page.WorkspaceID, source)
}

// addPage adds a page, unless the chatbot has it already.
func (s *Catalog) addPage(ctx context.Context, source Source, externalID string) (Document, Result, error) {
	same, known, err := s.sources.withAddress(ctx, source)
	if err != nil {
		return Document{}, "", err
	}
	if known {
		page, there, err := s.pageOf(ctx, same)
		switch {
		case err != nil:
			return Document{}, "", err
		case same.Kind != Page || there && externalID != "":
			return Document{}, "", errAddressExists
		case there:
			return page, Unchanged, nil
		}
		source = same // its page had gone
	}
	workspace, err := s.sources.workspaces.lock(ctx, source.WorkspaceID)
	if err != nil {
		return Document{}, "", err
	}
	return s.storePage(ctx, workspace, source, externalID, !known)
}

func (s *Catalog) storePage(ctx context.Context, workspace tenant.Workspace, source Source, externalID string, fresh bool) (Document, Result, error) {
	if err := s.sources.workspaces.admit(ctx, workspace, 0, Stored(1, 0)); err != nil {
		return Document{}, "", err
	}
	if fresh {
		if err := s.sources.sources.CreateSource(ctx, source.WorkspaceID, source); err != nil {
			return Document{}, "", err
		}
	}
	page := s.crawler.newPage(source, source.URL, 0)
	page.ExternalID = externalID
	return page, Created, createNamed(ctx, s.documents.documents, page)
}

// pageOf returns the page of a source that has one.
func (s *Catalog) pageOf(ctx context.Context, source Source) (Document, bool, error) {
	pages, err := s.sources.sources.SourceDocuments(ctx, source.WorkspaceID, source.ID)
	for _, page := range pages {
		if page.State != Removing {
			return page, true, err
		}
	}
	return Document{}, false, err
}
