package knowledge

import (
	"cmp"
	"context"
	"strings"
	"unicode/utf8"

	"parley/core/fault"
	"parley/internal/plain"
)

// Catalog puts, finds and removes documents for programs, which name them by external IDs.
type Catalog struct {
	documents *Documents
	sources   *Sources
	crawler   *crawler
	receipts  RemovalStore
}

// PutRequest is a document that a program sends: a text, a file, or the address of a page.
type PutRequest struct {
	NewDocument
	// URL is empty for a text or file.
	URL string
}

const (
	// MaxExternalID is how long an external ID may be, in characters.
	MaxExternalID = 255
	// firstWords is how long a title is that is made of a text's first line.
	firstWords = 80
)

// CheckExternalID refuses what cannot be the name of a document: an empty text, a
// long one, and one that cannot be shown on a line.
func CheckExternalID(externalID string) error {
	switch {
	case strings.TrimSpace(externalID) == "":
		return fault.InField("external_id", "external_id is empty. Leave it out, or give the document a name.").Named(fault.BadExternalID)
	case utf8.RuneCountInString(externalID) > MaxExternalID:
		return fault.InField("external_id", "external_id is longer than %d characters. Shorten it.", MaxExternalID).Named(fault.BadExternalID)
	case strings.TrimSpace(externalID) != externalID || !plain.Storable(externalID) || strings.ContainsFunc(externalID, unseen):
		return fault.InField("external_id", "external_id must be one line of valid UTF-8, without spaces around it and without characters that nobody sees.").Named(fault.BadExternalID)
	}
	return nil
}

// unseen reports whether nobody sees a character, or it breaks a line.
func unseen(r rune) bool { return r != ' ' && plain.Title(string(r)) != string(r) }

// Put stores a document. With an external ID it replaces the document that has the ID;
// without one it does not add again what the chatbot already has. A text without a title gets its first heading, or its first words.
func (s *Catalog) Put(ctx context.Context, workspaceID, chatbotID string, request PutRequest) (Document, Result, error) {
	if request.ExternalID != "" {
		if err := CheckExternalID(request.ExternalID); err != nil {
			return Document{}, "", err
		}
	}
	if request.URL != "" {
		return s.putAddress(ctx, workspaceID, chatbotID, request)
	}
	if request.File == nil && strings.TrimSpace(request.Title) == "" {
		request.Title = titleOfText(request.Content)
	}
	return s.documents.Put(ctx, workspaceID, chatbotID, request.NewDocument)
}

// titleOfText is the first heading of a text, or else its first words.
func titleOfText(text string) string {
	words := ""
	for line := range strings.Lines(text) {
		line = plain.Title(line)
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			return plain.Shorten(heading, maxTitle)
		}
		words = cmp.Or(words, plain.Shorten(line, firstWords))
	}
	return words
}

// Named returns the document that has an external ID, with its content.
func (s *Catalog) Named(ctx context.Context, workspaceID, chatbotID, externalID string) (Document, error) {
	if CheckExternalID(externalID) != nil {
		return Document{}, errNoDocument
	}
	document, err := s.documents.documents.DocumentByExternalID(ctx, workspaceID, chatbotID, externalID)
	if fault.Is(err, fault.NotFound) {
		return Document{}, errNoDocument
	}
	return document, err
}

var errNoDocument = fault.New(fault.NotFound, "Document not found.")

// Remove removes a document, as [Documents.Remove] does, and returns its receipt. A
// page that was added alone goes with its address. One that was removed before has
// its receipt still.
func (s *Catalog) Remove(ctx context.Context, workspaceID, chatbotID, documentID string) (Removal, error) {
	document, err := s.documents.Get(ctx, workspaceID, chatbotID, documentID)
	switch {
	case fault.Is(err, fault.NotFound):
	case err != nil:
		return Removal{}, err
	default:
		if err := s.remove(ctx, document); err != nil && !fault.Is(err, fault.NotFound) { // else somebody was faster
			return Removal{}, err
		}
	}
	receipt, err := s.receipts.RemovalOf(ctx, workspaceID, chatbotID, documentID)
	if fault.Is(err, fault.NotFound) {
		return Removal{}, errNoDocument
	}
	return receipt, err
}

func (s *Catalog) remove(ctx context.Context, d Document) error {
	if d.SourceID != "" {
		source, err := s.sources.sources.Source(ctx, d.WorkspaceID, d.ChatbotID, d.SourceID)
		if err == nil && source.Kind == Page && source.State != SourceRemoving {
			return s.sources.Remove(ctx, d.WorkspaceID, d.ChatbotID, d.SourceID)
		}
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return s.documents.Remove(ctx, d.WorkspaceID, d.ChatbotID, d.ID)
}
